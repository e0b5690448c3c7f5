// Events that are signed and can't be applied: what they say contradicts what is known, they can't be read, or another session holds what they move.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inTransaction } from "../../../src/db/connect.ts";
import { listUnapplied } from "../../../src/payments/event-rows.ts";
import { untilWaiting } from "../../support/locks.ts";
import { type Opened, paid, startTopupGateway, type TopupGateway } from "./topup-gateway.ts";

let gateway: TopupGateway;
beforeAll(async () => void (gateway = await startTopupGateway({ env: { SVC_SUSPEND_ON_DISPUTE: "1" } })));
afterAll(async () => {
  expect((await gateway.audit()).mismatches).toEqual([]);
  await gateway.stop();
});

const completed = "checkout.session.completed";
const unapplied = async (event: { id: string }) => (await listUnapplied(gateway.context.db, 100)).find(({ id }) => id === event.id);
const statusOf = async ({ who }: Opened) => (await gateway.request("GET", "/v1/credits/balance", { key: who.key })).status;

/** Kind and amount of an account's entries, oldest first. */
async function entriesOf({ who }: Opened): Promise<[string, number][]> {
  const sql = "select kind, amount from ledger_entry where account_id = $1 order by seq";
  const { rows } = await gateway.context.db.pool.query<{ kind: string; amount: bigint }>(sql, [who.accountId]);
  return rows.map(({ kind, amount }) => [kind, Number(amount) / 1e8]);
}

async function credited(): Promise<Opened> {
  const opened = await gateway.opened();
  expect((await gateway.tell(completed, opened.session, paid)).status).toBe(200);
  return opened;
}

const refundEvent = ({ session: { payment_intent, metadata } }: Opened) =>
  gateway.stripe.eventOf("charge.refunded", {
    ...{ object: "charge", id: `ch_${payment_intent}`, payment_intent, metadata, currency: "usd", amount: 2_000, amount_refunded: 2_000 },
  });

describe("409 payment_event_not_applied: it moves nothing and stands in the operator's list", () => {
  test.each<[string, string, Record<string, unknown>]>([
    ["a dispute of more money than there is", "charge.dispute.funds_withdrawn", { amount: 9_000_000_000_000_000 }],
    ["a refund of more money than there is", "charge.refunded", { amount: 1, amount_refunded: 9_000_000_000_000_000 }],
    ["a payment that belongs to another top-up", completed, { payment_status: "paid", amount_total: 2_000 }],
  ])("%s: it contradicts what is known", async (_title, type, fields) => {
    const [opened, other] = [await credited(), await gateway.opened()];
    const { metadata } = type === completed ? other.session : opened.session;
    const object = { id: `x_${randomUUID()}`, payment_intent: opened.session.payment_intent, metadata, currency: "usd", ...fields };
    const event = gateway.stripe.eventOf(type, object);
    const { status, json } = await gateway.send(event);
    expect([status, json.error.code]).toEqual([409, "payment_event_not_applied"]);
    expect(await unapplied(event)).toMatchObject({ type, reason: "it contradicts what is known here" });
    expect([await entriesOf(opened), await entriesOf(other)]).toEqual([[["deposit", 20]], []]);
  });

  test.each<[string, unknown]>([
    ["no object", undefined],
    ["an object that is null", null],
    ["an object without an id", { currency: "usd", amount: 500 }],
    ["a mark that is a number", { id: "ch_1", metadata: { topup_id: 5 } }],
  ])("an event that is signed and has %s, and the next one is no less welcome", async (_title, object) => {
    const event = gateway.stripe.eventOf("charge.refunded", object as Record<string, unknown>);
    for (let n = 0; n < 70; n += 1) expect((await gateway.send(event)).status).toBe(409); // wrong signatures may be 60
    expect(await unapplied(event)).toMatchObject({ times: 70, reason: "it has not the shape that this gateway reads" });
  });
});

test("503 overloaded: another session holds the balance; the repeat is applied", async () => {
  const opened = await credited();
  const event = refundEvent(opened);
  const held = await inTransaction(gateway.context.db, async ({ pool }) => {
    await pool.query("set local idle_in_transaction_session_timeout = 0");
    await pool.query("select 1 from balance where account_id = $1 for no key update", [opened.who.accountId]);
    return gateway.send(event);
  });
  expect([held.status, held.json.error.code]).toEqual([503, "overloaded"]);
  expect((await gateway.send(event)).status).toBe(200);
  expect(await entriesOf(opened)).toEqual([["deposit", 20], ["payment_refund", -20]]); // prettier-ignore
});

const withdrawal = ({ session: { payment_intent } }: Opened) =>
  gateway.stripe.eventOf("charge.dispute.funds_withdrawn", {
    ...{ object: "dispute", id: `dp_${payment_intent}`, charge: `ch_${payment_intent}`, payment_intent, metadata: {}, currency: "usd" },
    ...{ amount: 2_000, status: "needs_response" },
  });

test("a suspension waits for the account's row before it holds the balance, as redeeming a voucher does: neither waits for the other", async () => {
  const opened = await credited();
  const { db } = gateway.context;
  const id = [opened.who.accountId];
  const { disputing } = await inTransaction(db, async ({ pool }) => {
    await pool.query("set local idle_in_transaction_session_timeout = 0");
    await pool.query("select 1 from account where id = $1 for no key update", id);
    const disputing = gateway.send(withdrawal(opened));
    await untilWaiting(db, "update account set suspended_at");
    await db.pool.query("select 1 from balance where account_id = $1 for no key update nowait", id);
    return { disputing };
  });
  expect((await disputing).status).toBe(200);
  expect(await entriesOf(opened)).toEqual([["deposit", 20], ["dispute", -20]]); // prettier-ignore
  await expect.poll(() => statusOf(opened)).toBe(403);
});
