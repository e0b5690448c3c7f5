// A gateway that clones and designs voices, over two providers whose answers a test decides. After each file the ledger must audit clean.
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import type { CloneVoice, DesignVoice } from "../../../src/providers/verbs/audio.ts";
import { wavFile } from "../../simulator/audio-check.ts";
import { type Gateway, type NewAccountOptions, startGateway, type TestAccount, type TestReply } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";
import { type LogRow } from "../chat/chat-gateway.ts";
import { formOf } from "../transcriptions/transcription-gateway.ts";

export interface OwnVoicesWorld {
  readonly gateway: Gateway;
  /** The providers' behaviour; by default they make what they are asked for. */
  providers: { clone: CloneVoice; design: DesignVoice };
  /** Ids of the providers that were asked since the test began, in order, and what for. */
  asked: { provider: string; voiceId: string; order: object }[];
  /** With a deposit of 20 USD by default. */
  account(options?: NewAccountOptions): Promise<TestAccount>;
  /** By default eleven seconds of noise; null: without a file. */
  clone(account: TestAccount, fields?: Record<string, string>, file?: Buffer | null, signal?: AbortSignal): Promise<TestReply>;
  design(account: TestAccount, body?: unknown, signal?: AbortSignal): Promise<TestReply>;
  rowsOf(account: TestAccount): Promise<Record<string, unknown>[]>;
  /** Ids of the account's own voices, as they are listed. */
  listed(account: TestAccount): Promise<string[]>;
  logOf(reply: TestReply): Promise<LogRow | undefined>;
  /** The reply is that error; nothing is charged or held, and no voice is recorded. */
  expectRefused(account: TestAccount, reply: TestReply, status: number, code: string, balance?: number): Promise<void>;
}

export const voiceSample = wavFile(11);
export const sailor = "An old sailor, rough but kind";

const maker = (id: string, capability: string, usd: number, more: object = {}) => ({
  ...{ id, type: "speech", capability, voice_family: "provider_b", pricing: { mode: "per-call", usd_per_call: usd } },
  routes: ["mini", "other"].map((provider) => ({ provider, model: "maker" })),
  ...more,
});
const models = [
  maker("demo/clone", "voice-clone", 2),
  maker("demo/clone-old", "voice-clone", 2, { state: { paused: true } }),
  maker("demo/design", "voice-design", 4.2),
  maker("demo/free-design", "voice-design", 0),
];

export function ownVoicesWorld(): OwnVoicesWorld {
  let gateway: Gateway;
  const making = (): OwnVoicesWorld["providers"] => ({
    clone: () => Promise.resolve(),
    design: ({ order }) => Promise.resolve({ voiceId: order.voiceId }),
  });
  const world: OwnVoicesWorld = {
    get gateway() {
      return gateway;
    },
    providers: making(),
    asked: [],
    account: (options = { deposit: "20" }) => gateway.createAccount(options),
    async clone({ key }, fields = {}, file = voiceSample, signal) {
      const { body, type } = await formOf(fields, file);
      const headers = { "content-type": type };
      return gateway.request("POST", "/v1/audio/voice-clone", { key, body, headers, ...(signal && { signal }) });
    },
    design: ({ key }, body = { description: sailor }, signal) =>
      gateway.request("POST", "/v1/audio/voice-design", { key, body, ...(signal && { signal }) }),
    async rowsOf({ accountId }) {
      const { rows } = await gateway.context.db.pool.query("select * from voice where account_id = $1", [accountId]);
      return rows as Record<string, unknown>[];
    },
    async listed({ key }) {
      const { json } = await gateway.request("GET", "/v1/audio/voices?provider=provider_b", { key });
      return json.data.map(({ voice_id }: any) => voice_id as string);
    },
    async logOf(reply) {
      const query = "select * from usage_log where request_id = $1";
      const { rows } = await gateway.context.db.pool.query<LogRow>(query, [reply.headers["x-request-id"]]);
      return rows[0];
    },
    async expectRefused(account, { status, json }, wantedStatus, code, balance = 20) {
      expect([status, json.error.code, json.error.message]).toEqual([wantedStatus, code, expect.not.stringContaining("{")]);
      expect(await gateway.balance(account)).toEqual({ balance, reserved: 0, spent: 0 });
      expect(await world.rowsOf(account)).toEqual([]);
    },
  };
  beforeAll(async () => {
    const providers = ["mini", "other"].map((id) => ({ id, protocol: "minimax", base_url: "http://127.0.0.1:9" }));
    const aliases = { clone: "demo/clone", design: "demo/design" };
    gateway = await startGateway({ catalog: JSON.stringify({ providers, models, aliases, tiers: highTiers() }) });
    const { cloneVoice, designVoice } = gateway.context.providers;
    cloneVoice.minimax = (call) => {
      world.asked.push({ provider: call.route.provider.id, voiceId: call.order.voiceId, order: call.order });
      return world.providers.clone(call);
    };
    designVoice.minimax = (call) => {
      world.asked.push({ provider: call.route.provider.id, voiceId: call.order.voiceId, order: call.order });
      return world.providers.design(call);
    };
  });
  beforeEach(() => void Object.assign(world, { providers: making(), asked: [] }));
  afterAll(async () => {
    const audited = await gateway.audit();
    await gateway.stop();
    expect(audited).toMatchObject({ mismatches: [], reservations_open: 0, holds_open: 0 });
  });
  return world;
}
