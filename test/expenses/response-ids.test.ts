// The ids by which providers know their answers, so that their bills can be compared: of hosts whose headers name none, from the answer itself.
import { expect, test } from "vitest";
import { chatWorld, language, prices, provider } from "../operations/chat/chat-gateway.ts";

const protocols = { north: "openai", google: "gemini", co: "cohere", claude: "anthropic" };
const paths: Record<string, string> = { openai: "v1", gemini: "gemini", cohere: "cohere", anthropic: "anthropic/v1" };
const world = chatWorld(
  [
    ...Object.keys(protocols).map((id) => language(`demo/${id}`, [{ provider: id, model: "up" }])),
    language("demo/late", ["late+sim-slow-4000ms"]),
    language("demo/second", ["bad+sim-bad-json", "up"]),
    {
      id: "demo/rank",
      type: "reranking",
      context_window: 8192,
      pricing: { mode: "per-token", ...prices },
      routes: [{ provider: "co", model: "r" }],
    },
  ],
  {
    providers: [
      ...Object.entries(protocols).map(([id, protocol]) => provider(id, { protocol, base_url: `simulator:/${paths[protocol]}` })),
      ...["south", "west"].map((id) => provider(id)),
    ],
  },
);

async function idsOf(path: string, body: object): Promise<{ shown: string; ids: (string | undefined)[] }> {
  const { key } = await world.account();
  const reply = await world.gateway.request("POST", path, { key, body });
  expect(reply.status).toBe(200);
  const { attempts } = (await world.logOf(reply))!;
  const shown = reply.json?.id ?? /"id":"([^"]+)"/.exec(reply.text)?.[1];
  return { shown, ids: attempts.map((attempt) => (attempt as { response_id?: string }).response_id) };
}

const messages = [{ role: "user", content: "Hello" }];

test.each(["north", "google", "co"])("%s: chat, whole and streamed, keeps the id that the answer has", async (name) => {
  for (const stream of [false, true]) {
    const { shown, ids } = await idsOf("/v1/chat/completions", { model: `demo/${name}`, messages, stream });
    const [id] = ids;
    expect([stream, id]).toEqual([stream, expect.stringMatching(/^[\w-]{8,}$/)]);
    expect(name === "north" ? shown : shown.replace(/^chatcmpl-/, "")).toBe(id);
  }
});

test.each(["north", "google", "co"])("%s: messages keep it as well", async (name) => {
  for (const stream of [false, true]) {
    const { ids } = await idsOf("/v1/messages", { model: `demo/${name}`, messages, stream, max_tokens: 50 });
    expect([stream, ...ids]).toEqual([stream, expect.stringMatching(/^[\w-]{8,}$/)]);
  }
});

test("the id of the headers counts where there is one", async () => {
  const { shown, ids } = await idsOf("/v1/messages", { model: "demo/claude", messages, max_tokens: 50 });
  expect(ids).toEqual([expect.stringMatching(/^req_/)]);
  expect(shown).toMatch(/^msg_/);
});

test("a ranking, and a stream that begins before its first record", async () => {
  expect((await idsOf("/v1/rerank", { model: "demo/rank", query: "q", documents: ["d"] })).ids).toEqual([expect.stringMatching(/\S{8}/)]);
  const { shown, ids } = await idsOf("/v1/chat/completions", { model: "demo/late", messages, stream: true });
  expect(ids).toEqual([shown]);
});

test("an answer that could not be read has none", async () => {
  const { shown, ids } = await idsOf("/v1/chat/completions", { model: "demo/second", messages });
  expect(ids).toEqual([undefined, shown]);
});
