// Addresses in prompts, over HTTP, wherever they stand and however they are written, in the three dialects that forward them: a model server
// that loads them must not be led into a private network.
import { describe, expect, test } from "vitest";
import { chatWorld, language } from "./chat-gateway.ts";

const sees = { supports_vision: true, input_modalities: ["text", "image", "file", "audio", "video"] };
const reads = { context_window: 128_000, pricing: { mode: "per-token", input: 0.5 } };
const world = chatWorld(
  [
    language("demo/sees", ["sees"], sees),
    { ...language("demo/claude", [{ provider: "claude", model: "claude" }], sees) },
    { ...reads, id: "demo/embed", type: "embedding", routes: [{ provider: "north", model: "embed" }] },
    { ...reads, id: "demo/rank", type: "reranking", routes: [{ provider: "ranks", model: "rank" }] },
  ],
  {
    providers: [
      { id: "north", protocol: "openai", base_url: "simulator:/v1" },
      { id: "ranks", protocol: "rerank", base_url: "simulator:/rerank" },
      { id: "claude", protocol: "anthropic", base_url: "simulator:/anthropic/v1" },
    ],
  },
);

const dataUrl = "data:image/png;base64,iVBORw0KGgo=";
const words = { type: "text", text: "What is this?" };

const refused = [
  ...[
    "file:///etc/passwd",
    "http://169.254.169.254/latest/meta-data/",
    "http://pictures.example.com/a.png",
    "ftp://example.com/a.png",
    "a.png",
  ],
  ...[
    "https://169.254.169.254/",
    "https://127.0.0.1/a",
    "https://0x7f.1/",
    "https://2130706433/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
  ],
  ...[
    "https://metadata/",
    "https://vllm:8000/",
    "https://kubernetes.default.svc/",
    "https://db.default.svc.cluster.local/",
    "https://a.internal/",
  ],
  ...[
    "https://printer.local/",
    "https://nas.home.arpa/",
    "https://nas.lan/",
    "https://a.localhost/",
    "https://wiki.intranet/",
    "https://wiki.corp/",
  ],
  ...[
    "https://127.0.0.1.nip.io/",
    "https://7f000001.nip.io/",
    "https://127-0-0-1.nip.io/",
    "https://10.0.0.1.sslip.io/",
    "https://a.localtest.me/",
  ],
  ...["https://app-192-168-1-1.example.com/", "https://x.169.254.169.254.example.com/", "https://a9fea9fe.example.com/", "https://lvh.me/"],
  ...["https://user:word@example.com/", "https:\\\\127.0.0.1@example.com/", "https://example.com\\@127.0.0.1/", "https:///127.0.0.1/"],
  ...["https:example.com/a.png", "ht\ntps://example.com/", " https://127.0.0.1/", "https://exam\tple.com/", "https://127%2e0.0.1/"],
];
const taken = [
  "https://example.com/a.png?b=c#d",
  "https://93.184.216.34/a",
  "https://EXAMPLE.com:8443/a b",
  dataUrl,
  "DATA:image/png;base64,AA==",
];

const asked = async (path: string, body: object) => {
  const account = await world.account();
  const reply = await world.gateway.request("POST", path, { key: account.key, body: { max_tokens: 20, ...body } });
  if (reply.status !== 200) await world.expectUntouched(account);
  return reply;
};
const chat = (messages: object[]) => asked("/v1/chat/completions", { model: "demo/sees", messages });
const user = (...content: object[]) => ({ role: "user", content });

const expectRefused = (reply: Awaited<ReturnType<typeof chat>>, param: string) => {
  expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([400, "invalid_parameter", param]);
  expect(world.sent()).toEqual([]);
};

