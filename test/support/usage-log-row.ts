// A usage log row, and a call with one, for tests that settle without a flow.
import { randomUUID } from "node:crypto";
import type { Settlement } from "../../src/ledger/settlement.ts";
import type { UsageLogRow } from "../../src/ledger/usage-log.ts";

interface Charge {
  accountId: bigint;
  id: string;
  cost: bigint;
  at: Date;
  keyId?: bigint | null;
  /** What its hold is. */
  reserved?: bigint;
}

export function usageLogRow({ accountId, id, cost, at, keyId = null, reserved = 0n }: Charge): UsageLogRow {
  return {
    account_id: String(accountId),
    created_at: at,
    id,
    request_id: `req_${id}`,
    key_id: keyId === null ? null : String(keyId),
    operation: "createChatCompletion",
    model: "test/model",
    model_type: "language",
    alias: null,
    served_model: null,
    status: "success",
    http_status: 200,
    error_code: null,
    error_message: null,
    input_tokens: 1,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    output_tokens: 1,
    reasoning_tokens: 0,
    estimated: false,
    cost: String(cost),
    reserved: String(reserved),
    prices: { model: "test/model", input: "0", output: "0", cached: null, per_request: "0" },
    attempts: [],
    expense: null,
    stream: false,
    fallback_layer: null,
    latency_ms: 1,
    first_byte_ms: null,
  };
}

/** A call that held nothing, to be settled. */
export function newCall(accountId: bigint, cost: bigint, at: Date, more: Partial<UsageLogRow> = {}): Settlement {
  const id = randomUUID();
  return { accountId, id, log: { ...usageLogRow({ accountId, id, cost, at }), ...more } };
}
