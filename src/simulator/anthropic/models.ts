// GET /models: what the simulator names itself here. Any other id works as well, so one model is found under every id.
import { jsonReply, type Plan } from "../protocol.ts";

const ids = ["sim-chat", "sim-vision", "sim-reason"];

export function planModels(): Plan {
  return plan(JSON.stringify({ data: ids.map(modelRow), has_more: false, first_id: ids[0], last_id: ids.at(-1) }));
}

export function planModel(id: string): Plan {
  return plan(JSON.stringify(modelRow(id)));
}

function plan(text: string): Plan {
  return { model: null, knobs: {}, reply: jsonReply(200, text), bytes: text.length };
}

function modelRow(id: string): Record<string, unknown> {
  return { type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" };
}
