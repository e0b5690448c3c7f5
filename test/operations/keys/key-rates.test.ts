// The requests and tokens a minute of a key, over every kind of call: jobs, speech and embeddings count as chats do, in one count; at once exactly
// as many pass as the key allows, and what it refuses costs nothing.
import { describe, expect } from "vitest";
import { type OperationId, operations } from "../../../generated/operations.ts";
import { minuteTest } from "../../limits/counted-database.ts";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { roundUsd } from "../../support/round-usd.ts";
import { highTiers } from "../../support/tiers.ts";
import { chatWorld, language, provider } from "../chat/chat-gateway.ts";

const perToken = { mode: "per-token", input: 1, output: 1 };
const world = chatWorld(
  [
    // Its answer is as long as it may be, and its prompt as long as it was counted: nothing is given back.
    language("demo/chat", ["chat+sim-tokens-100+sim-prompt-tokens-6"], { pricing: perToken }),
    { id: "demo/embed", type: "embedding", context_window: 8192, pricing: perToken, routes: [{ provider: "north", model: "embed" }] },
    {
      ...{ id: "demo/image", type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 } },
      routes: [{ provider: "pictures", model: "demo/image" }],
    },
    {
      ...{ id: "demo/voice", type: "speech", voice_family: "provider_a", default_voice: "lyra-narrator" },
      ...{ pricing: { mode: "per-1k-chars", usd_per_1k_chars: 1 }, routes: [{ provider: "voices", model: "voice" }] },
    },
  ],
  {
    providers: [
      provider("north"),
      { id: "pictures", protocol: "fal", base_url: "simulator:/fal" },
      { id: "voices", protocol: "elevenlabs", base_url: "simulator:/elevenlabs" },
    ],
    tiers: highTiers({ audio_concurrent: 1000, audio_concurrent_per_capability: { transcription: 100, understanding: 100, speech: 100 } }),
  },
);

const chatOf = (max_tokens: number) => ({ model: "demo/chat", messages: [{ role: "user", content: "abcdefghijkl" }], max_tokens });
const bodies = {
  createChatCompletion: chatOf(100),
  createEmbeddings: { model: "demo/embed", input: "lighthouse" },
  createImage: { model: "demo/image", prompt: "A boat" },
  runGenmedia: { model: "demo/image", input: { prompt: "A boat" } },
  createSpeech: { model: "demo/voice", input: "Good evening." },
} satisfies Partial<Record<OperationId, object>>;
type Asked = keyof typeof bodies;

interface Bound {
  /** With its first key, which is bound to nothing. */
  account: TestAccount;
  key: string;
  masked: string;
}

async function bound(policy: object): Promise<Bound> {
  const account = await world.account();
  const session = (await world.gateway.createSession(account)).token;
  const { json } = await world.gateway.request("POST", "/v1/auth/keys", { key: session, body: { name: "bound", ...policy } });
  return { account, key: json.api_key, masked: json.masked };
}

const ask = ({ key }: { key: string }, id: Asked, body: object = bodies[id]) =>
  world.gateway.request("POST", operations[id].path, { key, body });
const atOnce = (count: number, work: () => Promise<TestReply>) => Promise.all(Array.from({ length: count }, work));
const passedOf = (replies: TestReply[]) => replies.filter(({ status }) => status < 300);
function expectRefused({ masked }: Bound, reply: TestReply, limit: string): void {
  expect(reply.status).toBe(429);
  expect(reply.text).toContain(`${limit} per minute of the key ${masked}`);
  expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
}
/** Once no job runs any more. */
const expectSpent = (account: TestAccount, spent: number) =>
  expect.poll(() => world.gateway.balance(account)).toEqual({ balance: roundUsd(20 - spent), reserved: 0, spent });

describe("rpm of a key", () => {
  for (const [id, usd] of [
    ["createImage", 0.04],
    ["runGenmedia", 0.04],
    ["createSpeech", 0.013],
  ] as const)
    // prettier-ignore
    minuteTest(`${id}: of 9 at once exactly 3 pass; the others name the key, cost nothing, and the account's other key goes on`, async () => {
      const key = await bound({ rpm: 3 });
      const replies = await atOnce(9, () => ask(key, id));
      expect(passedOf(replies)).toHaveLength(3);
      for (const reply of replies.filter(({ status }) => status >= 300)) expectRefused(key, reply, "3 requests");
      await expectSpent(key.account, roundUsd(3 * usd));
      expect(passedOf([await ask(key.account, id)])).toHaveLength(1);
    });

  minuteTest("is one count of all that names a model: after a chat, an embedding, a job and a speech none of them passes", async () => {
    const kinds = Object.keys(bodies) as Asked[];
    const key = await bound({ rpm: kinds.length });
    for (const id of kinds) expect([id, (await ask(key, id)).status < 300]).toEqual([id, true]);
    for (const id of kinds) expectRefused(key, await ask(key, id), `${kinds.length} requests`);
  });
});

describe("tpm of a key", () => {
  minuteTest("of 20 chats at once exactly as many pass as their prompts and answers fit", async () => {
    const key = await bound({ tpm: 3 * 106 + 105 });
    const replies = await atOnce(20, () => ask(key, "createChatCompletion"));
    const passed = passedOf(replies);
    expect(passed.map(({ json }) => json.usage.total_tokens)).toEqual([106, 106, 106]);
    for (const reply of replies.filter(({ status }) => status >= 300)) expectRefused(key, reply, `${3 * 106 + 105} tokens`);
    await expectSpent(key.account, roundUsd((3 * 106) / 1e6));
    expect((await ask(key.account, "createChatCompletion")).status).toBe(200);
  });

  minuteTest("what an answer leaves of its cap is given back, and what was refused took nothing", async () => {
    const key = await bound({ tpm: 400 });
    expect((await ask(key, "createChatCompletion", chatOf(300))).status).toBe(200); // counts as 300 and its prompt, and uses 106
    expectRefused(key, await ask(key, "createChatCompletion", chatOf(389)), "400 tokens");
    await expect.poll(async () => (await ask(key, "createChatCompletion", chatOf(270))).status).toBe(200);
  });

  minuteTest("embeddings: of 12 at once exactly 2 pass where a third does not fit; one that fits no minute is 413", async () => {
    const tokens = await embeddingTokens();
    const key = await bound({ tpm: 3 * tokens - 1 });
    const replies = await atOnce(12, () => ask(key, "createEmbeddings"));
    expect(passedOf(replies)).toHaveLength(2);
    for (const reply of replies.filter(({ status }) => status >= 300)) expectRefused(key, reply, `${3 * tokens - 1} tokens`);
    const long = await ask(key, "createEmbeddings", { model: "demo/embed", input: "lighthouse ".repeat(50) });
    expect([long.status, long.json.error.code]).toEqual([413, "request_too_large"]);
    expect(long.json.error.message).toContain(`the key ${key.masked} allows ${3 * tokens - 1} tokens per minute`);
  });

  minuteTest("jobs and speech have no tokens, and pass a minute that chats have used up, and more", async () => {
    const key = await bound({ tpm: 50 });
    expect((await ask(key, "createChatCompletion", chatOf(100))).status).toBe(200); // takes the whole minute, and uses 106
    expectRefused(key, await ask(key, "createChatCompletion"), "50 tokens");
    for (const id of ["createImage", "runGenmedia", "createSpeech"] as const)
      expect([id, (await ask(key, id)).status < 300]).toEqual([id, true]);
  });
});

/** Of the embedding's text. */
async function embeddingTokens(): Promise<number> {
  const { json } = await ask(await world.account(), "createEmbeddings");
  return json.usage.total_tokens;
}
