// The adapter alone, against the small Stripe server: what it says of a failure, and for how long it waits.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectStripe } from "../../src/payments/stripe.ts";
import { parseTopupId, topupIdText } from "../../src/ids.ts";
import { secretKey, startStripe, type StripeServer, webhookSecret } from "../support/stripe-server.ts";

let stripe: StripeServer;
beforeAll(async () => void (stripe = await startStripe()));
afterAll(() => stripe.close());

const order = () => ({
  topupId: randomUUID(),
  amount: 2_000_000_000n,
  returnUrl: "https://app.example.com/back",
  expiresAt: new Date(Date.now() + 3_600_000),
});
const connect = (key = secretKey, apiBase = stripe.url) => connectStripe({ secretKey: key, webhookSecret, apiBase, automaticTax: false });

describe("a failure", () => {
  test("our key is refused: the message says so and does not hold the key", async () => {
    const failure = await connect("sk_test_wrong_and_secret").openCheckout(order()).catch(String);
    expect(failure).toMatch(/StripeAuthenticationError 401 api_key_invalid/);
    expect(failure).not.toContain("sk_test_wrong_and_secret");
  });

  test("nobody listens: it says what could not be reached, after bounded attempts", async () => {
    const failure = await connect(secretKey, "http://127.0.0.1:1").openCheckout(order()).catch(String);
    expect(failure).toMatch(/StripeConnectionError/);
  });

  test("the same order twice is one checkout", async () => {
    const same = order();
    const [first, second] = [await connect().openCheckout(same), await connect().openCheckout(same)];
    expect(second).toEqual(first);
  });
});

test("a top-up's id survives being shown; nothing else is one", () => {
  const uuid = randomUUID();
  expect(parseTopupId(topupIdText(uuid))).toBe(uuid);
  for (const wrong of ["", "top_", uuid, `top_${uuid}`, topupIdText(uuid).toUpperCase(), `${topupIdText(uuid)}\n`])
    expect(parseTopupId(wrong)).toBeUndefined();
});
