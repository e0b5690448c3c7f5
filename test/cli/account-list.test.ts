// `svc account list`, and what `svc account show` says of a suspension.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { callSvc } from "./run-svc.ts";

interface Page {
  data: Record<string, unknown>[];
  has_more: boolean;
}

let gateway: Gateway;
const ids: string[] = [];
beforeAll(async () => {
  gateway = await startGateway();
  for (const name of ["ada", "grace", "edsger"]) {
    const made = await svc("account", "create", "--email", `${name}@Example.com`, "--verified", "--deposit", "6", "--json");
    ids.push(made.json().account_id as string);
  }
});
afterAll(() => gateway.stop());

const svc = (...words: string[]) => callSvc({ DATABASE_URL: gateway.databaseUrl }, words);
const list = async (...words: string[]) => (await svc("account", "list", ...words, "--json")).json() as unknown as Page;
const idsOf = ({ data }: Page) => data.map(({ account_id }) => account_id);

/** The same charge once more, longer ago than is counted. */
async function repeatOlder({ accountId }: TestAccount): Promise<void> {
  const { pool } = gateway.context.db;
  await pool.query(`do $$ declare month timestamptz := date_trunc('month', now() - interval '31 days', 'utc'); begin
    execute format('create table if not exists %I partition of usage_log for values from (%L) to (%L)',
      'usage_log' || to_char(month at time zone 'utc', '_YYYY_MM'), month, (month at time zone 'utc' + interval '1 month') at time zone 'utc');
  end $$`);
  const { rowCount } = await pool.query(
    `insert into usage_log select (jsonb_populate_record(l, jsonb_build_object('created_at', now() - interval '31 days', 'id', gen_random_uuid()))).*
     from usage_log l where account_id = $1`,
    [accountId],
  );
  expect(rowCount).toBe(1);
}

describe("svc account list", () => {
  test("shows balance, tier, status and what was charged within 30 days, newest first", async () => {
    const account = await gateway.createAccount({ deposit: "2" });
    const asked = { model: "best", messages: [{ role: "user", content: "Hello!" }] };
    expect((await gateway.request("POST", "/v1/chat/completions", { key: account.key, body: asked })).status).toBe(200);
    const { spent, balance } = await gateway.balance(account);
    expect(spent).toBeGreaterThan(0);
    await repeatOlder(account);
    const { data, has_more } = await list();
    expect(has_more).toBe(false);
    expect(data[0]).toEqual({
      account_id: account.id,
      email: account.email,
      balance,
      tier: 0,
      status: "active",
      suspended_at: null,
      verified: true,
      spent_30d: spent,
      created_at: expect.any(String),
    });
    expect(data.map(({ account_id }) => account_id)).toEqual([account.id, ...ids.toReversed()]);
    expect(data[1]).toMatchObject({ email: "edsger@Example.com", balance: 6, tier: 1, spent_30d: 0 });
  });

  test("pages by --limit and --after without a gap", async () => {
    const all = idsOf(await list());
    const first = await list("--limit", "2");
    expect(first.has_more).toBe(true);
    const second = await list("--limit", "2", "--after", String(first.data[1]!.account_id));
    expect([...idsOf(first), ...idsOf(second)]).toEqual(all);
    expect(second.has_more).toBe(false);
    expect((await svc("account", "list", "--limit", "1")).stdout).toContain(`older accounts follow: --after ${String(all[0])}`);
  });

  test("--email finds a part, whatever its case and however it looks", async () => {
    expect(idsOf(await list("--email", "GRACE@ex"))).toEqual([ids[1]]);
    expect(await list("--email", "%")).toEqual({ data: [], has_more: false });
  });

  test("--status tells suspended accounts from active ones", async () => {
    await svc("account", "suspend", ids[0]!);
    expect(idsOf(await list("--status", "suspended"))).toEqual([ids[0]]);
    expect(idsOf(await list("--status", "active"))).not.toContain(ids[0]);
    await svc("account", "resume", ids[0]!);
    expect((await list("--status", "suspended")).data).toEqual([]);
  });

  test.each([
    ["--limit", "0"],
    ["--limit", "1001"],
    ["--limit", "-3"],
    ["--limit", "many"],
    ["--status", "away"],
  ])("%s %s is wrong usage", async (...words) => {
    expect(await svc("account", "list", ...words)).toMatchObject({ status: 2, stdout: "" });
  });

  test("--after an account that does not exist is refused with 1", async () => {
    expect(await svc("account", "list", "--after", "acc_999999")).toMatchObject({ status: 1, stderr: "no such account: acc_999999\n" });
  });
});

test("account show says since when an account is suspended, and no longer once it works again", async () => {
  const [id] = ids as [string];
  const show = async () => (await svc("account", "show", id, "--json")).json();
  expect(await show()).toMatchObject({ status: "active", suspended_at: null, verified: true });
  await svc("account", "suspend", id);
  const shown = await show();
  expect(shown).toMatchObject({ account_id: id, status: "suspended", balance: 6 });
  expect(new Date(String(shown.suspended_at)).toISOString()).toBe(shown.suspended_at);
  expect((await svc("account", "show", id)).stdout).toContain(`suspended since ${String(shown.suspended_at)}`);
  await svc("account", "resume", id);
  expect(await show()).toMatchObject({ status: "active", suspended_at: null });
  expect((await svc("account", "show", id)).stdout).not.toContain("suspended");
});
