// Requests of both dialects that use what the dialects have: what a caller's field becomes is told by the vendors' descriptions.
const user = (content: unknown) => ({ role: "user", content });
const hello = [user("Hello")];
const png = "iVBORw0KGgo=";
const pdf = "JVBERi0xLjQK";
const schema = {
  type: "object",
  properties: { title: { type: "string" }, stars: { type: ["integer", "null"], enum: [1, 2, null] }, more: { $ref: "#/$defs/more" } },
  $defs: { more: { anyOf: [{ type: "array", items: { type: "string" } }, { type: "null" }] } },
  required: ["title", "stars", "more"],
  additionalProperties: false,
};
const named = (name: string, more: object = {}) => ({ type: "function", function: { name, ...more } });
const tools = [named("look", { description: "Looks.", parameters: schema, strict: true }), named("wait")];
const call = (id: string, name = "look", text = '{"title":"Sea","stars":1}') => ({
  id,
  type: "function",
  function: { name, arguments: text },
});
const told = (id: string, content: unknown) => ({ role: "tool", tool_call_id: id, content });

/** Without the model. */
export const chats: Record<string, object> = {
  "a word": { messages: hello },
  "every instruction": {
    messages: [{ role: "system", content: "Be brief." }, { role: "developer", content: [{ type: "text", text: "Be kind." }] }, ...hello],
  },
  "sampling and caps": {
    ...{ messages: hello, max_tokens: 900, temperature: 0.5, top_p: 0.9, presence_penalty: 0.1, frequency_penalty: -0.1, seed: 7 },
    stop: ["END", "STOP"],
  },
  "the newer cap, one stop": { messages: hello, max_completion_tokens: 900, stop: "END" },
  "two answers": { messages: hello, n: 2 },
  "log probabilities": { messages: hello, logprobs: true, top_logprobs: 3 },
  "a caller's own marks": {
    messages: hello,
    user: "u-1",
    metadata: { place: "shore" },
    store: false,
    safety_identifier: "s-1",
    prompt_cache_key: "k-1",
  },
  "JSON of any form": { messages: [user("As JSON, please.")], response_format: { type: "json_object" } },
  "JSON of a form": { messages: hello, response_format: { type: "json_schema", json_schema: { name: "film", strict: true, schema } } },
  "plain text asked for": { messages: hello, response_format: { type: "text" } },
  images: {
    messages: [
      user([
        { type: "text", text: "Look" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${png}`, detail: "low" } },
      ]),
    ],
  },
  "an image at an address": { messages: [user([{ type: "image_url", image_url: { url: "https://example.com/sea.png" } }])] },
  "a file": {
    messages: [
      user([
        { type: "text", text: "Read" },
        { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` } },
      ]),
    ],
  },
  sound: {
    messages: [
      user([
        { type: "text", text: "Hear" },
        { type: "input_audio", input_audio: { data: png, format: "wav" } },
      ]),
    ],
  },
  tools: { messages: hello, tools, parallel_tool_calls: false },
  "a tool that has to be called": { messages: hello, tools, tool_choice: "required" },
  "a tool that is named": { messages: hello, tools, tool_choice: named("look") },
  "no tool now": { messages: hello, tools, tool_choice: "none" },
  "some tools of several": {
    messages: hello,
    tools,
    tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [named("look")] } },
  },
  "functions of old": { messages: hello, functions: [{ name: "look", parameters: schema }], function_call: { name: "look" } },
  "a history of calls": {
    tools,
    messages: [
      ...hello,
      { role: "assistant", content: null, tool_calls: [call("call_1"), call("call_2", "wait", "{}")] },
      told("call_1", "The sea."),
      told("call_2", [{ type: "text", text: "Waited." }]),
      { role: "assistant", content: "The sea, then.", refusal: null },
      user("And now?"),
    ],
  },
  "a call and its result in the last turn": {
    tools,
    messages: [...hello, { role: "assistant", content: "I look.", tool_calls: [call("call_1")] }, told("call_1", '{"seen":true}')],
  },
  "names and refusals of before": {
    messages: [
      { role: "system", content: "Be brief.", name: "house" },
      { ...user("Hello"), name: "ann" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Hm" },
          { type: "refusal", refusal: "No." },
        ],
      },
      user("Why?"),
    ],
  },
  ...Object.fromEntries(
    ["none", "minimal", "low", "medium", "high", "xhigh"].map((effort) => [
      `an effort of ${effort}`,
      { messages: hello, reasoning_effort: effort, max_tokens: 3_000 },
    ]),
  ),
  "an effort in the object": { messages: hello, reasoning: { effort: "high" }, max_tokens: 3_000 },
  "a budget of thinking": { messages: hello, reasoning: { max_tokens: 1_200 }, max_tokens: 3_000 },
  "a forecast of the answer": { messages: hello, prediction: { type: "content", content: "The sea" } },
  "a verbosity, a tier": { messages: hello, verbosity: "low", service_tier: "auto" },
  biases: { messages: hello, logit_bias: { "50256": -100 } },
};

