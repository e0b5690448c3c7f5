// POST /v1/credits/vouchers/redeem over HTTP: each code once, however many people send it; what is refused moves no money.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inTransaction } from "../../../src/db/connect.ts";
import { createVouchers, endBatch } from "../../../src/payments/vouchers.ts";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { untilWaiting } from "../../support/locks.ts";
import { codeOf, type Person, startTeamGateway, type TeamGateway } from "../team/team-gateway.ts";

let now = Date.parse("2026-11-26T12:00:00Z");
let gateway: TeamGateway;
beforeAll(async () => {
  gateway = await startTeamGateway({ catalog: smallCatalog, clock: () => new Date(now), env: { SVC_TRUSTED_PROXIES: "1" } });
});
afterAll(async () => {
  expect((await gateway.audit()).mismatches).toEqual([]);
  await gateway.stop();
});

type Options = Partial<Omit<Parameters<typeof createVouchers>[1], "by" | "at">>;
const make = (options: Options = {}) =>
  inTransaction(gateway.context.db, (transaction) =>
    createVouchers(transaction, {
      ...{
        amount: 1_000_000_000n,
        count: 1,
        expiresAt: null,
        creditDays: null,
        oncePerAccount: false,
        by: "test",
        at: new Date(now),
        effect: null,
      },
      ...options,
    }),
  );
let clients = 0;
const redeem = (
  who: Person,
  code: string,
  { workspace, address = `10.1.${clients >> 8}.${clients++ & 255}` }: { workspace?: string; address?: string } = {},
) =>
  gateway.request("POST", "/v1/credits/vouchers/redeem", {
    key: who.session,
    headers: { "x-forwarded-for": address, ...(workspace === undefined ? {} : { "x-workspace-id": workspace }) },
    body: { code },
  });
const balanceOf = async ({ accountId }: { accountId: bigint }) => (await gateway.balance({ accountId } as Person)).balance;
const notRedeemable = [409, "voucher_not_redeemable"];

