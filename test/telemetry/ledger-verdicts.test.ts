// What a verification found, in the metrics. Files of their own per state: the database is read once a minute, first at the first scrape.
import { afterAll, beforeAll, expect, test } from "vitest";
import { callSvc } from "../cli/run-svc.ts";
import { connect } from "../../src/db/connect.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway } from "../support/gateway.ts";
import { scrape, scrapeUntil } from "./scrape.ts";

let database: TestDatabase;
const svc = (...words: string[]) => callSvc({ DATABASE_URL: database.url }, [...words, "--json"]);
const names = ["svc_ledger_verified_timestamp_seconds", "svc_ledger_head", "svc_ledger_broken"];

beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

/** Of a gateway that starts now. */
async function figures(): Promise<(number | undefined)[]> {
  const gateway = await startGateway({ databaseUrl: database.url });
  try {
    await scrapeUntil(gateway, (page) => page.figure("svc_ledger_checked_timestamp_seconds") !== undefined);
    const page = await scrape(gateway);
    return names.map((name) => page.figure(name));
  } finally {
    await gateway.stop();
  }
}

test("before the first verification there is no time and no head", async () => {
  expect(await figures()).toEqual([undefined, undefined, 0]);
});

test("svc ledger verify shows its time and its head; a broken link shows as such, beside the last that held", async () => {
  await svc("account", "create", "--email", "ada@example.com", "--deposit", "1");
  const { head } = (await svc("ledger", "verify")).json() as { head: string };
  const shown = await figures();
  expect(shown.slice(1)).toEqual([Number.parseInt(head.slice(0, 13), 16), 0]);
  expect(shown[0]).toBeGreaterThan(1.7e9);

  const db = connect(database.url, { max: 1 });
  const tamper = (ref: string) =>
    db.pool.query(`begin; set local session_replication_role = replica; update ledger_entry set ref = '${ref}' where seq = 1; commit`);
  try {
    await tamper("another");
    expect(await svc("ledger", "verify")).toMatchObject({ status: 1 });
    expect(await figures()).toEqual([...shown.slice(0, 2), 1]);
    await tamper("cli");
    expect(await svc("ledger", "verify")).toMatchObject({ status: 0 });
    expect((await figures())[2]).toBe(0);
  } finally {
    await db.close();
  }
});

test("a hundred verdicts are kept, the newest", async () => {
  const db = connect(database.url, { max: 1 });
  try {
    await db.pool.query("insert into ledger_verdict (accounts, entries, broken) select 1, 1, 'old' from generate_series(1, 150)");
    await svc("ledger", "verify");
    const { rows } = await db.pool.query("select count(*)::int as rows, count(head)::int as held from ledger_verdict");
    expect(rows).toEqual([{ rows: 100, held: 1 }]);
  } finally {
    await db.close();
  }
});
