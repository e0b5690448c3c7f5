// What requests of each dialect call themselves, in the usage log: metadata and user of every operation that takes JSON are its row's tags, also
// where the provider has no such fields, and of streams.
import { describe, expect, test } from "vitest";
import { type OperationId, operations } from "../../../generated/operations.ts";
import { chatWorld, language, provider } from "../chat/chat-gateway.ts";

const world = chatWorld(
  [
    language("demo/chat", ["chat"]),
    language("demo/down", ["chat+sim-fail-503"]),
    {
      ...{ id: "demo/embed", type: "embedding", context_window: 8192, pricing: { mode: "per-token", input: 0.1 } },
      routes: [{ provider: "north", model: "embed" }],
    },
    {
      ...{ id: "demo/voice", type: "speech", voice_family: "provider_a", default_voice: "lyra-narrator" },
      ...{ pricing: { mode: "per-1k-chars", usd_per_1k_chars: 1 }, routes: [{ provider: "voices", model: "voice" }] },
    },
  ],
  { providers: [provider("north"), { id: "voices", protocol: "elevenlabs", base_url: "simulator:/elevenlabs" }] },
);

type Account = Awaited<ReturnType<typeof world.account>>;
const ask = ({ key }: Account, id: OperationId, body: object) => world.gateway.request("POST", operations[id].path, { key, body });
const rowsOf = async ({ key }: Account, query = ""): Promise<any[]> => {
  const { status, json } = await world.gateway.request("GET", `/v1/auth/usage/logs${query}`, { key });
  expect(status).toBe(200);
  return json.data;
};

const cases: [OperationId, object][] = [
  ["createResponse", { model: "demo/chat", input: "Hello", max_output_tokens: 5 }],
  ["createResponse", { model: "demo/chat", input: "Hello", max_output_tokens: 5, stream: true }],
  ["createCompletion", { model: "demo/chat", prompt: "Once upon", max_tokens: 5 }],
  ["createCompletion", { model: "demo/chat", prompt: "Once upon", max_tokens: 5, stream: true }],
  ["createEmbeddings", { model: "demo/embed", input: "lighthouse" }],
  ["createSpeech", { model: "demo/voice", input: "Good evening." }],
  ["createSpeech", { model: "demo/voice", input: "Good evening.", stream: true }],
];

describe("metadata and user are tags of the request's row, by which it is found and its cost summed up", () => {
  test.each(cases)("%s %j", async (id, body) => {
    const account = await world.account();
    expect((await ask(account, id, body)).status).toBe(200);
    const tagged = await ask(account, id, { ...body, user: "u-1", metadata: { env: "prod", team: "red" } });
    expect(tagged.status).toBe(200);
    await expect.poll(async () => (await rowsOf(account)).length).toBe(2); // a stream's row comes after its end
    const [row, untagged] = await rowsOf(account);
    expect([row.request_id, row.tags]).toEqual([tagged.headers["x-request-id"], { user: "u-1", env: "prod", team: "red" }]);
    expect(untagged).not.toHaveProperty("tags");
    for (const tag of ["user:u-1", "env:prod", "team:red"])
      expect((await rowsOf(account, `?tag=${tag}`)).map(({ request_id }) => request_id)).toEqual([row.request_id]);
    expect(await rowsOf(account, "?tag=env:none")).toEqual([]);
    const { json } = await world.gateway.request("GET", "/v1/usage/summary?group_by=tag&tag_key=team", { key: account.key });
    expect(json.data).toMatchObject([{ tag: "team:red", requests: 1, cost_usd: row.cost_usd }]);
  });
});

test.each([
  ["createResponse", { model: "demo/down", input: "Hello" }],
  ["createCompletion", { model: "demo/down", prompt: "Once upon" }],
] as const)("%s: a failed request keeps them, too", async (id, body) => {
  const account = await world.account();
  expect((await ask(account, id, { ...body, user: "u-1", metadata: { env: "prod" } })).status).toBeGreaterThanOrEqual(500);
  expect(await rowsOf(account)).toMatchObject([{ status: "failed", tags: { user: "u-1", env: "prod" }, cost_usd: 0 }]);
});