describe("POST /v1/credits/vouchers/redeem", () => {
  test("adds the credit as a gift that is earned, not purchased; a second time gives 409 and adds nothing", async () => {
    const person = await gateway.person();
    const { codes } = await make();
    const { status, json } = await redeem(person, codes[0]!);
    expect([status, json]).toEqual([
      200,
      { object: "voucher.redemption", entry: "led_1", amount_usd: 10, balance_usd: 10, expires_at: null },
    ]);
    expect(codeOf(await redeem(person, codes[0]!))).toEqual(notRedeemable);
    expect(codeOf(await redeem(await gateway.person(), codes[0]!))).toEqual(notRedeemable);
    const { json: balance } = await gateway.ask(person, "GET", "/v1/credits/balance");
    expect(balance).toMatchObject({ balance: 10, lifetime_earned: 10, lifetime_purchased: 0 });
    expect((await gateway.ask(person, "GET", "/v1/credits/ledger")).json.data).toMatchObject([{ type: "gift", amount_usd: 10 }]);
  });

  test("403 permission_denied: an account that is suspended while it redeems gets nothing, as one that is suspended already, and the voucher stays open", async () => {
    const { db } = gateway.context;
    const [person, other] = [await gateway.person(), await gateway.person()];
    const { codes } = await make();
    const { reply } = await inTransaction(db, async ({ pool }) => {
      await pool.query("update account set suspended_at = now() where id = $1", [person.accountId]);
      const reply = redeem(person, codes[0]!);
      await untilWaiting(db, "from account where id");
      return { reply };
    });
    const refused = await reply;
    expect(codeOf(refused)).toEqual([403, "permission_denied"]);
    expect((await redeem(person, codes[0]!)).json.error.message).toBe(refused.json.error.message);
    expect(await balanceOf(person)).toBe(0);
    expect((await redeem(other, codes[0]!)).status).toBe(200);
  });

  test("of many at once, of one account and of several, exactly one gets it", async () => {
    const people = await Promise.all([gateway.person(), gateway.person(), gateway.person()]);
    const { codes } = await make();
    const replies = await Promise.all(Array.from({ length: 12 }, (_, n) => redeem(people[n % 3]!, codes[0]!)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter((reply) => reply.status !== 200).map(codeOf)).toEqual(Array.from({ length: 11 }, () => notRedeemable));
    const balances = await Promise.all(people.map(balanceOf));
    expect(balances.reduce((sum, one) => sum + one)).toBe(10);
  });

  test("409 once an account, where said: of two vouchers of a batch that one account sends at once it gets one; another account gets the other", async () => {
    const [person, other] = [await gateway.person(), await gateway.person()];
    const { codes } = await make({ count: 4, oncePerAccount: true });
    const replies = await Promise.all(codes.slice(0, 3).map((code) => redeem(person, code)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(await balanceOf(person)).toBe(10);
    expect((await redeem(other, codes[3]!)).status).toBe(200);
  });

  test("409 after its time, and after the operator has ended its batch", async () => {
    const person = await gateway.person();
    const late = await make({ expiresAt: new Date(now + 1000) });
    const ended = await make();
    await endBatch(gateway.context.db, ended.batch, new Date(now));
    now += 1000;
    const replies = [await redeem(person, late.codes[0]!), await redeem(person, ended.codes[0]!)];
    expect(replies.map(codeOf)).toEqual([notRedeemable, notRedeemable]);
    expect(replies.map(({ json }) => json.error.message)).toEqual([
      "The voucher can't be redeemed: it has expired.",
      "The voucher can't be redeemed: it is no longer valid.",
    ]);
    expect(await balanceOf(person)).toBe(0);
  });

  test("a code may be typed in small letters, with other gaps, and with letters for digits; only its digest is stored", async () => {
    const { codes, batch } = await make({ count: 3 });
    for (const code of codes) {
      expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
      const typed = ` ${code.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l")}`;
      expect((await redeem(await gateway.person(), typed)).status).toBe(200);
    }
    const { rows } = await gateway.context.db.pool.query("select v::text as row from voucher v where batch_id = $1", [batch]);
    for (const { row } of rows as { row: string }[]) for (const code of codes) expect(row).not.toContain(code.slice(0, 9));
  });

  test("404 voucher_not_found for a code that does not exist", async () => {
    const person = await gateway.person();
    for (const code of ["0000-0000-0000-0000", "x", "日本"]) expect(codeOf(await redeem(person, code))).toEqual([404, "voucher_not_found"]);
  });

  test("400 invalid_parameter for a code that is no text; nothing is added", async () => {
    const person = await gateway.person();
    const reply = await redeem(person, 7 as unknown as string);
    expect([...codeOf(reply), reply.json.error.param]).toEqual([400, "invalid_parameter", "code"]);
    expect(await balanceOf(person)).toBe(0);
  });

  test("429 after ten attempts a minute of an account, and after twenty of a network, right codes too", async () => {
    const person = await gateway.person();
    const { codes } = await make();
    for (let n = 0; n < 10; n += 1) expect((await redeem(person, "wrong")).status).toBe(404);
    expect(codeOf(await redeem(person, codes[0]!))).toEqual([429, "rate_limit_exceeded"]);
    const address = "198.51.100.77";
    const people = await Promise.all(Array.from({ length: 4 }, () => gateway.person()));
    for (let n = 0; n < 20; n += 1) expect((await redeem(people[n % 3]!, "wrong", { address })).status).toBe(404);
    expect(codeOf(await redeem(people[3]!, codes[0]!, { address }))).toEqual([429, "rate_limit_exceeded"]);
    expect((await redeem(people[3]!, codes[0]!)).status).toBe(200);
  });

  test("403 permission_denied for developers and viewers; billing adds it to the workspace; 403 session_required with a key", async () => {
    const { workspace, accountId, owner, billing, developer, viewer } = await gateway.team();
    const { codes } = await make();
    for (const who of [developer, viewer]) expect(codeOf(await redeem(who, codes[0]!, { workspace }))).toEqual([403, "permission_denied"]);
    const withKey = await gateway.request("POST", "/v1/credits/vouchers/redeem", { key: owner.key, body: { code: codes[0]! } });
    expect(codeOf(withKey)).toEqual([403, "session_required"]);
    expect((await redeem(billing, codes[0]!, { workspace })).status).toBe(200);
    expect([await balanceOf({ accountId }), await balanceOf(billing)]).toEqual([10, 0]);
  });
});
