// The Anthropic protocol: its paths, its framing and its error envelope. Each operation stands in a file of its own beside this one.
import { jsonReply, type Plan, type SimulatorProtocol } from "../protocol.ts";
import { eventName, renderError, requestId, rewordRefusal } from "./errors.ts";
import { planCount, planMessage } from "./messages.ts";

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
  return plan(JSON.stringify({ data: ids.map(modelRow), has_more: false, first_id: ids[0], last_id: ids.at(-1) }));
}

function planModel(id: string): Plan {
  return plan(JSON.stringify(modelRow(id)));
}

function plan(text: string): Plan {
  return { model: null, knobs: {}, reply: jsonReply(200, text), bytes: text.length };
}

function modelRow(id: string): Record<string, unknown> {
  return { type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" };
}
