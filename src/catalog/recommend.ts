// Which models GET /v1/models/recommend names, in which order and why (WIRE.md 15.8). Pure; rows in, rows out.
// Leaves what the editors recommend to the catalog file.
import type { components, operations } from "../../generated/api.d.ts";
import type { ModelRow } from "./types.ts";
import { useCaseOf } from "./use-case-words.ts";

export type RecommendQuery = NonNullable<operations["recommendModels"]["parameters"]["query"]>;
export type Recommendations = components["schemas"]["RecommendationList"];

/** WIRE.md 15.8. Only the bare call lists every recommended row. */
const limitDefault = 5;

export function recommend(rows: readonly ModelRow[], query: RecommendQuery): Recommendations {
  const asked = readQuery(query);
  const fitting = rows.filter(
    (row) =>
      (asked.useCase === null ? row.recommended : row.use_cases.some((useCase) => useCase === asked.useCase)) &&
      (asked.type === null || row.type === asked.type) &&
      (query.free_tier === undefined || row.free_tier === query.free_tier) &&
      (query.max_input_price === undefined || row.pricing.input <= query.max_input_price),
  );
  // Array.prototype.sort is stable: within one standing the catalog's order holds.
  const best = fitting.sort((one, other) => standing(other) - standing(one)).slice(0, limitOf(query, asked));
  return {
    object: "list",
    use_case: asked.useCase,
    data: best.map((row, index) => ({ ...row, reason: reasonFor(row, asked.useCase), rank: index + 1 })),
  };
}

interface Asked {
  useCase: string | null;
  type: string | null;
}

/** An empty value asks for nothing, as an absent one. */
function readQuery(query: RecommendQuery): Asked {
  const useCase = query.use_case?.trim() || null;
  return { useCase: useCase === null ? null : useCaseOf(useCase), type: query.type?.trim() || null };
}

function limitOf(query: RecommendQuery, { useCase, type }: Asked): number {
  if (query.limit !== undefined) return query.limit;
  const bare = useCase === null && type === null && query.free_tier === undefined && query.max_input_price === undefined;
  return bare ? Number.MAX_SAFE_INTEGER : limitDefault;
}

/** The editors' choice comes before what is merely much asked for. */
function standing(row: ModelRow): number {
  return (row.recommended ? 2 : 0) + (row.hot ? 1 : 0);
}

function reasonFor(row: ModelRow, useCase: string | null): string {
  const purpose = row.best_for.replace(/[\s.]+$/, "");
  if (useCase === null) return `Recommended: ${purpose}.`;
  return `${row.recommended ? "Recommended" : "Suited"} for ${useCase}: ${purpose}.`;
}
