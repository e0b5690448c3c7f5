// A decisions model, questions for it, and gateways that serve it by one set of routes each.
import { expect } from "vitest";
import { type Gateway, startGateway, type TestAccount, type TestReply } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";
import { language, provider } from "../chat/chat-gateway.ts";

/** `routes` as language() takes them. */
export function decisions(routes: (string | object)[], more: object = {}): object {
  const { max_output_tokens: _, ...model } = language("jev", routes) as Record<string, unknown>;
  return { ...model, type: "decisions", context_window: 65_536, pricing: { mode: "per-token", input: 0.3, output: 7 }, ...more };
}

export const parcel = {
  state: "The parcel was returned twice and the customer wants a refund of the money.",
  questions: {
    next_step: {
      type: "choice",
      instructions: "What should support do?",
      criteria: { refund: "Give the money back.", resend: "Send the parcel again.", ask: null },
    },
  },
};

export const questionsOf = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`q${n}`, { type: "choice", instructions: `Number ${n}?`, criteria: { yes: null, no: null } }]),
  );

/** A gateway of its own for each set of routes: there is one decisions model in a catalog. */
export async function withRoutes(routes: (string | object)[], work: (world: World) => Promise<void>, more: object = {}): Promise<void> {
  const providers = [...["north", "south", "west"].map((id) => provider(id)), ...((more as { providers?: object[] }).providers ?? [])];
  const catalog = JSON.stringify({ tiers: highTiers(), models: [decisions(routes)], ...more, providers });
  const gateway = await startGateway({ catalog });
  try {
    await work(worldOf(gateway));
    await expect.poll(async () => (await gateway.audit()).reservations_open).toBe(0);
    expect(await gateway.audit()).toMatchObject({ mismatches: [], reservations_open: 0, holds_open: 0 });
  } finally {
    await gateway.stop();
  }
}

export interface World {
  gateway: Gateway;
  account(deposit?: string): Promise<TestAccount>;
  decide(account: TestAccount, body?: object, path?: string): Promise<TestReply>;
  sent(): any[];
  logOf(reply: TestReply): Promise<any>;
}

function worldOf(gateway: Gateway): World {
  return {
    gateway,
    account: (deposit = "20") => gateway.createAccount({ deposit }),
    decide: (account, body = {}, path = "/v1/decisions") =>
      gateway.request("POST", path, { key: account.key, body: { ...parcel, ...body } }),
    sent: () => gateway.simulator.calls().map(({ json }) => json as any),
    async logOf(reply) {
      const { rows } = await gateway.context.db.pool.query("select * from usage_log where request_id = $1", [
        reply.headers["x-request-id"],
      ]);
      return rows[0];
    },
  };
}
