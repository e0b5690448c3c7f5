// GET /v1/credits/balance beside the database: what is added up, when the balance is low, and what a failed read answers.
import { describe, expect, test } from "vitest";
import { getCreditBalance } from "../../handlers/get-credit-balance.ts";
import type { Context } from "../../src/context.ts";
import type { Balance } from "../../src/ledger/balance.ts";
import { type Amount, parseUsd } from "../../src/money.ts";
import type { Ask } from "../../src/calls/ask.ts";
import type { Request } from "../../src/operation.ts";
import { catalogFrom } from "./catalog-from.ts";
import { smallCatalog } from "./small-catalog.ts";

const catalog = catalogFrom(smallCatalog);
const usd = (text: string) => parseUsd(text) as Amount;

/** The reply when the database holds `row`, none, or fails. */
async function replyFor(row: Partial<Balance> | undefined | Error) {
  const logged: unknown[] = [];
  const query = async () => {
    if (row instanceof Error) throw row;
    return { rows: row === undefined ? [] : [{ available: 0n, reserved: 0n, purchased: 0n, earned: 0n, spent: 0n, ...row }] };
  };
  const context = {
    catalog,
    db: { pool: { query } },
    log: { error: (entry: unknown) => logged.push(entry) },
    publicUrl: "http://gateway.test",
  };
  const request = { caller: { accountId: 1n }, requestId: "req_1" };
  const reply = await getCreditBalance(context as unknown as Context, request as Request<"getCreditBalance">, {} as Ask);
  if (!("body" in reply) || reply.status !== 200 || reply.body === undefined) throw new Error("no body");
  return { body: reply.body, headers: reply.headers, logged };
}

describe("getCreditBalance 200", () => {
  test("what calls in flight reserved is still in the balance", async () => {
    const { body } = await replyFor({
      available: usd("9.5"),
      reserved: usd("0.5"),
      purchased: usd("20"),
      earned: usd("0.5"),
      spent: usd("10.5"),
    });
    expect(body).toEqual({
      balance: 10,
      lifetime_purchased: 20,
      lifetime_earned: 0.5,
      lifetime_spent: 10.5,
      read_ok: true,
      tier: 1,
      tier_name: catalog.tiers[1]!.name,
      tier_rpm: 120,
      low_balance: false,
      nudge: null,
    });
  });

  test("under 0.05 USD it is low, and a nudge says what to do; at 0.05 USD it is not", async () => {
    const low = await replyFor({ available: usd("0.04999999") });
    expect(low.body.low_balance).toBe(true);
    expect(low.body.nudge).toMatchObject({
      message: expect.stringContaining("0.05 USD"),
      action: expect.stringMatching(/^http:\/\/gateway\.test\//),
    });
    const enough = await replyFor({ available: usd("0.05") });
    expect(enough.body).toMatchObject({ low_balance: false, nudge: null });
  });

  test("credit that was given raises no tier", async () => {
    expect((await replyFor({ available: usd("5000"), earned: usd("5000") })).body.tier).toBe(0);
  });

  test("an account without a row has nothing, and that is a good read", async () => {
    expect((await replyFor(undefined)).body).toMatchObject({ balance: 0, read_ok: true, low_balance: true });
  });

  test("a failed read is zeros with read_ok false, is not to be kept, and is logged", async () => {
    const { body, headers, logged } = await replyFor(new Error("connection refused"));
    expect(body).toMatchObject({
      balance: 0,
      lifetime_purchased: 0,
      lifetime_earned: 0,
      lifetime_spent: 0,
      read_ok: false,
      low_balance: false,
      nudge: null,
    });
    expect(headers?.["cache-control"]).toBe("no-store");
    expect(logged).toHaveLength(1);
  });
});
