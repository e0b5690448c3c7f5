// How a host of each protocol that serves language models says an answer, a stream and an error, for tests of what of it reaches a caller.
import { EventStreamCodec } from "@smithy/core/event-streams";
import { eventText, type HostileAnswer, json } from "./hostile-host.ts";

export interface Voice {
  /** Of the provider in the catalog, without id and address. */
  fields: object;
  /** Stands before the model's id at the host. */
  prefix: string;
  /** A whole answer with these members beside the known ones, on each level that has them. */
  whole(text: string, more: object): HostileAnswer;
  /** A stream of these pieces, likewise; `ends`: with its usual end, or with this error. */
  stream(pieces: readonly string[], more: object, ends?: string): HostileAnswer;
  /** A request that the host refuses. */
  refusal(message: string): HostileAnswer;
}

const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };

function sse(records: readonly unknown[]): HostileAnswer {
  return (response) => response.writeHead(200, { "content-type": "text/event-stream" }).end(records.map(eventText).join(""));
}

const openai: Omit<Voice, "fields"> = {
  prefix: "",
  whole: (content, more) =>
    json({ ...more, choices: [{ ...more, index: 0, message: { ...more, content }, finish_reason: "stop" }], usage }),
  stream(pieces, more, error) {
    const chunk = (delta: object, finish_reason: string | null) => ({ id: "a", ...more, choices: [{ index: 0, delta, finish_reason }] });
    const end = error === undefined ? [chunk({}, "stop"), "data: [DONE]\n\n"] : [{ error: { message: error, param: error, code: error } }];
    return sse([...pieces.map((content) => chunk({ content, ...more }, null)), ...end]);
  },
  refusal: (message) => json({ error: { message, type: "invalid_request_error", code: "invalid_value", param: message } }, 400),
};

const anthropic: Omit<Voice, "fields"> = {
  prefix: "",
  whole: (text, more) =>
    json({
      ...{ id: "msg_1", type: "message", role: "assistant", ...more, content: [{ type: "text", text, ...more }] },
      ...{ stop_reason: "end_turn", usage: { input_tokens: 5, output_tokens: 1, ...more } },
    }),
  stream(pieces, more, error) {
    const message = { id: "msg_1", type: "message", role: "assistant", content: [], usage: { input_tokens: 5, output_tokens: 1 }, ...more };
    const end =
      error === undefined
        ? [
            { type: "content_block_stop", index: 0 },
            { type: "message_delta", delta: { stop_reason: "end_turn", ...more }, usage: { output_tokens: 1 }, ...more },
            { type: "message_stop" },
          ]
        : [{ type: "error", error: { type: "api_error", message: error } }];
    return sse([
      { type: "message_start", message, ...more },
      ...(pieces.length === 0 ? [] : [{ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }]),
      ...pieces.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text, ...more }, ...more })),
      ...end,
    ]);
  },
  refusal: (message) => json({ type: "error", error: { type: "invalid_request_error", message }, request_id: message }, 400),
};

const google: Omit<Voice, "fields"> = {
  prefix: "",
  whole: (text, more) => json(candidate(text, "STOP", more)),
  stream: (pieces, more, error) =>
    sse([
      ...pieces.map((text) => candidate(text, undefined, more)),
      ...(error === undefined ? [candidate("", "STOP", more)] : [googleError(error)]),
    ]),
  refusal: (message) => json(googleError(message), 400),
};

function candidate(text: string, finishReason: string | undefined, more: object): object {
  const content = { role: "model", parts: [{ text, ...more }], ...more };
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 1, totalTokenCount: 6, ...more };
  return { candidates: [{ content, ...(finishReason === undefined ? {} : { finishReason }), index: 0, ...more }], usageMetadata, ...more };
}

function googleError(message: string): object {
  const detail = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: message, metadata: { consumer: message } };
  return { error: { code: 400, message, status: "INVALID_ARGUMENT", details: [detail] } };
}

const billed = { billed_units: { input_tokens: 5, output_tokens: 1 }, tokens: { input_tokens: 5, output_tokens: 1 } };

