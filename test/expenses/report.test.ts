// `svc report`: its sums agree with the ledger and with what the attempts cost, to the unit, however they are grouped
// (docs/behaviour/billing.md#reports).
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../generated/operations.ts";
import { refundJob } from "../../src/jobs/staff-jobs.ts";
import { callSvc } from "../cli/run-svc.ts";
import { newJob } from "../support/media-jobs.ts";
import type { Gateway, TestAccount } from "../support/gateway.ts";
import { asks, type LoggedCall, make, openWorld } from "./world.ts";

interface Report {
  from: string;
  to: string;
  rows: Record<string, any>[];
  total: { requests: number; revenue: number; cost: number; margin: number; revenue_without_cost: number };
}

let gateway: Gateway;
let account: TestAccount;
let refunded: LoggedCall;
const made = new Map<string, LoggedCall>();
const groups = ["account", "model", "route", "provider", "key", "day"] as const;
const svc = (...words: string[]) => callSvc({ DATABASE_URL: gateway.databaseUrl }, words);
const report = async (kind: "spend" | "margin", by: string, ...more: string[]) =>
  (await svc("report", kind, "--by", by, ...more, "--json")).json() as unknown as Report;
const units = (usd: number) => BigInt(Math.round(usd * 1e8));

beforeAll(async () => {
  ({ gateway, account } = await openWorld());
  for (const [kind, asked] of Object.entries(asks)) made.set(kind, (await make(gateway, account, asked)).row);
  refunded = (await make(gateway, account, asks.image)).row;
  const { rows } = await gateway.context.db.pool.query<{ shown_id: string }>("select shown_id from media_job where id = $1", [refunded.id]);
  expect(await refundJob(gateway.context.db, rows[0]!.shown_id)).toBeNull();
  // A call whose refund was too much, and was corrected.
  const { request_id: call } = made.get("chat")!;
  const given = (await svc("refund", call, "--reason", "a wrong answer", "--amount", "0.00002", "--json")).json();
  const taken = ["account", "adjust", account.id, "-0.00001", "--reason", "half of it was right", "--entry", String(given.entry_id)];
  expect((await svc(...taken)).stderr).toBe("");
  // A job that was given up and that its provider finished: no customer paid for it (src/jobs/late-watch.ts).
  const late = await newJob(gateway, account, { model: "demo/video", kind: "video" });
  await gateway.context.db.pool.query(
    "insert into media_expense (job_id, account_id, route, amount) values ($1, $2, 'studio/tide/video', 321)",
    [late.id, account.accountId],
  );
});
afterAll(() => gateway.stop());

async function sumOf(sql: string): Promise<bigint> {
  const { rows } = await gateway.context.db.pool.query<{ sum: bigint }>(`select coalesce(sum(${sql}), 0)::bigint as sum from ledger_entry`);
  return rows[0]!.sum;
}

describe("the sums", () => {
  test.each(groups)(
    "by %s: revenue is what the ledger's charges less its refunds are, cost what every attempt and late work cost",
    async (by) => {
      const { rows, total } = await report("margin", by);
      expect(units(total.revenue)).toBe(await sumOf("case when kind in ('usage', 'refund', 'earned_adjustment') then -amount end"));
      const costs = [...made.values(), refunded].reduce((sum, { expense }) => sum + (expense ?? 0n), 321n);
      expect(units(total.cost)).toBe(costs);
      expect(total.requests).toBe(made.size + 1);
      for (const figure of ["requests", "revenue", "cost", "margin", "revenue_without_cost"] as const)
        expect(rows.reduce((sum, row) => sum + units(row[figure] as number), 0n)).toBe(units(total[figure]));
      expect(units(total.revenue_without_cost)).toBe(made.get("a route without a cost")!.cost);
      for (const row of [...rows, total])
        if (row.margin !== null) expect(units(row.margin)).toBe(units(row.revenue) - units(row.revenue_without_cost) - units(row.cost));
    },
  );

  test("each operation that costs a customer money is among the calls", () => {
    const paid = Object.values(operations).filter(({ errors }) => errors.includes("insufficient_credits"));
    const called = new Set(Object.values(asks).map(({ path }) => `/v1/${path}`));
    expect(paid.map(({ path }) => path).filter((path) => !called.has(path))).toEqual([]);
  });

  test("every kind of call that a route's cost can be known of has it in the log", () => {
    const unknown = [...made].filter(([, { expense }]) => expense === null).map(([kind]) => kind);
    expect(unknown).toEqual(["a route without a cost"]);
    const free = [...made].filter(([, { expense }]) => expense === 0n).map(([kind]) => kind);
    expect(free).toEqual(["every route down", "an image that fails"]);
  });
});

