// What the answer's headers say of how it was served (gateway-api.md, chat completions, response headers).
import type { Resolved } from "../catalog/resolve.ts";
import type { Candidate } from "../routing/candidates.ts";
import { usdText } from "../money.ts";
import type { Hold } from "./reserve.ts";
import { capFor } from "./chat/upstream-body.ts";

export function routeHeaders({ model, alias }: Resolved, served: Candidate, hold: Hold): Record<string, string> {
  return {
    "x-svc-model": model.id,
    ...(alias === null ? {} : { "x-svc-alias": alias }),
    ...(served.layer === 0 ? {} : { "x-svc-fallback": "true", "x-svc-fallback-layer": String(served.layer) }),
    ...(served.layer === 3 ? { "x-svc-served-model": served.model.id } : {}),
    ...clampHeaders(capFor(served, hold), hold),
  };
}

/** "When `max_tokens` was lowered; carries the value sent": by the balance, by the gateway's own limit or by what a stand-in writes at most. */
function clampHeaders(sent: number | null, { asked, lowered, available }: Hold): Record<string, string> {
  if (sent === null || (lowered === null && sent >= (asked ?? sent))) return {};
  return { "x-svc-max-tokens-clamped": String(sent), "x-svc-credits-have": usdText(available) };
}
