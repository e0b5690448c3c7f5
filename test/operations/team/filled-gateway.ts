// A gateway, and workspaces with something of everything, for the tests of what one workspace shows of another.
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { OperationId } from "../../../generated/operations.ts";
import { fileVoice } from "../../../src/audio/voice-owner.ts";
import { type Db, inTransaction } from "../../../src/db/connect.ts";
import { postGrant } from "../../../src/ledger/grants.ts";
import { postEntry } from "../../../src/ledger/post.ts";
import { parseUsd } from "../../../src/money.ts";
import { writeNotice } from "../../../src/notices/notices.ts";
import { eventually } from "../../support/eventually.ts";
import { startStripe, stripeEnv } from "../../support/stripe-server.ts";
import { createBatch, linesFor, upload } from "../batches/batch-gateway.ts";
import { hello, language, provider } from "../chat/chat-gateway.ts";
import { startTeamGateway, type Team, type TeamGateway } from "./team-gateway.ts";

export interface FilledGateway extends TeamGateway {
  filled(): Promise<Filled>;
}

/** A workspace with something of everything that has an id. */
export interface Filled extends Team {
  key: string;
  /** The id of an item of its conversation. */
  item: string;
  /** For each operation with a parameter in its path, the id of what is there. */
  ids: Partial<Record<OperationId, string>>;
}

const image = {
  ...{ id: "demo/image", type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 } },
  routes: [{ provider: "pictures", model: "demo/image" }],
};
const catalog = JSON.stringify({
  providers: [provider("north"), { id: "pictures", protocol: "fal", base_url: "simulator:/fal" }],
  models: [language("demo/chat", ["chat"]), image],
});

const secret = "a-long-secret-that-only-the-operator-has";

export async function startFilledGateway(): Promise<FilledGateway> {
  const stripe = await startStripe();
  const env = { ...stripeEnv(stripe), SVC_RECEIPT_SECRET: secret, SVC_RESPONSES_SECRET: secret };
  const gateway = await startTeamGateway({ catalog, env });
  return {
    ...gateway,
    filled: () => fill(gateway),
    async stop() {
      await gateway.stop();
      await stripe.close();
    },
  };
}

/** Amounts that no other workspace has, so that its entries, grants and months are told from theirs. */
async function putMoneyIn(db: Db, accountId: bigint): Promise<void> {
  const [at, ref, more] = [new Date(), "test", accountId * 10_000n];
  await postEntry(db, { accountId, kind: "deposit", amount: parseUsd("9")! + more, ref, at });
  const expiresAt = new Date("2036-01-01T00:00:00Z");
  await inTransaction(db, (transaction) =>
    postGrant(transaction, { accountId, id: randomUUID(), amount: parseUsd("1")! + more, ref, at, expiresAt }),
  );
}

/** What no request of its own makes here. */
async function putVoiceAndNoticeIn(db: Db, accountId: bigint): Promise<void> {
  const at = new Date();
  const voice = { voiceId: `voice-${accountId}-lit`, name: "Mine", provider: "north", model: "clone", callId: randomUUID(), cost: 0n };
  expect(await fileVoice(db, { ...voice, accountId, at })).toBe(true);
  await writeNotice(db, { accountId, event: "balance.low", cause: "test", data: { balance_usd: 4, threshold_usd: 5 }, at });
}

async function fill(gateway: TeamGateway): Promise<Filled> {
  const team = await gateway.team();
  const { accountId, workspace, owner } = team;
  await putMoneyIn(gateway.context.db, accountId);
  await putVoiceAndNoticeIn(gateway.context.db, accountId);
  const ask = async (method: string, path: string, body: unknown) => {
    const { status, json } = await gateway.ask(owner, method, path, { in: workspace, body });
    expect([path, status]).toEqual([path, 200]);
    return json;
  };
  await ask("PATCH", "/v1/workspace", { response_retention_days: 30 });
  const made = await ask("POST", "/v1/auth/keys", { name: "team" });
  const key = made.api_key as string;
  const invitation = (await ask("POST", "/v1/workspace/invitations", { email: `new-${accountId}@example.com`, role: "viewer" })).id;
  const domain = (await ask("POST", "/v1/workspace/domains", { domain: `team-${accountId}.example` })).id;
  const webhook = (await ask("POST", "/v1/workspace/webhooks", { url: "https://example.com/hook" })).id;
  const topup = (await ask("POST", "/v1/credits/topup", { amount_usd: 20 })).id;
  const post = (path: string, body: unknown) => gateway.request("POST", path, { key, body });
  const request = (await post("/v1/chat/completions", { model: "demo/chat", messages: hello, metadata: { lamp: `lamp-${accountId}-lit` } }))
    .headers["x-request-id"]!;
  await eventually(async () => expect((await gateway.request("GET", `/v1/usage/${request}`, { key })).status).toBe(200));
  const job = (await post("/v1/images/generations", { model: "demo/image", prompt: "A lighthouse" })).json.id;
  const genmedia = (await post("/v1/genmedia/run", { model: "demo/image", input: { prompt: "A lighthouse" } })).json.request_id;
  const response = (await post("/v1/responses", { model: "demo/chat", input: "Hello" })).json.id;
  const conversation = (await post("/v1/conversations", { items: hello })).json.id;
  const item = (await gateway.request("GET", `/v1/conversations/${conversation}/items`, { key })).json.data[0].id;
  const line = linesFor("/v1/chat/completions", [{ model: "demo/chat", messages: hello }]);
  const file = (await upload(gateway, { key }, line)).id;
  const batch = (await createBatch(gateway, { key }, "/v1/chat/completions", line)).id;
  const ids = {
    ...{ getFile: file, getFileContent: file, deleteFile: file, getBatch: batch, cancelBatch: batch },
    ...{ getResponse: response, deleteResponse: response, listResponseInputItems: response },
    ...{ getConversation: conversation, updateConversation: conversation, deleteConversation: conversation },
    ...{ listConversationItems: conversation, createConversationItems: conversation },
    ...{ getConversationItem: conversation, deleteConversationItem: conversation },
    ...{ updateApiKey: made.id, deleteApiKey: made.id, rollApiKey: made.id, getApiKeyUsage: made.id },
    ...{ getTopup: topup, getReceipt: request, getReceiptProof: request, getJob: job, getGenmediaJob: genmedia },
    ...{ verifyDomain: domain, updateDomain: domain, removeDomain: domain },
    ...{ getWebhook: webhook, updateWebhook: webhook, deleteWebhook: webhook, rollWebhookSecret: webhook, testWebhook: webhook },
    ...{ listWebhookDeliveries: webhook, replayWebhookDelivery: webhook },
    ...{ revokeInvitation: invitation, resendInvitation: invitation, updateMember: team.viewer.userId, removeMember: team.viewer.userId },
  };
  return { ...team, key, item, ids };
}