const cohere: Omit<Voice, "fields"> = {
  prefix: "",
  whole: (text, more) =>
    json({
      ...{ id: "a", message: { role: "assistant", content: [{ type: "text", text, ...more }], ...more } },
      ...{ finish_reason: "COMPLETE", usage: { ...billed, ...more }, ...more },
    }),
  stream(pieces, more, error) {
    const content = (text: string) => ({ message: { content: { type: "text", text, ...more }, ...more } });
    return sse([
      { id: "a", type: "message-start", delta: { message: { role: "assistant", content: [] } }, ...more },
      ...(pieces.length === 0 ? [] : [{ type: "content-start", index: 0, delta: content("") }]),
      ...pieces.map((text) => ({ type: "content-delta", index: 0, delta: content(text), ...more })),
      ...(error === undefined
        ? [
            { type: "content-end", index: 0 },
            { type: "message-end", delta: { finish_reason: "COMPLETE", usage: billed, ...more }, ...more },
          ]
        : [`data: ${JSON.stringify({ message: error })}\n\n`]),
    ]);
  },
  refusal: (message) => json({ id: message, message }, 400),
};

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
  (text) => Buffer.from(text),
);

function frame(type: string, body: object): Buffer {
  const kind = type.endsWith("Exception") ? "exception" : "event";
  const named = { [`:${kind}-type`]: type, ":content-type": "application/json", ":message-type": kind };
  const headers = Object.fromEntries(Object.entries(named).map(([name, value]) => [name, { type: "string" as const, value }]));
  return Buffer.from(codec.encode({ headers, body: Buffer.from(JSON.stringify(body)) }));
}

const tokens = { inputTokens: 5, outputTokens: 1, totalTokens: 6 };

const bedrock: Omit<Voice, "fields"> = {
  prefix: "anthropic.",
  whole: (text, more) =>
    json({
      ...{ output: { message: { role: "assistant", content: [{ text, ...more }], ...more } }, stopReason: "end_turn" },
      ...{ usage: { ...tokens, ...more }, metrics: { latencyMs: 1, ...more }, ...more },
    }),
  stream(pieces, more, error) {
    const frames = [
      frame("messageStart", { role: "assistant", ...more }),
      ...pieces.map((text) => frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text, ...more }, ...more })),
      ...(error === undefined
        ? [
            frame("contentBlockStop", { contentBlockIndex: 0 }),
            frame("messageStop", { stopReason: "end_turn", ...more }),
            frame("metadata", { usage: tokens, ...more }),
          ]
        : [frame("validationException", { message: error })]),
    ];
    return (response) => response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" }).end(Buffer.concat(frames));
  },
  refusal: (message) => (response) =>
    response
      .writeHead(400, { "content-type": "application/json", "x-amzn-errortype": "ValidationException" })
      .end(JSON.stringify({ message })),
};

const project = { project: "sim-project", location: "global" };

/** By the name of the model and of its provider. */
export const voices: Readonly<Record<string, Voice>> = {
  openai: { fields: { protocol: "openai", api_key_env: "HOST_KEY" }, ...openai },
  azure: { fields: { protocol: "azure-openai", api_key_env: "HOST_KEY" }, ...openai },
  "azure-deployment": { fields: { protocol: "azure-openai", api_key_env: "HOST_KEY", api_version: "2025-01-01-preview" }, ...openai },
  anthropic: { fields: { protocol: "anthropic", api_key_env: "HOST_KEY" }, ...anthropic },
  gemini: { fields: { protocol: "gemini", api_key_env: "HOST_KEY" }, ...google },
  vertex: { fields: { protocol: "vertex", ...project }, ...google },
  "vertex-claude": { fields: { protocol: "vertex", ...project }, ...anthropic, prefix: "anthropic/" },
  bedrock: { fields: { protocol: "bedrock", region: "us-east-1", api_key_env: "HOST_KEY" }, ...bedrock },
  "bedrock-signed": {
    fields: { protocol: "bedrock", region: "us-east-1", access_key_id_env: "KEY_ID", secret_access_key_env: "HOST_KEY" },
    ...bedrock,
  },
  cohere: { fields: { protocol: "cohere", api_key_env: "HOST_KEY" }, ...cohere },
};