describe("a row", () => {
  const rowOf = async (by: string, name: string) => (await report("margin", by)).rows.find((row) => row[by] === name)!;

  test("of a model has its calls, those that failed too, and its late work", async () => {
    const call = made.get("sold below cost")!;
    expect(await rowOf("model", "demo/dear")).toEqual({
      ...{ model: "demo/dear", requests: 1, revenue: Number(call.cost) / 1e8, cost: Number(call.expense) / 1e8 },
      ...{ margin: Number(call.cost - call.expense!) / 1e8, revenue_without_cost: 0 },
    });
    expect(await rowOf("model", "demo/unreadable")).toMatchObject({ requests: 1, revenue: 0, cost: 0.001007, margin: -0.001007 });
    expect(await rowOf("model", "demo/video")).toMatchObject({ requests: 1, cost: 0.40000321 });
  });

  test("of a route has the attempts there; the call and its charge belong to the last one", async () => {
    const { attempts, cost } = made.get("an unreadable answer, then another route's")!;
    expect(await rowOf("route", "north/chat+sim-bad-json")).toMatchObject({ cost: 0.001014, requests: 1, revenue: 0 });
    expect((await rowOf("route", "south/chat")).revenue).toBeCloseTo(Number(cost + made.get("sold below cost")!.cost) / 1e8, 8);
    expect(attempts).toHaveLength(2);
    expect(await rowOf("provider", "ranker")).toMatchObject({ requests: 1, cost: 0.002 });
  });

  test("whose routes name no cost has neither a cost nor a margin: unknown is not 0", async () => {
    const revenue = Number(made.get("a route without a cost")!.cost) / 1e8;
    const unknown = { requests: 1, revenue, cost: null, margin: null, revenue_without_cost: revenue };
    expect(await rowOf("model", "demo/unknown")).toEqual({ model: "demo/unknown", ...unknown });
    const { rows } = await report("margin", "model");
    expect(rows.at(-1)!.model).toBe("demo/unknown");
    expect(await rowOf("route", "north/chat")).toMatchObject({ cost: expect.any(Number), revenue_without_cost: revenue });
    const lines = (await svc("report", "margin", "--by", "model")).stdout.split("\n");
    expect(lines.find((line) => line.startsWith("demo/unknown"))).toMatch(/ 1 +0\.\d+ +– +– +0\.\d+$/);
    const csv = (await svc("report", "margin", "--by", "model", "--csv")).stdout;
    expect(csv).toContain(`\ndemo/unknown,1,${revenue},,,${revenue}`);
  });

  test("a refund takes from the revenue of the call's model and route, and leaves its cost", async () => {
    const image = made.get("image")!;
    const figures = { revenue: Number(image.cost) / 1e8, cost: Number(image.expense! + refunded.expense!) / 1e8 };
    expect(await rowOf("model", "demo/image")).toMatchObject({ requests: 2, ...figures });
    expect(await rowOf("route", "studio/ember/flash-image")).toMatchObject({ requests: 2, ...figures });
  });

  test("a refund in part, and its correction, leave the rest of the charge", async () => {
    const [chat, ...others] = ["chat", "chat, streamed", "response", "completion"].map((kind) => made.get(kind)!.cost);
    expect(await rowOf("model", "demo/chat")).toMatchObject({
      requests: 4,
      revenue: Number(others.reduce((sum, cost) => sum + cost, chat! - 1_000n)) / 1e8,
    });
  });

  test("of an account and a key names them; an account that owes money appears without a call", async () => {
    const debtor = await gateway.createAccount();
    const { pool } = gateway.context.db;
    await pool.query(
      "insert into ledger_entry (account_id, created_at, id, kind, amount, ref) values ($1, now() - interval '2 months', gen_random_uuid(), 'usage', -130000000, 'test')",
      [debtor.accountId],
    );
    const { balance } = await gateway.balance(account);
    const { rows } = await report("margin", "account");
    expect(rows).toEqual([
      { account_id: debtor.id, email: debtor.email, balance: -1.3, requests: 0, revenue: 0, cost: 0, margin: 0, revenue_without_cost: 0 },
      {
        account_id: account.id,
        email: account.email,
        balance,
        requests: made.size + 1,
        revenue: expect.any(Number),
        cost: expect.any(Number),
        margin: expect.any(Number),
        revenue_without_cost: expect.any(Number),
      },
    ]);
    expect((await report("spend", "key")).rows).toEqual([
      expect.objectContaining({
        key_id: expect.stringMatching(/^key_\d+$/),
        account_id: account.id,
        key: expect.stringMatching(/^svc_.*…/),
        name: "Default",
      }),
    ]);
  });
});

