// What a token-billed call consumed, in disjoint buckets, the same for every dialect.
import type { ServerTool } from "../generated/withheld-fields.ts";

/** Tokens of one call. `reasoning` is counted inside `output`; the other buckets don't overlap. Never negative. */
export interface Usage {
  /** Prompt tokens that were neither read from nor written to a prompt cache. */
  input: number;
  cacheRead: number;
  cacheWrite: number;
  /** Of the writes, those that are kept for an hour; absent: none that is known. */
  cacheWriteHour?: number;
  output: number;
  reasoning: number;
  /** Calls of tools that the provider ran, each at a price of its own; absent: it said none. */
  toolCalls?: ToolCalls;
  /** The service tier that the upstream says it served; absent: it says none. */
  serviceTier?: string | undefined;
}

/** By tool; of a tool that is absent nothing was asked or said. */
export type ToolCalls = Readonly<Partial<Record<ServerTool, number>>>;

/** Of every call that asks for none, so that it is told by identity: nearly all do. */
export const noToolCalls: ToolCalls = {};

/** What each tool's price, bound and counts are called in the catalog, in logs and receipts, and in `usage.server_tool_use`. */
export const serverTools = {
  web_search: { price: "per_web_search", max: "max_web_searches", calls: "web_searches", requests: "web_search_requests" },
  web_fetch: { price: "per_web_fetch", max: "max_web_fetches", calls: "web_fetches", requests: "web_fetch_requests" },
} as const satisfies Record<ServerTool, object>;

export const serverToolNames = Object.keys(serverTools) as readonly ServerTool[];

export function toolsIn(calls: ToolCalls): ServerTool[] {
  return serverToolNames.filter((tool) => calls[tool] !== undefined);
}

export function sumOfCalls(calls: ToolCalls): number {
  return serverToolNames.reduce((sum, tool) => sum + (calls[tool] ?? 0), 0);
}

/** For each tool that `valueOf` has a value for. */
export function byTool<Value>(valueOf: (tool: ServerTool) => Value | undefined): Partial<Record<ServerTool, Value>> {
  return Object.fromEntries(
    serverToolNames.flatMap((tool) => {
      const value = valueOf(tool);
      return value === undefined ? [] : [[tool, value] as const];
    }),
  );
}

export const noUsage: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };

/** Of an operation without output: embeddings and rankings. */
export function inputUsage(input: number): Usage {
  return { ...noUsage, input };
}

/** Adds the usage of calls that are charged as one; null where one of them reported none. */
export function sumOfUsages(usages: readonly (Usage | null)[]): Usage | null {
  return usages.reduce<Usage | null>((sum, usage) => (sum === null || usage === null ? null : addUsages(sum, usage)), noUsage);
}

function addUsages(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    cacheWriteHour: (one.cacheWriteHour ?? 0) + (other.cacheWriteHour ?? 0),
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
  };
}
