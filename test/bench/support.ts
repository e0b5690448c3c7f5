// What several benchmarks need: funded accounts and a log row of realistic size.
import type { Db } from "../../src/db/connect.ts";
import type { UsageLogRow } from "../../src/ledger/usage-log.ts";
import { usageLogRow } from "../support/usage-log-row.ts";

export interface BenchAccount {
  accountId: bigint;
  keyId: bigint;
}

/** New accounts, each with a key and one deposit. */
export async function accountsWithMoney(db: Db, count: number, amount: bigint): Promise<BenchAccount[]> {
  const { rows } = await db.pool.query<{ id: bigint }>(
    "insert into account (email, email_norm) select n || '@bench.test', n || '@bench.test' from generate_series(1, $1) n returning id",
    [count],
  );
  const ids = rows.map((row) => row.id);
  await db.pool.query(
    "insert into ledger_entry (account_id, created_at, id, kind, amount, ref) select a, now(), gen_random_uuid(), 'deposit', $2, 'bench' from unnest($1::bigint[]) a",
    [ids, amount],
  );
  const { rows: keys } = await db.pool.query<BenchAccount>(
    `insert into api_key (account_id, hash, prefix, last4, name) select a, sha256(a::text::bytea), 'svc_BENC', 'hmrk', 'bench'
     from unnest($1::bigint[]) a returning account_id as "accountId", id as "keyId"`,
    [ids],
  );
  return keys;
}

/** Of realistic size. */
export function logRow({ accountId, keyId }: BenchAccount, id: string, cost: bigint, reserved: bigint, at: Date): UsageLogRow {
  const model = "north/swift";
  return {
    ...usageLogRow({ accountId, keyId, id, cost, at, reserved }),
    model,
    input_tokens: 812,
    output_tokens: 164,
    prices: { model, input: "150000", output: "600000", cached: null, per_request: "0" },
    attempts: [
      {
        route: "sim/chat",
        model,
        outcome: "ok",
        status: 200,
        latency_ms: 512,
        cost_basis: { input: 0.15, output: 0.6, cached: null, per_request: 0 },
      },
    ],
    latency_ms: 530,
    first_byte_ms: 512,
  };
}