describe("the command", () => {
  test("margin shows the worst first, spend the biggest", async () => {
    const rows = (await report("margin", "model")).rows.filter(({ margin }) => margin !== null);
    const margins = rows.map((row) => row.margin as number);
    expect(margins).toEqual(margins.toSorted((one, other) => one - other));
    const revenues = (await report("spend", "model")).rows.map((row) => row.revenue as number);
    expect(revenues).toEqual(revenues.toSorted((one, other) => other - one));
  });

  test("a month without a call has no rows, and its bounds", async () => {
    expect(await report("spend", "day", "--month", "2020-02")).toEqual({
      ...{ from: "2020-02-01T00:00:00.000Z", to: "2020-03-01T00:00:00.000Z", rows: [] },
      total: { requests: 0, revenue: 0, cost: 0, margin: 0, revenue_without_cost: 0 },
    });
    expect((await svc("report", "spend", "--by", "day", "--month", "2020-02")).stdout).toBe(
      "2020-02, in USD\nday    requests  revenue  cost  margin  revenue_without_cost\ntotal         0        0     0       0                     0\n",
    );
  });

  test("--csv prints one line a row; what a spreadsheet takes for a formula is words", async () => {
    const customer = await gateway.createAccount({ deposit: "1" });
    await gateway.context.db.pool.query(`update account set email = '=1+1,"x"@example.com' where id = $1`, [customer.accountId]);
    const { row } = await make(gateway, customer, asks["sold below cost"]);
    const { stdout } = await svc("report", "margin", "--by", "account", "--csv");
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toBe("account_id,email,balance,requests,revenue,cost,margin,revenue_without_cost");
    expect(lines).toHaveLength(4);
    expect(stdout).toContain(`\n${customer.id},"'=1+1,""x""@example.com",`);
    expect(stdout).toMatch(new RegExp(`,1,${Number(row.cost) / 1e8},${Number(row.expense) / 1e8},-0\\.\\d+,0\n`));
  });

  test("--csv of a month without a call is the line of names", async () => {
    const csv = async (by: string) => (await svc("report", "spend", "--by", by, "--month", "2020-02", "--csv")).stdout;
    expect(await csv("key")).toBe("key_id,account_id,key,name,requests,revenue,cost,margin,revenue_without_cost\n");
    expect(await csv("day")).toBe("day,requests,revenue,cost,margin,revenue_without_cost\n");
  });

  test.each([[["--by", "weather"]], [["--by", "day", "--month", "2026-13"]], [[]]])("%s is wrong usage", async (words) => {
    expect((await svc("report", "spend", ...words)).status).toBe(2);
  });
});
