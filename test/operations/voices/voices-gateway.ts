// A gateway whose two families have one provider each, whose answers a test decides, and a clock that the test sets.
import { randomUUID } from "node:crypto";
import { request as ask } from "node:http";
import { text as readAll } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { fileVoice } from "../../../src/audio/voice-owner.ts";
import type { ListVoices, ProviderVoice } from "../../../src/providers/verbs/audio.ts";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";

/** What the two providers list, and how often they were asked. */
export interface Shelf {
  list: ListVoices;
  reads: number;
}

export interface VoicesWorld {
  readonly gateway: Gateway;
  readonly families: { a: Shelf; b: Shelf };
  /** Milliseconds since the test began. */
  now: number;
  list(account: TestAccount, query?: string): ReturnType<Gateway["request"]>;
  /** Records a voice as a paid call would; `cost` above 0: as one whose charge is missing. */
  own(account: TestAccount, voiceId: string, more?: { name?: string; cost?: bigint }): Promise<void>;
}

export const voice = (voiceId: string, more: Partial<ProviderVoice> = {}): ProviderVoice => ({
  ...{ voiceId, name: `Voice ${voiceId}`, labels: {}, previewUrl: null, description: null, tags: [] },
  ...more,
});

const speech = (id: string, family: string, provider: string, more: object = {}) => ({
  id,
  type: "speech",
  voice_family: family,
  default_voice: "one",
  pricing: { mode: "per-1k-chars", usd_per_1k_chars: 0.07 },
  routes: [{ provider, model: id }],
  ...more,
});

const speechModels = [
  speech("a/paused", "provider_a", "elsewhere", { state: { paused: true } }),
  speech("a/first", "provider_a", "eleven", { routes: ["eleven", "elsewhere"].map((provider) => ({ provider, model: "first" })) }),
  speech("a/second", "provider_a", "elsewhere"),
  speech("b/first", "provider_b", "mini"),
];

export function voicesWorld(models: object[] = speechModels): VoicesWorld {
  let gateway: Gateway;
  let start = Date.now();
  const shelf = (): Shelf => ({ list: () => Promise.resolve([]), reads: 0 });
  const world = {
    now: 0,
    families: { a: shelf(), b: shelf() },
    get gateway() {
      return gateway;
    },
    list: (account: TestAccount, query = "") => gateway.request("GET", `/v1/audio/voices${query}`, { key: account.key }),
    async own({ accountId }: TestAccount, voiceId: string, { name = "Mine", cost = 0n } = {}) {
      const at = new Date(start + ++world.now);
      const filed = { voiceId, name, accountId, provider: "mini", model: "b/clone", callId: randomUUID(), cost, at };
      expect(await fileVoice(gateway.context.db, filed)).toBe(true);
    },
  };
  beforeAll(async () => {
    const providers = [
      ["eleven", "elevenlabs"],
      ["elsewhere", "elevenlabs"],
      ["mini", "minimax"],
      ["plain", "openai"],
    ].map(([id, protocol]) => ({ id, protocol, base_url: "http://127.0.0.1:9" }));
    const catalog = JSON.stringify({ providers, models, tiers: highTiers() });
    gateway = await startGateway({ catalog, clock: () => new Date(start + world.now) });
    const { voices } = gateway.context.providers;
    voices.elevenlabs = (call) => {
      expect(call.route.provider.id).toBe("eleven");
      world.families.a.reads += 1;
      return world.families.a.list(call);
    };
    voices.minimax = (call) => {
      world.families.b.reads += 1;
      return world.families.b.list(call);
    };
  });
  beforeEach(() => {
    // What an earlier test has read, or failed to read, has expired.
    start += 3_600_000;
    Object.assign(world, { families: { a: shelf(), b: shelf() } });
  });
  afterAll(() => gateway.stop());
  return world;
}

/** Exactly what goes over the wire: nothing is decoded, and no header is sent of itself. */
export function rawRequest(url: string, { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> }) {
  return new Promise<{ headers: Record<string, string>; bytes: Buffer }>((resolve, reject) => {
    const asked = ask(url, { method, headers }, (reply) => {
      reply.setEncoding("latin1");
      readAll(reply).then(
        (body) => resolve({ headers: reply.headers as Record<string, string>, bytes: Buffer.from(body, "latin1") }),
        reject,
      );
    });
    asked.on("error", reject).end();
  });
}
