// A log of charges outside the database: one line of JSON for each, after its commit. What a restore to an earlier moment loses can be found by it
// (`svc ledger compare`), and what was never committed although its caller owes it. The file is opened for each write, so a rotated one is left
// alone from then on.
import { appendFile } from "node:fs/promises";
import type pino from "pino";
import { accountIdText } from "../ids.ts";
import { type Amount, usdText } from "../money.ts";
import type { Settlement } from "./settlement.ts";
import type { UsageLogRow } from "./usage-log.ts";

export interface Charge {
  at: Date;
  accountId: bigint;
  /** Of its ledger entry: it makes the charge one of its kind. */
  id: string;
  requestId: string;
  amount: Amount;
  /** The database did not confirm it in time, and may not have it. Absent: it is committed. */
  unsettled?: true;
}

export function chargeOf({ account_id, created_at, id, request_id, cost }: UsageLogRow): Charge {
  return { at: created_at, accountId: BigInt(account_id), id, requestId: request_id, amount: BigInt(cost) };
}

/** In the log of charges, and in the gateway's own: that one is always there. */
export function noteUnsettled(
  { log: row, owed = false }: Settlement,
  chargeLog: Pick<ChargeLog, "add"> | null,
  log: Pick<pino.Logger, "error">,
): void {
  const charge = { ...chargeOf(row), unsettled: true } as const;
  if (!owed || charge.amount === 0n) return;
  chargeLog?.add(charge);
  log.error(fieldsOf(charge), "a charge that its caller owes could not be settled");
}

/** As its line has it. */
function fieldsOf({ at, accountId, id, requestId, amount, unsettled }: Charge): Record<string, string | true> {
  const named = { at: at.toISOString(), account_id: accountIdText(accountId), id, request_id: requestId, usd: usdText(amount) };
  return unsettled === undefined ? named : { ...named, unsettled };
}

export interface ChargeLog {
  /** Costs the call a push: lines are written together, a moment later. */
  add(charge: Charge): void;
  /** Writes what is left. */
  close(): Promise<void>;
}

/** How long a process that is killed may have kept lines to itself. */
const gatherMs = 100;
/** A disk that fails is tried again after twice the pause before, up to this. */
const pauseMaxMs = 5_000;
/** While the disk takes none. Further ones are lost, and reported. */
const linesMax = 50_000;

export function openChargeLog(path: string, onFault: (error: unknown, what: string) => void): ChargeLog {
  let lines: string[] = [];
  let lost = 0;
  let writing: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = gatherMs;

  const write = async () => {
    const batch = lines;
    lines = [];
    try {
      await appendFile(path, batch.join(""), { mode: 0o600 });
      if (lost > 0) onFault(new Error(`${lost} lines are missing in ${path}`), "the charge log");
      lost = 0;
      pauseMs = gatherMs;
    } catch (error) {
      onFault(error, "writing the charge log");
      const kept = [...batch, ...lines];
      lines = kept.slice(0, linesMax);
      lost += kept.length - lines.length;
      pauseMs = Math.min(pauseMs * 2, pauseMaxMs);
    }
  };
  const flush = () => {
    timer = undefined;
    writing ??= write().finally(() => {
      writing = null;
      if (lines.length > 0) schedule();
    });
  };
  const schedule = () => void (timer ??= setTimeout(flush, pauseMs));

  flush(); // of nothing: a path that can't be written is reported at the start, not with the first charge

  return {
    add(charge) {
      if (charge.amount === 0n) return;
      if (lines.length >= linesMax) return void (lost += 1);
      lines.push(`${JSON.stringify(fieldsOf(charge))}\n`);
      schedule();
    },
    async close() {
      clearTimeout(timer);
      await writing;
      clearTimeout(timer);
      if (lines.length > 0) await write();
      const left = lines.length + lost;
      if (left > 0) onFault(new Error(`${left} lines are missing in ${path}`), "the charge log");
    },
  };
}
