// The Anthropic protocol: its paths, its framing, and the plans of its operations. The files beside this one own what a message is made of.
import { jsonReply, type Plan, planAnswer, planFields, type SimulatorProtocol } from "../protocol.ts";
import { answerMessage } from "./answer.ts";
import { eventName, renderError, requestId, rewordRefusal } from "./errors.ts";
import { messageEvents, messageStop, wholeMessage } from "./message.ts";
import { readMessageRequest } from "./read-request.ts";
import { countPrompt, promptWithSearches } from "./usage.ts";

export const anthropic: SimulatorProtocol = {
  name: "anthropic",
  prefixes: ["/anthropic/v1"],
  headers: { "request-id": requestId },
  readVariant: ({ "anthropic-version": version }) => (typeof version === "string" ? version : ""),
  findOperation(method, path) {
    if (method === "POST" && path === "/messages") return planMessage;
    if (method === "POST" && path === "/messages/count_tokens") return planCount;
    if (method === "GET" && path === "/models") return planModels;
    if (method === "GET" && path.startsWith("/models/")) return () => planModel(decodeURIComponent(path.slice("/models/".length)));
    return null;
  },
  rewordRefusal,
  renderRefusal: renderError,
  eventName,
  errorEndsStream: true,
};

// GET /models: what the simulator names itself here. Any other id works as well, so one model is found under every id.

const ids = ["sim-chat", "sim-vision", "sim-reason"];

function planModels(): Plan {
  return planFields({ data: ids.map(modelRow), has_more: false, first_id: ids[0], last_id: ids.at(-1) });
}

function planModel(id: string): Plan {
  return planFields(modelRow(id));
}

function modelRow(id: string): Record<string, unknown> {
  return { type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" };
}

// POST /messages and /messages/count_tokens: from a request's bytes to a plan.

export function planMessage(body: Buffer, version: string): Plan {
  const request = readMessageRequest(body, version, "answer");
  const { model, directives, stream } = request;
  const promptTokens = promptWithSearches(request, countPrompt(request));
  const answer = answerMessage(request);
  return planAnswer({
    model,
    directives,
    stream,
    tokens: answer.tokens,
    extraBytesPerToken: 0,
    whole: () => JSON.stringify(wholeMessage(request, promptTokens, answer)),
    records: () => messageEvents(request, promptTokens, answer),
    terminator: messageStop,
    inputTokens: promptTokens,
    searches: request.searches,
    hiddenTokens: request.hidesThinking ? answer.thinkingTokens : 0,
    tokensIn: (record) => (/"type":"(?:text|thinking|input_json)_delta"/.test(record) ? 1 : 0),
  });
}

export function planCount(body: Buffer, version: string): Plan {
  const request = readMessageRequest(body, version, "count");
  const { model, directives } = request;
  const reply = jsonReply(200, JSON.stringify({ input_tokens: directives.promptTokens ?? countPrompt(request) }));
  return { model, directives, reply, bytes: reply.body.length };
}
