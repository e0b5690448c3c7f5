// Money parity (docs/benchmarks.md#method): the ledger charged what the mock delivered x price, to the unit; the audit finds nothing,
// and nothing is held.
import { setTimeout as sleep } from "node:timers/promises";
import { connect, type Db } from "../../src/db/connect.ts";
import { auditAtRest } from "../support/audit.ts";
import type { Ground } from "./ground.ts";
import { prices } from "./targets/ours.ts";
import type { Running } from "./targets/types.ts";

export interface Parity {
  target: string;
  /** 1e-8 USD. */
  charged: string;
  delivered: string;
  requests: number;
  entries: number;
  logged: number;
  ok: boolean;
  faults: string[];
}

/** Settlements of the last answers are durable before their last byte; only an aborted call may be a moment late. */
const timeoutMs = 5_000;

export async function checkParity(ground: Ground, target: Running): Promise<Parity | null> {
  if (target.ledger === null) return null;
  const db = connect(target.ledger.databaseUrl, { max: 1, statementTimeoutMs: 0 });
  try {
    const giveUpAt = performance.now() + timeoutMs;
    for (;;) {
      const parity = await compareMoney(ground, target, db);
      if (parity.ok || performance.now() > giveUpAt) return parity;
      await sleep(200);
    }
  } finally {
    await db.close();
  }
}

async function compareMoney(ground: Ground, { owner }: Running, db: Db): Promise<Parity> {
  const delivered = await ground.deliveredTo(owner);
  const cost = BigInt(delivered.prompt) * unitsPerToken(prices.input) + BigInt(delivered.completion) * unitsPerToken(prices.output);
  const { rows } = await db.pool.query<{ charged: bigint; entries: number; logged: number }>(
    `select coalesce(-sum(amount), 0)::bigint as charged, count(*)::int as entries, (select count(*)::int from usage_log where model_type = 'language') as logged
     from ledger_entry where kind = 'usage'`,
  );
  const { charged, entries, logged } = rows[0]!;
  const { mismatches, reservations_open, holds_open } = await auditAtRest(db);
  const faults = [
    ...(charged === cost ? [] : [`charged ${charged}, delivered ${cost}`]),
    ...(entries === delivered.requests ? [] : [`${entries} entries for ${delivered.requests} answers`]),
    ...(logged === entries ? [] : [`${logged} rows in the usage log for ${entries} entries`]),
    ...mismatches.map((mismatch) => `audit: ${JSON.stringify(mismatch)}`),
    ...(reservations_open + holds_open === 0 ? [] : [`${reservations_open + holds_open} holds are open`]),
  ];
  return {
    target: owner,
    charged: String(charged),
    delivered: String(cost),
    requests: delivered.requests,
    entries,
    logged,
    ok: faults.length === 0,
    faults: faults.slice(0, 5),
  };
}

/** USD per million tokens, in 1e-8 USD per token: a whole number. */
function unitsPerToken(price: number): bigint {
  return BigInt(price * 100);
}

export function lineOf(parity: Parity): string {
  const { target, requests, entries, charged, delivered, ok, faults } = parity;
  const line = `${target}: ${requests} answers, ${entries} entries, charged ${charged} = delivered ${delivered} (1e-8 USD)`;
  return ok ? `parity ${line}` : `PARITY BROKEN ${line}: ${faults.join("; ")}`;
}
