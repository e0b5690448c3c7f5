// GET /v1/usage/{request_id}: how one request was charged (spec/usage/receipts.tsp). Adds nothing up itself.
import type { components } from "../generated/api.d.ts";
import { maskedKey } from "../src/accounts/keys.ts";
import type { Queries } from "../src/db/connect.ts";
import { fail } from "../src/errors/fail.ts";
import { entryRecord, readEntriesOf } from "../src/ledger/entries.ts";
import type { AttemptRecord, LoggedPrices } from "../src/ledger/usage-log.ts";
import { type LogRow, readLog, usageLogRecord, toolCallsOf } from "../src/ledger/read-usage-log.ts";
import { unitsReceiptCharge, receiptCharge } from "../src/pricing/receipt-charge.ts";
import type { AudioPrices } from "../src/pricing/audio-cost.ts";
import type { MediaPrices } from "../src/pricing/media-cost.ts";
import type { TokenPrices } from "../src/catalog/types.ts";
import type { Handler } from "../src/operation.ts";
import { byTool, serverTools, type Usage } from "../src/usage.ts";

export const getReceipt: Handler<"getReceipt"> = async ({ db }, { caller, path }) => {
  const row = (await readLog(db, caller.accountId, path.request_id)) ?? fail("request_not_found", { text: { id: path.request_id } });
  return { status: 200, body: await receiptOf(db, row) };
};

export async function receiptOf(db: Queries, row: LogRow): Promise<components["schemas"]["Receipt"]> {
  const usage = usageOf(row);
  const entries = await readEntriesOf(db, row.account_id, row.id);
  return {
    object: "usage.receipt",
    request_id: row.request_id,
    log: usageLogRecord(row, maskedKey),
    ...shownRoutes(row),
    usage: {
      input: usage.input,
      cache_read: usage.cacheRead,
      cache_write: usage.cacheWrite,
      ...(usage.cacheWriteHour ? { cache_write_1h: usage.cacheWriteHour } : {}),
      output: usage.output,
      reasoning: usage.reasoning,
      ...toolCallsOf(row),
      estimated: row.estimated,
    },
    charge: chargeOf(row, usage),
    ledger: entries.map(entryRecord),
  };
}

type ShownRoutes = Pick<components["schemas"]["Receipt"], "attempts" | "routing">;

/** Routes go by their labels: the names of providers and what those charge are the operator's. */
function shownRoutes({ attempts, model }: LogRow): ShownRoutes {
  const choice = attempts.find((attempt) => attempt.choice !== undefined)?.choice;
  if (choice === undefined) return { attempts: attempts.map(shownAttempt) };
  const { by, first, routes } = choice;
  const labels = new Map(routes.map(({ route, label }) => [route, label]));
  const scoreOf = by === "price" ? timesCheapest(routes) : (score: number | null) => score;
  return {
    attempts: attempts.map((attempt) => ({ ...shownAttempt(attempt), ...labelled(labels.get(attempt.route)) })),
    routing: {
      by,
      ...(first === undefined ? {} : { first }),
      failover: attempts.some(({ route }) => route !== routes[0]!.route),
      routes: routes.map((one) => ({ model: one.model ?? model, ...labelled(one.label), score: scoreOf(one.score) })),
    },
  };
}

function labelled(label: string | undefined): { label?: string } {
  return label === undefined ? {} : { label };
}

/** What an operator pays stays with the operator. */
function timesCheapest(routes: components["schemas"]["RouteScore"][]): (score: number | null) => number | null {
  const lowest = Math.min(...routes.flatMap(({ score }) => score ?? []));
  return (score) => (score === null || lowest === 0 ? null : Math.round((score / lowest) * 100) / 100);
}

/** Leaves out providers, which only the operator sees, and failures of our own credentials. */
function shownAttempt({ model, outcome, status, latency_ms }: Omit<AttemptRecord, "cost_basis">): components["schemas"]["ReceiptAttempt"] {
  return outcome === "our_fault" ? { model, outcome: "unavailable", status: null, latency_ms } : { model, outcome, status, latency_ms };
}

function usageOf(row: LogRow): Usage {
  const calls = toolCallsOf(row);
  return {
    input: Number(row.input_tokens),
    cacheRead: Number(row.cache_read_tokens),
    cacheWrite: Number(row.cache_write_tokens),
    cacheWriteHour: Number(row.cache_write_1h_tokens ?? 0),
    output: Number(row.output_tokens),
    reasoning: Number(row.reasoning_tokens),
    toolCalls: byTool((tool) => calls[serverTools[tool].calls]),
  };
}

function chargeOf(row: LogRow, usage: Usage): components["schemas"]["ReceiptCharge"] {
  const { reserved, cost } = row;
  if (row.units !== null)
    return unitsReceiptCharge({ prices: row.prices as MediaPrices | AudioPrices, units: Number(row.units), reserved, cost });
  const prices = row.prices as LoggedPrices;
  return receiptCharge({ model: prices.model, prices: pricesOf(prices), usage, delivered: isDelivered(row, usage), reserved, cost });
}

function pricesOf(logged: LoggedPrices): TokenPrices {
  const {
    input,
    output,
    cached,
    cache_write = input,
    cache_write_1h = cache_write,
    per_request,
    service_tier,
    long_context,
    step = "1",
  } = logged;
  const toolCalls = byTool((tool) => (logged[tool] === undefined ? undefined : BigInt(logged[tool])));
  return {
    input: BigInt(input),
    output: BigInt(output),
    cached: cached === null ? null : BigInt(cached),
    cacheWrite: BigInt(cache_write),
    cacheWriteHour: BigInt(cache_write_1h),
    perRequest: BigInt(per_request),
    step: BigInt(step),
    ...(service_tier === undefined ? {} : { serviceTier: service_tier }),
    ...(long_context === undefined ? {} : { longContext: long_context }),
    toolCalls,
  };
}

/** A client that disconnected before the first token pays nothing, the price per request included. */
function isDelivered({ status, cost }: LogRow, { input, cacheRead, cacheWrite, output }: Usage): boolean {
  return status === "success" || (status === "aborted" && (cost > 0n || input + cacheRead + cacheWrite + output > 0));
}
