// Workspaces with a saved card, and what the tests of automatic top-ups do with them.
import { expect } from "vitest";
import type { Db } from "../../../src/db/connect.ts";
import { topUpLowBalances } from "../../../src/payments/auto-charge.ts";
import type { TestReply } from "../../support/gateway.ts";
import type { SignedIn, TopupGateway } from "./topup-gateway.ts";

export const path = "/v1/credits/auto-topup";
export const on = { enabled: true, threshold_usd: 5, amount_usd: 20, monthly_cap_usd: 100, consent_version: "2026-11-26" };

export const get = async (gateway: TopupGateway, who: SignedIn) => (await gateway.request("GET", path, { key: who.token })).json;

export const change = (gateway: TopupGateway, who: SignedIn, body: Record<string, unknown>): Promise<TestReply> =>
  gateway.request("PATCH", path, { key: who.token, body });

/** Opens the page and completes it, as the provider reports it. */
export async function saveCard(gateway: TopupGateway, who: SignedIn): Promise<void> {
  const opened = await gateway.request("POST", `${path}/card`, { key: who.token, body: {} });
  expect(opened.status).toBe(200);
  const page = [...gateway.stripe.cards.pages.values()].find(({ url }) => url === opened.json.url)!;
  const { status } = await gateway.send(gateway.stripe.eventOf("checkout.session.completed", { object: "checkout.session", ...page }));
  expect(status).toBe(200);
}

/** Nothing was spent, so that the balance is 0, and automatic top-ups are on. */
export async function ready(gateway: TopupGateway, settings: Record<string, unknown> = {}): Promise<SignedIn> {
  const who = await gateway.signedIn();
  await saveCard(gateway, who);
  expect((await change(gateway, who, { ...on, ...settings })).status).toBe(200);
  return who;
}

export function look({ context }: Pick<TopupGateway, "context">): Promise<void> {
  const onFault = (error: unknown) => {
    throw error;
  };
  return topUpLowBalances({ ...context, onFault });
}

export const topupsOf = async (db: Db, { accountId }: SignedIn) =>
  (
    await db.pool.query<{ id: string; status: string }>(
      "select id, status from topup where account_id = $1 and automatic order by created_at, id",
      [accountId],
    )
  ).rows;

/** As if the pause were over. */
export const endPause = ({ context: { db } }: TopupGateway, { accountId }: SignedIn) =>
  db.pool.query("update auto_topup set retry_at = now() - interval '1 minute' where account_id = $1 and retry_at is not null", [accountId]);

/** As if the lease of a process that died were over. */
export const endLease = ({ context: { db } }: TopupGateway, { accountId }: SignedIn) =>
  db.pool.query("update auto_topup set due_at = now() where account_id = $1 and due_at is not null", [accountId]);
