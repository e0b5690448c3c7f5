// What goes out for a message call: the caller's JSON text with the few members spliced in that a Claude upstream would
// refuse, that would change the price, or that need state kept between calls. All else goes as it was sent.
import type { UpstreamRequest } from "../transport/http.ts";
import { jsonRequest } from "../transport/json-request.ts";
import { spliceJson } from "../json/splice.ts";
import { type JsonText, wholeOf } from "../json/text.ts";
import { arrayOf, objectOf, type Json } from "../json/read.ts";
import { parseLong } from "../json/exact-numbers.ts";
import type { MessageCall } from "../types.ts";
import { cleanMessages, cleanSystem, toolsOfHistory } from "./history.ts";
import { samplingFor, thinkingFor } from "./thinking.ts";

export function messageRequest(call: MessageCall): UpstreamRequest {
  return { ...jsonRequest(call, "/messages", fitBody(call), call.stream), headers: betaHeader(call.betas) };
}

/** Another price (faster, other places, other tiers), or something that lives on at one provider. */
const withheld = ["speed", "service_tier", "inference_geo", "container", "mcp_servers", "fallbacks"] as const;

type Edits = Record<string, string | null>;

function fitBody({ body: text, route, outputMax }: Pick<MessageCall, "body" | "route" | "outputMax">): JsonText {
  const body = objectOf(parseLong(wholeOf(text)));
  const messages = arrayOf(body["messages"]);
  const cleaned = cleanMessages(messages);
  const cap = typeof body["max_tokens"] === "number" ? body["max_tokens"] : outputMax;
  const thinking = thinkingFor(route, { body, messages, cleaned, cap });
  const edits: Edits = {
    ...replaced(body, "messages", cleaned),
    ...replaced(body, "system", cleanSystem(body["system"])),
    ...replaced(body, "max_tokens", cap),
    ...replaced(body, "thinking", thinking),
    ...replaced(body, "metadata", userOf(body)),
    ...toolEdits(body, cleaned),
    ...Object.fromEntries(withheld.filter((key) => key in body).map((key) => [key, null])),
  };
  for (const [key, value] of Object.entries(samplingFor(route, body, thinking))) Object.assign(edits, replaced(body, key, value));
  return spliceJson(text, edits);
}

/** No edit where the value is the caller's own; null and undefined leave the member out. */
function replaced(body: Json, key: string, value: unknown): Edits {
  const given = body[key];
  if (value === given || (value == null && !(key in body))) return {};
  if (value == null) return { [key]: null };
  const text = JSON.stringify(value);
  return given !== undefined && key !== "messages" && text === JSON.stringify(given) ? {} : { [key]: text };
}

function userOf(body: Json): Json | null {
  const { user_id } = objectOf(body["metadata"]);
  return typeof user_id === "string" ? { user_id } : null;
}

/** A history with calls needs its tools defined; the caller who named none wants no more calls. */
function toolEdits(body: Json, cleaned: readonly unknown[]): Edits {
  if (arrayOf(body["tools"]).length > 0) return {};
  const tools = toolsOfHistory(cleaned);
  if (tools.length === 0) return replaced(body, "tool_choice", null);
  return { tools: JSON.stringify(tools), tool_choice: '{"type":"none"}' };
}

/** Features that cost more than the model's price, whoever asks for them; an operator may ask by the provider's own headers. */
const dearBetas = /^(?:context-1m|fast-mode)\b/;

function betaHeader(betas: string | null): string[] {
  const names = (betas ?? "").split(",").map((name) => name.trim());
  const passed = names.filter((name) => /^[\w.-]{1,100}$/.test(name) && !dearBetas.test(name)).slice(0, 50);
  return passed.length === 0 ? [] : ["anthropic-beta", passed.join(",")];
}
