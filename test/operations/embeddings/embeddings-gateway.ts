// A gateway that sells embeddings over hosts of every habit, and the helpers of its tests.
import { expect } from "vitest";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";
import { chatWorld, type ChatWorld, language } from "../chat/chat-gateway.ts";

const providers = ["north", "south", "west"];
/** USD per million tokens. */
export const price = 0.13;

const embedding = (id: string, routes: string[], more: object = {}) => ({
  id,
  type: "embedding",
  context_window: 8192,
  pricing: { mode: "per-token", input: price },
  routes: routes.map((model, index) => ({ provider: providers[index], model })),
  ...more,
});

export const faults = [
  "fail-503",
  "429",
  "401",
  "402",
  "403",
  "404",
  "408",
  "quota",
  "html",
  "empty",
  "bad-json",
  "200-error",
  "reset",
  "refuse",
];
export const unreadable = ["html", "empty", "bad-json"];
const models = [
  embedding("demo/embed", ["embed"]),
  embedding("demo/measured", ["embed+sim-prompt-tokens-7"]),
  embedding("demo/doubled", ["embed+sim-prompt-tokens-500"]),
  embedding("demo/unmeasured", ["embed+sim-no-usage"]),
  embedding("demo/float-only", ["embed+sim-float-only"]),
  embedding("demo/unordered", ["embed+sim-unordered"]),
  embedding("demo/full-width", ["embed+sim-ignore-dimensions"]),
  embedding("demo/one-width", ["embed"], { supported_parameters: ["encoding_format"] }),
  embedding("demo/free", ["embed"], { pricing: { mode: "per-token", input: 0.02 } }),
  embedding("demo/fee", ["embed"], { pricing: { mode: "per-token", input: 1, per_request: 0.01 } }),
  ...faults.map((fault) => embedding(`fault/${fault}`, [`embed+sim-${fault}`, "embed-second"])),
  ...["fail-500", "429", "402", "reset"].map((fault) => embedding(`down/${fault}`, [`down+sim-${fault}`])),
  ...unreadable.map((fault) => embedding(`unreadable/${fault}`, [`unreadable+sim-${fault}`])),
  embedding("demo/gone", ["gone+sim-404"]),
  embedding("demo/refused", ["refused1+sim-refuse", "refused2+sim-refuse-403"]),
  ...[400, 413, 422].map((status) => embedding(`reject/${status}`, [`reject+sim-reject-${status}`, "never-asked"])),
  embedding("demo/other", ["other+sim-fail-503"], { fallbacks: ["demo/cheap"] }),
  embedding("demo/other-cut", ["other-cut+sim-fail-503"], { fallbacks: ["demo/one-width", "demo/cheap"] }),
  embedding("demo/cheap", ["cheap"], { pricing: { mode: "per-token", input: 0.12 } }),
  embedding("demo/reduced", ["reduced+sim-fail-503"], {
    routes: [
      { provider: "north", model: "reduced+sim-fail-503" },
      { provider: "west", model: "small-copy", reduced_precision: "fp8" },
    ],
  }),
  language("demo/chat", ["chat"]),
  { id: "demo/rerank", type: "reranking", pricing: { mode: "per-token", input: 1 }, routes: [{ provider: "ranks", model: "rerank" }] },
];

const file = {
  providers: [
    ...providers.map((id) => ({ id, protocol: "openai", base_url: "simulator:/v1" })),
    { id: "ranks", protocol: "rerank", base_url: "simulator:/rerank" },
  ],
  tiers: highTiers(),
  aliases: { embed: "demo/embed" },
};

export interface EmbeddingWorld extends ChatWorld {
  embed(account: TestAccount, body: object): Promise<TestReply>;
  /** Sends the request, expects the error, and that nothing was charged. */
  refused(body: object, status: number, code: string, account?: TestAccount): Promise<TestReply>;
}

export function embeddingWorld(): EmbeddingWorld {
  const world = chatWorld(models, file);
  const embed = (account: TestAccount, body: object) =>
    world.gateway.request("POST", "/v1/embeddings", { key: account.key, body: { model: "demo/embed", input: "lighthouse", ...body } });
  return Object.assign(world, {
    embed,
    async refused(body: object, status: number, code: string, account?: TestAccount) {
      const asking = account ?? (await world.account());
      const before = await world.gateway.balance(asking);
      const reply = await embed(asking, body);
      expect([reply.status, reply.json.error.code]).toEqual([status, code]);
      expect(reply.headers["x-should-retry"]).toBe(String(reply.json.error.retryable));
      expect(await world.gateway.balance(asking)).toEqual(before);
      return reply;
    },
  });
}
