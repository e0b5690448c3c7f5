// What causes a notice outside of the sweeps: payments that fail or are disputed, and sign-ins from a new place.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Opened, paid, startTopupGateway, type TopupGateway } from "../operations/credits/topup-gateway.ts";
import { type SignInGateway, password, startSignInGateway } from "../support/sign-in.ts";

const noticesOf = async ({ context: { db } }: TopupGateway | SignInGateway, accountId: bigint) =>
  (
    await db.pool.query<{ event: string; data: any }>("select event, data from notice where account_id = $1 order by created_at", [
      accountId,
    ])
  ).rows;

describe("payments", () => {
  let gateway: TopupGateway;
  beforeAll(async () => void (gateway = await startTopupGateway({ notices: { everyMs: 50 } })));
  afterAll(() => gateway.stop());
  const dispute = ({ session }: Opened, step: string, status = "needs_response") =>
    gateway.send(
      gateway.stripe.eventOf(`charge.dispute.${step}`, {
        ...{ object: "dispute", id: `dp_${session.payment_intent}`, charge: `ch_${session.payment_intent}` },
        ...{ payment_intent: session.payment_intent, metadata: {}, currency: "usd", amount: 500, status },
      }),
    );

  test("payment.failed: one mail, however often the event comes; none where the checkout expired", async () => {
    const [failed, expired] = [await gateway.opened(), await gateway.opened()];
    const event = gateway.stripe.event("checkout.session.async_payment_failed", failed.session);
    await Promise.all(Array.from({ length: 20 }, () => gateway.send(event)));
    await gateway.tell("checkout.session.async_payment_failed", failed.session);
    await gateway.tell("checkout.session.expired", expired.session);
    expect(await noticesOf(gateway, failed.who.accountId)).toEqual([
      { event: "payment.failed", data: { topup_id: failed.id, amount_usd: 20 } },
    ]);
    expect(await noticesOf(gateway, expired.who.accountId)).toEqual([]);
    const mails = () => gateway.mails.filter(({ to }) => to === failed.who.email);
    await expect.poll(() => mails().length).toBe(1);
    expect(mails()[0]).toMatchObject({ subject: "A payment failed", text: expect.stringContaining(failed.id) });
  });

  test("payment.disputed: one notice of all events of a dispute; none of an inquiry", async () => {
    const [disputed, asked] = [await gateway.opened(), await gateway.opened()];
    for (const { session } of [disputed, asked]) await gateway.tell("checkout.session.completed", session, paid);
    for (const step of ["created", "funds_withdrawn", "funds_reinstated", "closed"]) await dispute(disputed, step);
    await dispute(asked, "created", "warning_needs_response");
    expect(await noticesOf(gateway, disputed.who.accountId)).toEqual([
      { event: "payment.disputed", data: { topup_id: disputed.id, amount_usd: 20, disputed_usd: 5 } },
    ]);
    expect(await noticesOf(gateway, asked.who.accountId)).toEqual([]);
  });
});

describe("sign_in.new_place", () => {
  let gateway: SignInGateway;
  beforeAll(async () => void (gateway = await startSignInGateway()));
  afterAll(() => gateway.stop());
  const from = (email: string, client: string) => gateway.post("/v1/auth/signin", { email, password }, client);

  test("a network that the account was not used from, where another is known; once a day for each", async () => {
    const { email, id } = await gateway.verifiedPerson(); // from a network of its own
    await Promise.all(Array.from({ length: 5 }, () => from(email, "203.0.113.9")));
    await from(email, "203.0.113.9");
    const [notice, ...more] = await noticesOf(gateway, id);
    expect([notice, more]).toMatchObject([{ event: "sign_in.new_place", data: { network: expect.stringContaining("203.0.113.9") } }, []]);
    await from(email, "198.51.100.1");
    expect(await noticesOf(gateway, id)).toHaveLength(2);
  });

  test("not the first place, not after 30 days without any, and not when the password is wrong", async () => {
    const { email, id } = await gateway.verifiedPerson();
    expect(await noticesOf(gateway, id)).toEqual([]);
    await gateway.post("/v1/auth/signin", { email, password: "wrong password" }, "203.0.113.77");
    gateway.pass(31 * 24 * 60 * 60 * 1000);
    expect((await from(email, "203.0.113.78")).status).toBe(200);
    expect(await noticesOf(gateway, id)).toEqual([]);
  });
});
