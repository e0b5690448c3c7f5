// Which models are named when every route of one refused the content (gateway-api.md "Error object", route_refused).
// Leaves near matches of an unknown name to src/catalog/suggest.ts.
import type { Catalog, Model } from "../catalog/types.ts";
import { ApiError } from "../errors/fail.ts";
import type { Candidate } from "../routing/candidates.ts";

const suggestionsMax = 5;

/** Only such as could serve this very request: another refusal would help nobody. Any other error stays as it is. */
export function suggestOthers(
  error: unknown,
  { listed }: Pick<Catalog, "listed">,
  refusing: readonly Candidate[],
  mayServe: (other: Model) => boolean,
): unknown {
  if (!(error instanceof ApiError) || error.code !== "route_refused") return error;
  const refused = new Set(refusing.map(({ model }) => model));
  const others = listed.filter((model) => !refused.has(model) && mayServe(model));
  const best = others.toSorted((one, other) => Number(other.row.recommended) - Number(one.row.recommended)).slice(0, suggestionsMax);
  return new ApiError(error.code, { ...error.details, inside: { suggested_models: best.map(({ id }) => id) } });
}
