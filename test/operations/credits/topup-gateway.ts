// A gateway whose payment provider is test/support/stripe-server.ts, and the helpers of the top-up tests.
import { type Gateway, startGateway, type TestAccount, type TestReply } from "../../support/gateway.ts";
import {
  type EventOptions,
  type SignedEvent,
  startStripe,
  stripeEnv,
  type StripeServer,
  type StripeSession,
} from "../../support/stripe-server.ts";

export interface TopupGateway extends Gateway {
  stripe: StripeServer;
  /** A verified account with a dashboard session. */
  signedIn(): Promise<SignedIn>;
  topUp(who: SignedIn, body?: Record<string, unknown>): Promise<TestReply>;
  /** A pending top-up of 20 USD and its checkout. */
  opened(): Promise<Opened>;
  send(event: SignedEvent): Promise<TestReply>;
  /** Makes an event and sends it. */
  tell(type: string, session: StripeSession, options?: EventOptions): Promise<TestReply>;
  read(opened: Pick<Opened, "who" | "id">): Promise<TestReply["json"]>;
}

export interface SignedIn extends TestAccount {
  token: string;
}

export interface Opened {
  who: SignedIn;
  /** `top_…` */
  id: string;
  session: StripeSession;
}

export const paid = { change: { payment_status: "paid" } };

export async function startTopupGateway(options: Parameters<typeof startGateway>[0] = {}): Promise<TopupGateway> {
  const stripe = await startStripe();
  const gateway = await startGateway({ ...options, env: { ...stripeEnv(stripe), ...options.env } });
  const { request } = gateway;
  const signedIn = async () => {
    const account = await gateway.createAccount();
    return { ...account, token: (await gateway.createSession(account)).token };
  };
  const topUp = (who: SignedIn, body: Record<string, unknown> = { amount_usd: 20 }) =>
    request("POST", "/v1/credits/topup", { key: who.token, body });
  const send = ({ body, signature }: SignedEvent) =>
    request("POST", "/v1/credits/webhooks/stripe", { body, headers: { "stripe-signature": signature } });
  return {
    ...gateway,
    stripe,
    signedIn,
    topUp,
    async opened() {
      const who = await signedIn();
      const { json } = await topUp(who);
      return { who, id: json.id as string, session: stripe.sessions.get(json.id as string)! };
    },
    send,
    tell: (type, session, eventOptions) => send(stripe.event(type, session, eventOptions)),
    read: async ({ who, id }) => (await request("GET", `/v1/credits/topup/${id}`, { key: who.key })).json,
    async stop() {
      await gateway.stop();
      await stripe.close();
    },
  };
}

/** Sends an event again while the database of a busy machine has it answered 503, as the provider does. */
export async function untilTaken(send: () => Promise<TestReply>): Promise<TestReply> {
  for (;;) {
    const reply = await send();
    if (reply.status !== 503) return reply;
  }
}
