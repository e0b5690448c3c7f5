// Credit that expires, from end to end: an operator's voucher, its redemption, and the gateway's own timer that takes back what is left.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { eventually } from "../../support/eventually.ts";
import { newOperator } from "../../support/operators.ts";
import { type Person, startTeamGateway, type TeamGateway } from "../team/team-gateway.ts";

const [minuteMs, dayMs] = [60_000, 86_400_000];
let now = Date.parse("2026-11-26T12:00:00Z");
let gateway: TeamGateway;
/** What the gateway does every minute. Instead of waiting for one, tests run it. */
let everyMinute: (() => void)[];
beforeAll(async () => {
  const timers = vi.spyOn(globalThis, "setInterval");
  gateway = await startTeamGateway({ catalog: smallCatalog, clock: () => new Date(now) });
  everyMinute = timers.mock.calls.filter(([, ms]) => ms === minuteMs).map(([work]) => work as () => void);
  timers.mockRestore();
});
afterAll(async () => {
  expect((await gateway.audit()).mismatches).toEqual([]);
  await gateway.stop();
});

async function redeem(who: Person, amount: number, creditDays: number | null): Promise<{ entry: string; expires_at: string | null }> {
  const { key } = await newOperator(gateway, "finance");
  const terms = { amount_usd: amount, reason: "a test", ...(creditDays === null ? {} : { credit_days: creditDays }) };
  const made = await gateway.request("POST", "/v1/operator/vouchers", { key, body: terms });
  const { code } = made.json.vouchers[0];
  const { status, json } = await gateway.ask(who, "POST", "/v1/credits/vouchers/redeem", { body: { code } });
  expect([status, json.error]).toEqual([200, undefined]);
  return json;
}
const pass = (ms: number) => {
  now += ms;
  for (const work of everyMinute) work();
};

test("what is left of a voucher's credit goes when its days are over: the balance, the ledger and the grants show it, once", async () => {
  const [person, other] = [await gateway.person(), await gateway.person()];
  const read = async (path: string, who = person) => (await gateway.ask(who, "GET", `/v1/credits/${path}`)).json;
  const stays = await redeem(person, 3, null);
  const goes = await redeem(person, 5, 1);
  await redeem(other, 5, 2);
  const expiresAt = new Date(now + dayMs).toISOString();
  expect([stays.expires_at, goes.expires_at]).toEqual([null, expiresAt]);
  expect(await read("balance")).toMatchObject({ balance: 8, lifetime_earned: 8 });
  expect((await read("grants")).data).toMatchObject([{ id: goes.entry, remaining_usd: 5, expires_at: expiresAt, ended_at: null }]);

  pass(dayMs);
  await eventually(async () => expect((await read("balance")).balance).toBe(3));
  const entries = (await read("ledger")).data;
  const taken = { type: "adjustment", corrects: goes.entry, reason: "The credit expired.", created_at: new Date(now).toISOString() };
  expect(entries).toMatchObject([
    { amount_usd: -5, balance_after: 3, ...taken },
    { id: goes.entry, type: "gift", amount_usd: 5 },
    { id: stays.entry },
  ]);
  expect((await read("grants")).data).toMatchObject([{ id: goes.entry, remaining_usd: 0, ended_at: new Date(now).toISOString() }]);
  expect((await read("balance", other)).balance).toBe(5);

  pass(dayMs);
  await eventually(async () => expect((await read("balance", other)).balance).toBe(0));
  expect((await read("ledger")).data).toEqual(entries);
});
