// GET /v1/models over HTTP: every filter, its echo, bad values, and what a failure says.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway({ catalog: smallCatalog })));
afterAll(() => gateway.stop());

const list = async (query = "") => (await gateway.request("GET", `/v1/models${query}`)).json;
const ids = async (query: string): Promise<string[]> => (await list(query)).data.map((row: { id: string }) => row.id);

const all = [
  "demo/chat-large",
  "acme/see-small",
  "acme/embed",
  "demo/image",
  "demo/image-quality",
  "demo/image-mp",
  "demo/video",
  "demo/speech",
  "demo/music",
  "demo/song",
  "demo/stt",
];
const chats = ["demo/chat-large", "acme/see-small"];
const unused = {
  ...{ type: [], creator: [], owned_by: [], tags: [], use_cases: [], recommended_for: [] },
  ...{ input_modalities: [], output_modalities: [], supported_parameters: [] },
  ...{ latency_tier: null, cost_tier: null, quality_tier: null, release_stage: null, tier: null, capability: null },
  ...{ tools: null, vision: null, reasoning: null, structured_outputs: null, min_context_window: null, max_input_price: null },
};

describe("200", () => {
  test("without a key: every served model in the catalog's order, the aliases, and an empty echo", async () => {
    const reply = await gateway.request("GET", "/v1/models");
    expect(reply.status).toBe(200);
    expect(reply.headers["cache-control"]).toBe("public, max-age=60");
    expect(reply.json).toMatchObject({ object: "list", has_more: false, first_id: all[0], last_id: all.at(-1) });
    expect(reply.json.data.map((row: { id: string }) => row.id)).toEqual(all);
    expect(reply.json.aliases).toEqual({ best: "demo/chat-large", transcribe: "demo/stt" });
    expect(reply.json.filters).toEqual(unused);
  });

  test("a key that is sent is not read", async () => {
    expect((await gateway.request("GET", "/v1/models", { key: "svc_nonsense" })).status).toBe(200);
  });

  test("HEAD says the same without a body", async () => {
    const reply = await gateway.request("HEAD", "/v1/models");
    expect([reply.status, reply.text, reply.headers["content-type"]]).toEqual([200, "", "application/json"]);
  });

  test("a row carries promotion, prices in force and list prices", async () => {
    const [row] = (await list("?owned_by=demo&type=language")).data;
    expect(row).toMatchObject({
      pricing: { mode: "per-token", input: 0.5, output: 1.5, cached: 0.05 },
      list_price: { mode: "per-token", input: 1, output: 3, cached: 0.1 },
      promotion: { label: "launch" },
      recommended_for: row.use_cases,
      free_tier: false,
    });
  });

  test.each<[string, string[]]>([
    ["type=language", chats],
    ["type=language,embedding", [...chats, "acme/embed"]],
    ["type=language&type=embedding", [...chats, "acme/embed"]],
    ["type=realtime", []],
    ["type=audio-understanding", []],
    ["type=teapot", []],
    ["creator=acme", ["acme/see-small", "acme/embed"]],
    ["owned_by=acme", ["acme/see-small", "acme/embed"]],
    ["creator=acme&owned_by=demo&type=language", chats],
    ["creator=acme,demo&type=language", chats],
    ["tags=vision", ["acme/see-small"]],
    ["tags=vision,reasoning", ["acme/see-small"]],
    ["tags=vision,tool-use", []],
    ["use_cases=chat", chats],
    ["use_cases=chat,solve-math", ["acme/see-small"]],
    ["recommended_for=coding", ["acme/see-small"]],
    ["recommended_for=write-code", ["acme/see-small"]],
    ["input_modalities=image&type=language", ["acme/see-small"]],
    ["input_modalities=text,image&type=language", ["acme/see-small"]],
    ["output_modalities=image", ["demo/image", "demo/image-quality", "demo/image-mp"]],
    ["supported_parameters=temperature&type=language", chats],
    ["supported_parameters=temperature,tools", ["demo/chat-large"]],
    ["latency_tier=low", ["demo/chat-large"]],
    ["cost_tier=budget", ["acme/see-small"]],
    ["quality_tier=high", ["demo/chat-large"]],
    ["release_stage=preview", ["acme/see-small"]],
    ["tier=gold", ["demo/chat-large"]],
    ["capability=music", ["demo/music", "demo/song"]],
    ["tools=true&type=language", ["demo/chat-large"]],
    ["tools=1&type=language", ["demo/chat-large"]],
    ["tools=false&type=language", ["acme/see-small"]],
    ["tools=0&type=language", ["acme/see-small"]],
    ["vision=true", ["acme/see-small"]],
    ["reasoning=true", ["acme/see-small"]],
    ["structured_outputs=true", ["demo/chat-large"]],
    ["min_context_window=32000", chats],
    ["min_context_window=32001", ["demo/chat-large"]],
    ["max_input_price=0.1&type=language", ["acme/see-small"]],
    ["max_input_price=0.09&type=language", []],
    [
      "max_input_price=0",
      ["demo/image", "demo/image-quality", "demo/image-mp", "demo/video", "demo/speech", "demo/music", "demo/song", "demo/stt"],
    ],
    ["type=language&tools=true&vision=true", []],
    ["type=&tags=", all],
    ["nonsense=1", all],
    ["type=%6Canguage", chats],
  ])("?%s lists what fits", async (query, expected) => {
    expect(await ids(`?${query}`)).toEqual(expected);
  });

  test("an empty list has no first and no last id", async () => {
    expect(await list("?type=realtime")).toMatchObject({ data: [], first_id: null, last_id: null });
  });

  test("the echo holds every filter that was given, as it was understood", async () => {
    const query =
      "type=language,image&creator=acme&owned_by=demo&tags=vision&use_cases=chat&recommended_for=coding&input_modalities=text&output_modalities=text";
    const rest =
      "supported_parameters=tools&latency_tier=low&cost_tier=a&quality_tier=b&release_stage=c&tier=d&capability=music&tools=1&vision=0&reasoning=true&structured_outputs=false&min_context_window=5&max_input_price=0.25";
    expect((await list(`?${query}&${rest}`)).filters).toEqual({
      ...{
        type: ["language", "image"],
        creator: ["acme", "demo"],
        owned_by: ["demo"],
        tags: ["vision"],
        use_cases: ["chat"],
        recommended_for: ["write-code"],
      },
      ...{ input_modalities: ["text"], output_modalities: ["text"], supported_parameters: ["tools"] },
      ...{ latency_tier: "low", cost_tier: "a", quality_tier: "b", release_stage: "c", tier: "d", capability: "music" },
      ...{ tools: true, vision: false, reasoning: true, structured_outputs: false, min_context_window: 5, max_input_price: 0.25 },
    });
  });
});

describe("400 invalid_parameter", () => {
  test.each([
    ["tools", "yes"],
    ["vision", "2"],
    ["reasoning", "TRUE"],
    ["structured_outputs", ""],
    ["min_context_window", "many"],
    ["max_input_price", "cheap"],
    ["max_input_price", "Infinity"],
    ["latency_tier", "a%00b"],
    ["type", "%zz"],
  ])("%s=%s", async (param, value) => {
    const { status, json } = await gateway.request("GET", `/v1/models?${param}=${value}`);
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", param]);
  });

  test("a single value given twice", async () => {
    const { status, json } = await gateway.request("GET", "/v1/models?tools=true&tools=false");
    expect([status, json.error.param]).toEqual([400, "tools"]);
  });
});
