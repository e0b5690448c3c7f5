// What the answer's headers say of how it was served (gateway-api.md, chat completions, response headers).
import type { Resolved } from "../catalog/resolve.ts";
import type { Candidate } from "../routing/candidates.ts";
import { usdText } from "../money.ts";
import type { Hold } from "./reserve.ts";

export function routeHeaders({ model, alias }: Resolved, served: Candidate, hold: Hold): Record<string, string> {
  return {
    "x-svc-model": model.id,
    ...(alias === null ? {} : { "x-svc-alias": alias }),
    ...(served.layer === 0 ? {} : { "x-svc-fallback": "true", "x-svc-fallback-layer": String(served.layer) }),
    ...(served.layer === 3 ? { "x-svc-served-model": served.model.id } : {}),
    ...(hold.lowered === null ? {} : { "x-svc-max-tokens-clamped": String(hold.lowered), "x-svc-credits-have": usdText(hold.available) }),
  };
}
