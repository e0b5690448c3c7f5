// A chat request in the Anthropic dialect (docs/behaviour/translation.md#requests), as pure functions.
import { describe, expect, test } from "vitest";
import { UpstreamError } from "../../src/providers/errors/upstream-error.ts";
import { chatToMessageRequest } from "../../src/providers/translation/chat-to-message-request.ts";

const hi = { role: "user", content: "Hi" };
const said = { role: "user", content: [{ type: "text", text: "Hi" }] };
const ofRoute =
  (thinking: "adaptive" | "budget") =>
  (chat: object, outputMax = 4000): any =>
    chatToMessageRequest({ model: "up", messages: [hi], ...chat }, { route: { thinking }, outputMax });
const budget = ofRoute("budget");
const adaptive = ofRoute("adaptive");
const messagesOf = (...messages: object[]): any[] => budget({ messages }).messages;
function refusalOf(chat: object): { param: string | null; reason: string } {
  try {
    budget(chat);
  } catch (error) {
    expect(error).toBeInstanceOf(UpstreamError);
    const { fault, status, param, reason } = error as UpstreamError;
    expect({ fault, status }).toEqual({ fault: "rejected", status: null });
    return { param, reason };
  }
  throw new Error("it was not refused");
}

describe("fields", () => {
  test("only what Anthropic knows goes on", () => {
    const dropped = { seed: 1, logit_bias: {}, presence_penalty: 1, frequency_penalty: 1, logprobs: true, top_logprobs: 2, store: true };
    const more = { stream_options: { include_usage: true }, prompt_cache_key: "k", verbosity: "low", n: 1, service_tier: "flex", x: 1 };
    expect(budget({ ...dropped, ...more, stream: true })).toEqual({ model: "up", max_tokens: 4000, stream: true, messages: [said] });
  });
  test("the lower of both caps, else the reserved one", () => {
    expect(budget({ max_tokens: 50, max_completion_tokens: 40 }).max_tokens).toBe(40);
    expect(budget({}, 99).max_tokens).toBe(99);
  });
  test("stop, sampling and the user in Anthropic's names", () => {
    expect(budget({ stop: "END" }).stop_sequences).toEqual(["END"]);
    expect(budget({ stop: ["a", " ", "\n", "b"] }).stop_sequences).toEqual(["a", "b"]);
    expect(budget({ stop: "\n" })).not.toHaveProperty("stop_sequences");
    expect(budget({ temperature: 1.4, top_p: 0.9, top_k: 3 })).toMatchObject({ temperature: 1, top_p: 0.9, top_k: 3 });
    expect(budget({ user: "u1" }).metadata).toEqual({ user_id: "u1" });
    expect(budget({ user: "u".repeat(300) }).metadata.user_id).toMatch(/^[0-9a-f]{64}$/);
    expect(budget({ safety_identifier: "s1" }).metadata).toEqual({ user_id: "s1" });
  });
  test("n above 1: refused, naming n", () => {
    expect(refusalOf({ n: 2 })).toMatchObject({ param: "n", reason: expect.stringContaining("n must be 1") });
  });
});

describe("content", () => {
  const part = (value: object) => messagesOf({ role: "user", content: [value] })[0].content[0];
  const image = (url: string) => ({ type: "image_url", image_url: { url, detail: "high" } });
  test("images by data URL and by address; detail is dropped; marks stay", () => {
    expect(part(image("data:image/png;base64,iVBO"))).toEqual({
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "iVBO" },
    });
    expect(part(image("data:image/jpg;base64,iVBO")).source.media_type).toBe("image/jpeg");
    expect(part({ ...image("https://x.test/a.png"), cache_control: { type: "ephemeral" } })).toEqual({
      ...{ type: "image", source: { type: "url", url: "https://x.test/a.png" }, cache_control: { type: "ephemeral" } },
    });
  });
  test("a PDF is a document with a title, a text file one of text", () => {
    expect(part({ type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBE" } })).toEqual({
      ...{ type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBE" }, title: "a.pdf" },
    });
    const text = Buffer.from("Grüße").toString("base64");
    expect(part({ type: "file", file: { file_data: `data:text/plain;charset=utf-8;base64,${text}` } })).toEqual({
      ...{ type: "document", source: { type: "text", media_type: "text/plain", data: "Grüße" } },
    });
  });
  test.each([
    ["an image over http", image("http://x.test/a.png")],
    ["an image of another kind", image("data:image/tiff;base64,AAAA")],
    ["audio", { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } }],
    ["video", { type: "video_url", video_url: { url: "https://x.test/a.mp4" } }],
    ["an uploaded file", { type: "file", file: { file_id: "file-1" } }],
    ["a file of another kind", { type: "file", file: { file_data: "data:application/zip;base64,AAAA" } }],
    ["an unknown part", { type: "hologram" }],
  ])("%s: refused, naming the part", (_, value) => {
    expect(refusalOf({ messages: [hi, { role: "user", content: [{ type: "text", text: "x" }, value] }] }).param).toBe(
      "messages[1].content[1]",
    );
  });
});