const cached = { cache_control: { type: "ephemeral" } };
const image = (source: object) => ({ type: "image", source });
const inline = image({ type: "base64", media_type: "image/png", data: png });
const tool = { name: "look", description: "Looks.", input_schema: schema, ...cached };
const capped = { max_tokens: 3_000 };
const used = (id: string) => ({ type: "tool_use", id, name: "look", input: { title: "Sea", stars: 1 } });

/** Without the model. */
export const messages: Record<string, object> = {
  "a word": { ...capped, messages: hello },
  "a system of blocks, one cached": {
    ...capped,
    system: [
      { type: "text", text: "Be brief." },
      { type: "text", text: "Be kind.", ...cached },
    ],
    messages: hello,
  },
  "sampling and caps": { ...capped, messages: hello, temperature: 0.5, top_p: 0.9, top_k: 40, stop_sequences: ["END"] },
  "a caller's own marks": { ...capped, messages: hello, metadata: { user_id: "u-1" } },
  "blocks with a cache for an hour": {
    ...capped,
    messages: [user([{ type: "text", text: "Hello", cache_control: { type: "ephemeral", ttl: "1h" } }])],
  },
  images: { ...capped, messages: [user([{ type: "text", text: "Look" }, inline])] },
  "an image at an address": { ...capped, messages: [user([image({ type: "url", url: "https://example.com/sea.png" })])] },
  "a document": {
    ...capped,
    messages: [
      user([
        { type: "document", title: "a.pdf", source: { type: "base64", media_type: "application/pdf", data: pdf } },
        { type: "document", source: { type: "text", media_type: "text/plain", data: "The sea." } },
        { type: "text", text: "Read" },
      ]),
    ],
  },
  tools: { ...capped, messages: hello, tools: [tool], tool_choice: { type: "auto", disable_parallel_tool_use: true } },
  "a tool that has to be called": { ...capped, messages: hello, tools: [tool], tool_choice: { type: "any" } },
  "a tool that is named": { ...capped, messages: hello, tools: [tool], tool_choice: { type: "tool", name: "look" } },
  "no tool now": { ...capped, messages: hello, tools: [tool], tool_choice: { type: "none" } },
  "a history of calls": {
    ...capped,
    tools: [tool],
    messages: [
      user("Hello"),
      { role: "assistant", content: [{ type: "text", text: "I look." }, used("toolu_1"), used("toolu_2")] },
      user([
        { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "Seen." }, inline] },
        { type: "tool_result", tool_use_id: "toolu_2", content: "Nothing.", is_error: true },
        { type: "text", text: "Well?", ...cached },
      ]),
    ],
  },
  "a call without arguments, without an answer": {
    ...capped,
    tools: [tool],
    messages: [
      user("Hello"),
      { role: "assistant", content: [{ ...used("toolu_1"), input: {} }] },
      user([{ type: "tool_result", tool_use_id: "toolu_1" }]),
    ],
  },
  "thinking of a budget": { ...capped, messages: hello, thinking: { type: "enabled", budget_tokens: 1_024 } },
  "thinking as it sees fit": { ...capped, messages: hello, thinking: { type: "adaptive" }, output_config: { effort: "medium" } },
  "no thinking": { ...capped, messages: hello, thinking: { type: "disabled" } },
  "earlier thoughts": {
    ...capped,
    thinking: { type: "enabled", budget_tokens: 1_024 },
    messages: [
      user("Hello"),
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "c2lnbmVk" },
          { type: "redacted_thinking", data: "aGlkZGVu" },
          { type: "text", text: "Hi." },
        ],
      },
      user("And now?"),
    ],
  },
  "JSON of a form": { ...capped, messages: hello, output_config: { format: { type: "json_schema", schema } } },
  "an answer that was begun": { ...capped, messages: [user("Hello"), { role: "assistant", content: "The" }] },
};
