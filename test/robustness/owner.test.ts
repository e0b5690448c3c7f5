// On a managed Postgres the gateway's role owns its database and may do nothing else there: all that it does, from the empty database on.
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runSvc } from "../cli/run-svc.ts";
import { connect } from "../../src/db/connect.ts";
import { migrate } from "../../src/db/migrate.ts";
import { dropPartitions, ensurePartitions } from "../../src/db/partitions.ts";
import { ownedDatabase, type TestDatabase } from "../support/database.ts";
import { until } from "../support/eventually.ts";
import { spawnGateway } from "../support/gateway.ts";
import { chat } from "./chat-client.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await ownedDatabase();
});
afterAll(() => database.drop());

const svc = (...words: string[]) => runSvc({ DATABASE_URL: database.url }, [...words, "--json"]);

test("it may do nothing but what an owner may", async () => {
  const db = connect(database.url, { max: 1 });
  const { rows } = await db.pool.query(
    `select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as more, exists (select 1 from pg_auth_members where member = r.oid) as "inGroups",
       (select datdba = r.oid from pg_database where datname = current_database()) as owns from pg_roles r where rolname = current_user`,
  );
  expect(rows).toEqual([{ more: false, inGroups: false, owns: true }]);
  await db.close();
});

test("a gateway starts on it, serves calls and images, hears what svc does, and logs no complaint", async () => {
  const gateway = await spawnGateway({ DATABASE_URL: database.url, SMTP_URL: "smtp://127.0.0.1:9", LOG_LEVEL: "warn" });
  try {
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
    const made = await svc("account", "create", "--email", "own@example.com", "--verified", "--deposit", "5");
    expect(made.stderr).toBe("");
    const { account_id, api_key } = made.json() as { account_id: string; api_key: string };
    const ask = async () => (await chat({ url: gateway.url, key: api_key, model: "best" })).status;
    expect(await ask()).toBe(200);
    const headers = { authorization: `Bearer ${api_key}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "atelier/vector", prompt: "A fox" });
    const submitted = await fetch(`${gateway.url}/v1/images/generations`, { method: "POST", headers, body });
    expect(submitted.status).toBe(202);
    const { id } = (await submitted.json()) as { id: string };
    const job = async () => (await fetch(`${gateway.url}/v1/jobs/${id}?wait=25`, { headers })).json();
    await expect.poll(job).toMatchObject({ status: "succeeded" });
    const shown = (await svc("account", "show", account_id)).json() as { balance: number; reserved: number; lifetime_spent: number };
    expect(shown.lifetime_spent).toBeGreaterThan(0);
    expect(shown.balance + shown.lifetime_spent).toBeCloseTo(5, 8);
    expect(await (await fetch(`${gateway.url}/metrics`)).text()).toContain("svc_database_up 1");

    await svc("account", "suspend", account_id);
    await until(async () => (await ask()) === 403, "the gateway heard of it");
    expect((await svc("ledger", "audit")).json()).toMatchObject({ accounts: 1, mismatches: [] });
    expect((await svc("ledger", "verify")).json()).toMatchObject({ accounts: 1, broken: null });
    expect(await gateway.kill("SIGTERM")).toBe(0);
    expect(gateway.output()).not.toMatch(/"level":[456]0/);
  } finally {
    await gateway.kill("SIGKILL");
  }
});

test("it makes the months to come and drops those that are over; what it announces is heard", async () => {
  const db = connect(database.url, { max: 2 });
  await migrate(db);
  const ends =
    "select min(inhrelid::regclass::text) as first, max(inhrelid::regclass::text) as last from pg_inherits where inhparent = 'usage_log'::regclass";
  const months = async () => (await db.pool.query<{ first: string; last: string }>(ends)).rows[0]!;
  const { last } = await months();
  await db.pool.query(`drop table ${last}`);
  await ensurePartitions(db);
  expect((await months()).last).toBe(last);
  await db.pool.query(
    "create table usage_log_2001_01 partition of usage_log for values from ('2001-01-01T00:00Z') to ('2001-02-01T00:00Z')",
  );
  expect(await dropPartitions(db, 13)).toEqual(["usage_log_2001_01"]);

  const listener = new pg.Client({ connectionString: database.url });
  await listener.connect();
  await listener.query("listen account_changed");
  const heard = new Promise((resolve) => listener.once("notification", ({ payload }) => resolve(payload)));
  const { rows } = await db.pool.query<{ id: bigint }>(
    "insert into account (email, email_norm) values ('n@example.com', 'n@example.com') returning id",
  );
  await db.pool.query(
    "insert into ledger_entry (account_id, created_at, id, kind, amount, ref) values ($1, now(), gen_random_uuid(), 'deposit', 1, 'test')",
    [rows[0]!.id],
  );
  expect(await heard).toBe(String(rows[0]!.id));
  await listener.end();
  await db.close();
});
