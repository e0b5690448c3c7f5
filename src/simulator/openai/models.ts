// GET /models: what the simulator names itself. Any other id works as well, so one model is found under every id.
import { jsonReply, type Plan } from "../protocol.ts";

const ids = ["sim-chat", "sim-vision", "sim-reason", "sim-embed"];

/** The simulator has no clock: everything it makes was made on the first of January 2026. */
export const createdAt = 1_767_225_600;

export function planModels(): Plan {
  return plan(JSON.stringify({ object: "list", data: ids.map(modelRow) }));
}

export function planModel(id: string): Plan {
  return plan(JSON.stringify(modelRow(id)));
}

function plan(text: string): Plan {
  return { model: null, knobs: {}, reply: jsonReply(200, text), bytes: text.length };
}

function modelRow(id: string): Record<string, unknown> {
  return { id, object: "model", created: createdAt, owned_by: "simulator" };
}