describe("400 invalid_parameter: an address that may lead into a private network reaches no provider", () => {
  test.each(refused)("chat: %s", async (url) => {
    const reply = await chat([{ role: "user", content: "Hello" }, user({ type: "image_url", image_url: { url } })]);
    expectRefused(reply, "messages[1].content[0].image_url.url");
    expect(reply.text).not.toContain("169.254.169.254");
  });

  const url = "https://metadata/";
  test.each<[string, object, string]>([
    ["a video", { type: "video_url", video_url: { url } }, "video_url.url"],
    ["a recording by its address", { type: "audio_url", audio_url: { url } }, "audio_url.url"],
    [
      "a recording whose data is an address",
      { type: "input_audio", input_audio: { data: "http://10.0.0.1/a.wav", format: "wav" } },
      "input_audio.data",
    ],
    ["a file whose data is an address", { type: "file", file: { filename: "a.pdf", file_data: "file:///etc/passwd" } }, "file.file_data"],
    ["an address instead of an object", { type: "video_url", video_url: url }, "video_url"],
    ["a kind that no contract knows", { type: "document_url", document_url: { pages: [{ url }] } }, "document_url.pages[0].url"],
    ["a kind that bears its address bare", { type: "image", image: "http://10.0.0.1/a.png" }, "image"],
    ["frames of a video", { type: "video", video: [dataUrl, "http://10.0.0.1/a.png"] }, "video[1]"],
    ["a part of text with another address beside it", { ...words, image_url: { url } }, "image_url.url"],
  ])("chat: %s", async (_, part, path) => {
    expectRefused(await chat([user(words, part)]), `messages[0].content[1].${path}`);
  });

  test("chat: what a tool answers", async () => {
    const call = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
    const result = { role: "tool", tool_call_id: "call_1", content: [{ type: "image_url", image_url: { url } }] };
    expectRefused(await chat([user(words), { role: "assistant", tool_calls: [call] }, result]), "messages[2].content[0].image_url.url");
  });

  test.each<[string, object, string]>([
    ["images that a model made", { images: [{ type: "image_url", image_url: { url } }] }, "images[0].image_url.url"],
    ["images by their addresses", { images: ["http://10.0.0.1/a.png"] }, "images[0]"],
    ["an image by its address", { image_url: url }, "image_url"],
  ])("chat: beside what a message says, %s", async (_, beside, path) => {
    expectRefused(await chat([user(words), { role: "assistant", content: "Look", ...beside }, user(words)]), `messages[1].${path}`);
  });

  const image = { type: "image", source: { type: "url", url } };
  const result = (...content: object[]) => ({ type: "tool_result", tool_use_id: "toolu_1", content });
  test.each<[string, object, string]>([
    ["an image", image, "source.url"],
    ["a document", { type: "document", source: { type: "url", url: "http://example.com/a.pdf" } }, "source.url"],
    ["an image in a document", { type: "document", source: { type: "content", content: [words, image] } }, "source.content[1].source.url"],
    ["an image in a tool's result", result(words, image), "content[1].source.url"],
    [
      "an image in a document in a tool's result",
      result({ type: "document", source: { type: "content", content: [image] } }),
      "content[0].source.content[0].source.url",
    ],
  ])("messages and their count: %s", async (_, block, path) => {
    const use = { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "look", input: {} }] };
    for (const endpoint of ["/v1/messages", "/v1/messages/count_tokens"]) {
      const reply = await asked(endpoint, { model: "demo/claude", messages: [user(words), use, user(block)] });
      expectRefused(reply, `messages[2].content[0].${path}`);
    }
  });

  test.each<[string, object, string]>([
    ["a message's image", { role: "user", content: [{ type: "input_image", image_url: url }] }, "content[0].image_url"],
    ["a message's file", { role: "user", content: [{ type: "input_file", file_data: "http://10.0.0.1/a.pdf" }] }, "content[0].file_data"],
    [
      "a tool's image",
      { type: "function_call_output", call_id: "call_1", output: [{ type: "input_image", image_url: url }] },
      "output[0].image_url",
    ],
  ])("responses: %s", async (_, item, path) => {
    const call = { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" };
    expectRefused(await asked("/v1/responses", { model: "demo/sees", max_output_tokens: 20, input: [call, item] }), `input[1].${path}`);
  });
});