describe("tools", () => {
  const parameters = { type: "object", properties: { q: { type: "string" } } };
  const tool = (name: string, more: object = {}) => ({ type: "function", function: { name, ...more } });
  const tools = [tool("look", { description: "Looks.", parameters, strict: false }), tool("list")];
  test("definitions: no parameters are an empty object, and a type is always said", () => {
    expect(budget({ tools: [...tools, tool("odd", { parameters: { properties: {} } })] }).tools).toEqual([
      { name: "look", description: "Looks.", input_schema: parameters },
      { name: "list", input_schema: { type: "object", properties: {} } },
      { name: "odd", input_schema: { properties: {}, type: "object" } },
    ]);
    expect(budget({ tools: [tool("s", { parameters, strict: true })] }).tools).toEqual([
      ...[{ name: "s", input_schema: { ...parameters, additionalProperties: false }, strict: true }],
    ]);
  });
  test.each([
    ["auto", { type: "auto" }],
    ["none", { type: "none" }],
    ["required", { type: "any" }],
    [
      { type: "function", function: { name: "list" } },
      { type: "tool", name: "list" },
    ],
  ])("tool_choice %j", (given, expected) => {
    expect(budget({ tools, tool_choice: given }).tool_choice).toEqual(expected);
    expect(budget({ tool_choice: given })).not.toHaveProperty("tool_choice");
  });
  test("allowed_tools leaves the others out", () => {
    const allowed = { mode: "required", tools: [{ type: "function", function: { name: "list" } }] };
    const sent = budget({ tools, tool_choice: { type: "allowed_tools", allowed_tools: allowed } });
    expect(sent.tools.map(({ name }: any) => name)).toEqual(["list"]);
    expect(sent.tool_choice).toEqual({ type: "any" });
  });
  test("parallel_tool_calls: false", () => {
    expect(budget({ tools, parallel_tool_calls: false }).tool_choice).toEqual({ type: "auto", disable_parallel_tool_use: true });
    expect(budget({ tools, tool_choice: "required", parallel_tool_calls: false }).tool_choice).toEqual({
      type: "any",
      disable_parallel_tool_use: true,
    });
    expect(budget({ tools, tool_choice: "none", parallel_tool_calls: false }).tool_choice).toEqual({ type: "none" });
  });
  test("custom tools are refused; the older functions are tools", () => {
    expect(refusalOf({ tools: [{ type: "custom", custom: { name: "x" } }] }).param).toBe("tools[0]");
    expect(budget({ functions: [{ name: "look" }], function_call: { name: "look" } })).toMatchObject({
      ...{ tools: [{ name: "look" }], tool_choice: { type: "tool", name: "look" } },
    });
  });
});

describe("form of the answer", () => {
  test("a schema is closed, and what Claude can't follow is said in words", () => {
    const schema = {
      type: "object",
      properties: {
        age: { type: "integer", minimum: 0, description: "In years." },
        tags: { type: "array", items: { type: "object", properties: { pattern: { type: "string", pattern: "^a" } } }, minItems: 1 },
      },
      $defs: { node: { anyOf: [{ type: ["object", "null"] }, { $ref: "#/$defs/node" }] } },
    };
    const { output_config } = budget({ response_format: { type: "json_schema", json_schema: { name: "x", schema } } });
    expect(output_config).toEqual({
      format: {
        type: "json_schema",
        schema: {
          type: "object",
          additionalProperties: false,
          properties: {
            age: { type: "integer", description: "In years. (minimum: 0)" },
            tags: {
              type: "array",
              minItems: 1,
              items: {
                type: "object",
                additionalProperties: false,
                properties: { pattern: { type: "string", description: '(pattern: "^a")' } },
              },
            },
          },
          $defs: { node: { anyOf: [{ type: ["object", "null"], additionalProperties: false }, { $ref: "#/$defs/node" }] } },
        },
      },
    });
  });
  test("json_object is a sentence of the system's", () => {
    const sent = budget({ messages: [{ role: "system", content: "A" }, hi], response_format: { type: "json_object" } });
    expect(sent.system).toMatch(/^A\n.*JSON/);
    expect(budget({ response_format: { type: "json_object" } }).system).toMatch(/JSON/);
    expect(budget({ response_format: { type: "text" } })).not.toHaveProperty("system");
  });
});

describe("reasoning", () => {
  test.each([
    [{ reasoning_effort: "high" }, { type: "enabled", budget_tokens: 3200 }, { type: "adaptive" }, "high"],
    [{ reasoning: { effort: "max" } }, { type: "enabled", budget_tokens: 3800 }, { type: "adaptive" }, "max"],
    [{ reasoning_effort: "none" }, { type: "disabled" }, { type: "disabled" }, undefined],
    [{ reasoning_effort: "minimal" }, { type: "disabled" }, { type: "disabled" }, undefined],
    [
      { reasoning: { max_tokens: 2000 }, reasoning_effort: "low" },
      { type: "enabled", budget_tokens: 2000 },
      { type: "adaptive" },
      "medium",
    ],
    [{ reasoning: { max_tokens: 9000 } }, { type: "enabled", budget_tokens: 3999 }, { type: "adaptive" }, "high"],
    [{}, undefined, undefined, undefined],
  ])("%j", (asked, older, newer, effort) => {
    expect(budget(asked).thinking).toEqual(older);
    expect(budget(asked)).not.toHaveProperty("output_config");
    expect(adaptive(asked).thinking).toEqual(newer);
    expect(adaptive(asked).output_config?.effort).toBe(effort);
  });
});
