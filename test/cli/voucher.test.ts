// `svc voucher create`, `list` and `end`, beside a running gateway.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { smallCatalog } from "../catalog/small-catalog.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { callSvc } from "./run-svc.ts";

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway({ catalog: smallCatalog })));
afterAll(() => gateway.stop());

const svc = (...words: string[]) => callSvc({ DATABASE_URL: gateway.databaseUrl }, words);
async function redeem(code: string) {
  const account = await gateway.createAccount();
  const { token } = await gateway.createSession(account);
  return gateway.request("POST", "/v1/credits/vouchers/redeem", { key: token, body: { code } });
}

const contract = async () => (await (await fetch(`${gateway.url}/openapi.json`)).json()) as any;

describe("svc voucher", () => {
  test("create prints codes that can be redeemed, once; list counts them; end lets no more be redeemed", async () => {
    const made = (await svc("voucher", "create", "--amount", "2.5", "--count", "3", "--credit-days", "30", "--json")).json() as any;
    expect(made.codes).toHaveLength(3);
    const { status, json } = await redeem(made.codes[0]);
    expect([status, json.amount_usd, typeof json.expires_at]).toEqual([200, 2.5, "string"]);
    const listed = (await svc("voucher", "list", "--json")).json() as any;
    expect(listed.batches[0]).toMatchObject({ batch: made.batch, amount: 2.5, count: 3, redeemed: 1, credit_days: 30, ended_at: null });
    expect((await svc("voucher", "list")).stdout).toContain(`batch ${made.batch}: 1 of 3 redeemed, 2.5 USD each`);
    expect((await svc("voucher", "end", String(made.batch))).status).toBe(0);
    expect((await redeem(made.codes[1])).json.error.code).toBe("voucher_not_redeemable");
    expect(await svc("voucher", "end", String(made.batch))).toMatchObject({ status: 1 });
    const { rows } = await gateway.context.db.pool.query("select action, target from operator_action order by id");
    expect(rows).toEqual(["voucher.create", "voucher.end"].map((action) => ({ action, target: `batch ${made.batch}` })));
  });

  test("end with a voucher's id ends this one alone, with the reason in the log; 1 for one that was redeemed, has ended or is unknown", async () => {
    const { batch, codes } = (
      await svc("voucher", "create", "--amount", "1", "--count", "2", "--reason", "a fair", "--json")
    ).json() as any;
    expect((await redeem(codes[0])).status).toBe(200);
    const { rows } = await gateway.context.db.pool.query<{ id: string; used: boolean }>(
      "select 'vou_' || replace(id::text, '-', '') as id, redeemed_at is not null as used from voucher where batch_id = $1 order by 2",
      [batch],
    );
    const [open, used] = rows.map(({ id }) => id) as [string, string];
    expect((await svc("voucher", "end", open, "--reason", "lost")).status).toBe(0);
    expect((await redeem(codes[1])).json.error.code).toBe("voucher_not_redeemable");
    for (const id of [open, used, `vou_${"0".repeat(32)}`]) expect(await svc("voucher", "end", id)).toMatchObject({ status: 1 });
    const log = await gateway.context.db.pool.query("select target, reason from operator_action where target in ($1, $2) order by id", [
      `batch ${batch}`,
      open,
    ]);
    expect(log.rows).toEqual([
      { target: `batch ${batch}`, reason: "a fair" },
      { target: open, reason: "lost" },
    ]);
  });

  test("create makes as many at once as the API does, and not one more", async () => {
    const { minimum, maximum } = (await contract()).components.schemas.NewVouchers.properties.count;
    const made = (await svc("voucher", "create", "--amount", "0.01", "--count", String(maximum), "--json")).json() as any;
    expect(made.codes).toHaveLength(maximum);
    const more = await svc("voucher", "create", "--amount", "0.01", "--count", String(maximum + 1));
    expect(more).toMatchObject({ status: 2, stdout: "" });
    expect(more.stderr).toContain(`--count must be a whole number from ${minimum} to ${maximum}, not "${maximum + 1}"`);
  });

  test.each([
    ["an amount of 0", ["--amount", "0"]],
    ["too many", ["--amount", "1", "--count", "10001"]],
    ["a time that is over", ["--amount", "1", "--expires", "2020-01-01"]],
    ["no time", ["--amount", "1", "--expires", "soon"]],
    ["no days", ["--amount", "1", "--credit-days", "0"]],
    ["an empty reason", ["--amount", "1", "--reason", " "]],
  ])("create refuses %s with 2", async (_what, words) => {
    expect((await svc("voucher", "create", ...words)).status).toBe(2);
  });
});