describe("400 invalid_parameter: an address in a field that no contract knows", () => {
  const bodies: [string, object][] = [
    ["/v1/chat/completions", { model: "demo/sees", messages: [user(words)] }],
    ["/v1/messages", { model: "demo/claude", messages: [user(words)] }],
    ["/v1/messages/count_tokens", { model: "demo/claude", messages: [user(words)] }],
    ["/v1/embeddings", { model: "demo/embed", input: "Hello" }],
    ["/v1/rerank", { model: "demo/rank", query: "q", documents: ["d"] }],
  ];
  const fields: [object, string][] = [
    ...refused.map((url): [object, string] => [{ image_url: url }, "image_url"]),
    [{ documents_seen: [{ title: "A", image_url: { url: "https://metadata/" } }] }, "documents_seen[0].image_url.url"],
    [{ images: [dataUrl, "https://127.0.0.1.nip.io/"] }, "images[1]"],
    [{ audio_url: { url: "https://vllm:8000/" } }, "audio_url.url"],
    [{ media: { source: "http://10.0.0.1/a.wav" } }, "media.source"],
    [{ extra: { deep: [{ video: ["file:///etc/passwd"] }] } }, "extra.deep[0].video[0]"],
  ];
  test.each(bodies)("%s", async (path, body) => {
    for (const [field, param] of fields) {
      const reply = await asked(path, { max_tokens: path.startsWith("/v1/messages") ? 20 : undefined, ...body, ...field });
      if (path !== "/v1/rerank") expectRefused(reply, param);
      else
        expect([reply.status, reply.json.error.message, world.sent()]).toEqual([
          400,
          expect.stringContaining(`${param} is not valid: it`),
          [],
        ]);
    }
  });

  test("chat: documents", async () => {
    expectRefused(
      await asked("/v1/chat/completions", { ...bodies[0]![1], documents: [{ image_url: "https://wiki.corp/" }] }),
      "documents[0].image_url",
    );
  });

  test("200: public ones, words and what is no address are forwarded as sent", async () => {
    const more = { images: [dataUrl, "https://example.com/a.png"], mine: "http://127.0.0.1/", context: ["file:///etc/passwd"], depth: 3 };
    // The Messages API refuses what it does not know.
    for (const [path, body] of bodies.filter(([path]) => !path.startsWith("/v1/messages"))) {
      world.gateway.simulator.reset();
      const reply = await asked(path, { max_tokens: undefined, ...body, ...more });
      expect([path, reply.status]).toEqual([path, 200]);
      expect(world.sent()[0]).toMatchObject(more);
    }
  });

  test("200: a text to be ranked or embedded may be an address", async () => {
    const text = "http://127.0.0.1/";
    expect((await asked("/v1/embeddings", { model: "demo/embed", input: text, max_tokens: undefined })).status).toBe(200);
    const ranking = { model: "demo/rank", query: text, documents: [text], max_tokens: undefined };
    expect((await asked("/v1/rerank", ranking)).status).toBe(200);
  });

  test.each([
    ["/v1/responses", { input: [user({ type: "input_text", text: "Hello" })], max_output_tokens: 20 }],
    ["/v1/completions", { prompt: "Hello" }],
  ])("200: %s forwards none, so none is refused", async (path, body) => {
    const url = "https://metadata/";
    const reply = await asked(path, { max_tokens: undefined, model: "demo/sees", ...body, images: [url], documents: [{ image_url: url }] });
    expect(reply.status).toBe(200);
    expect(JSON.stringify(world.sent())).not.toContain(url);
  });

  test.each(["/v1/responses/compact", "/v1/responses/input_tokens"])("%s: an address in an item", async (path) => {
    const item = user({ type: "input_image", image_url: "https://metadata/" });
    expectRefused(await asked(path, { model: "demo/sees", max_tokens: undefined, input: [item] }), "input[0].content[0].image_url");
  });
});

describe("200: what leads to the internet or nowhere is forwarded as sent", () => {
  test.each(taken)("%s", async (url) => {
    const messages = [user(words, { type: "image_url", image_url: { url } })];
    expect((await chat(messages)).status).toBe(200);
    expect(world.sent()[0]!["messages"]).toEqual(messages);
  });

  test("what a message brings of its provider's, such as the pages that it read, is sent back", async () => {
    const url = "http://news.example.com/";
    const executed_tools = [{ type: "search", arguments: "{}", output: url, search_results: { results: [{ title: "News", url }] } }];
    const annotations = [{ type: "url_citation", url_citation: { url, title: "News" } }];
    const said = {
      role: "assistant",
      content: "Rain",
      executed_tools,
      annotations,
      images: [{ type: "image_url", image_url: { url: dataUrl } }],
    };
    expect((await chat([user(words), said, user(words)])).status).toBe(200);
    expect(world.sent()[0]!["messages"]).toEqual([user(words), said, user(words)]);
  });

  test("words about an address, a tool's arguments and a tool's result hold none", async () => {
    const url = "http://127.0.0.1:3000/";
    const call = { id: "toolu_1", type: "tool_use", name: "open", input: { url } };
    const messages = [
      user({ type: "text", text: url }, { type: "document", source: { type: "text", media_type: "text/plain", data: url }, title: url }),
      { role: "assistant", content: [call] },
      user({ type: "tool_result", tool_use_id: "toolu_1", content: url }),
    ];
    expect((await asked("/v1/messages", { model: "demo/claude", messages })).status).toBe(200);
    const function_call = { id: "call_1", type: "function", function: { name: "open", arguments: JSON.stringify({ url }) } };
    const logged = [
      { role: "user", content: url },
      { role: "assistant", tool_calls: [function_call] },
      { role: "tool", tool_call_id: "call_1", content: url },
    ];
    expect((await chat(logged)).status).toBe(200);
  });
});
