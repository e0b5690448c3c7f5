// A gateway process reduced to what admits and settles calls, with its slices: one of several in a test, or as a process of its own
// (escrow-worker.ts).
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { openAdmission } from "../../src/calls/admit.ts";
import { connect, type Db } from "../../src/db/connect.ts";
import { listen } from "../../src/db/listen.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import { type LedgerTimes, ledgerTimes } from "../../src/ledger/times.ts";
import { openCounters } from "../../src/limits/counters.ts";
import type { Tier } from "../../src/catalog/types.ts";
import { highTiers } from "../support/tiers.ts";
import { usageLogRow } from "../support/usage-log-row.ts";

export interface Calling {
  accountId: bigint;
  keyId: bigint;
  /** What a call may cost at most, and what it does. */
  want: bigint;
  cost: () => bigint;
  /** Absent: some ms, different ones, as calls in the world are not in step. */
  upstreamMs?: number;
  tiers?: Tier[];
  model?: string;
  tokens?: number;
  least?: bigint;
  onCharged?: (cost: bigint) => void;
}

export type End = (() => Promise<void>) & { id: string };

export interface EscrowProcess {
  db: Db;
  ledger: Ledger;
  /** Statements that were sent, by the function that they call. */
  sent: Record<string, number>;
  /** How many calls were admitted. */
  readonly made: number;
  /** The functions of the statements that named this call. */
  sentFor(id: string): string[];
  /** Breaks the connections of these statements of this function once they are done; null: no more. */
  loseAnswersOf(name: string | null, every?: number): void;
  /** True: served and charged. False: refused. */
  call(calling: Calling): Promise<boolean>;
  /** A call that is admitted and stays in flight until its end is asked for; null: refused. */
  begin(calling: Calling): Promise<End | null>;
  close(): Promise<void>;
}

const functions = /\b(admit_calls|rate_take|ledger_reserve|ledger_settle|escrow_take|escrow_close|pg_notify)\(/;

export async function openProcess(
  url: string,
  onFault: (error: unknown, what: string) => void,
  { times, hears = true }: { times?: LedgerTimes; hears?: boolean } = {},
): Promise<EscrowProcess> {
  const db = connect(url, { max: 6 });
  const sent: Record<string, number> = {};
  const query = db.pool.query.bind(db.pool) as (...all: unknown[]) => Promise<unknown>;
  const statements: { name: string; values: string }[] = [];
  let losing: { name: string | null; every: number } = { name: null, every: 1 };
  db.pool.query = (async (...all: unknown[]) => {
    const name = typeof all[0] === "string" ? functions.exec(all[0])?.[1] : undefined;
    if (name === undefined) return query(...all);
    sent[name] = (sent[name] ?? 0) + 1;
    statements.push({ name, values: String(all[1]) });
    const answer = await query(...all);
    if (name === losing.name && sent[name] % losing.every === 0)
      throw Object.assign(new Error("the connection broke"), { code: "ECONNRESET" });
    return answer;
  }) as never;
  const ledger = await openLedger(db, onFault, undefined, times);
  const counters = openCounters(db, onFault);
  const listener = await listen(
    url,
    ["escrow_recall"],
    (_channel, payload) => ledger.recall(BigInt(payload)),
    () => ledger.recall(null),
  );
  if (hears) ledger.hears(() => listener.heardUntil);
  let made = 0;
  const admitCall = openAdmission({ ledger, limits: { counters }, clock: db.checks.now });

  const begin: EscrowProcess["begin"] = async (calling) => {
    const { accountId, keyId, want, least = want, tiers = highTiers(), model = "demo/chat", tokens = 2 } = calling;
    const caller = {
      accountId,
      keyId,
      purchased: 10n ** 12n,
      assignedTier: null,
      suspended: false,
      storesResponses: false,
      policy: null,
      session: null,
    };
    const id = randomUUID();
    const limited = { caller, model: { id: model }, tokens: { input: tokens, output: 0 }, addHeaders: () => undefined };
    const admitted = await admitCall({ tiers }, limited, { id, want, least }).catch((error: unknown) => {
      if ((error as { code?: string }).code !== "rate_limit_exceeded") throw error;
      return null;
    });
    const granted = admitted?.reserved.granted ?? null;
    if (admitted === null || granted === null) return null;
    const end = async () => {
      admitted.rate.correct(tokens);
      const cost = calling.cost();
      const log = usageLogRow({ accountId, id, cost, at: new Date(), keyId, reserved: granted });
      await ledger.settle({ accountId, id, log });
      calling.onCharged?.(cost);
    };
    made += 1;
    return Object.assign(end, { id });
  };
  return {
    db,
    ledger,
    sent,
    get made() {
      return made;
    },
    sentFor: (id) => statements.filter(({ values }) => values.includes(id)).map(({ name }) => name),
    loseAnswersOf: (name, every = 3) => void (losing = { name, every }),
    begin,
    async call(calling) {
      const end = await begin(calling);
      if (end === null) return false;
      await sleep(calling.upstreamMs ?? 1 + Math.random() * 20);
      await end();
      return true;
    },
    async close() {
      await counters.close();
      await ledger.close();
      await listener.close();
      await db.close();
    },
  };
}

/** A dead process is swept within moments. */
export const quickTimes: LedgerTimes = { ...ledgerTimes, beatMs: 400, gapMs: 2_000, deadAfterMs: 4_000 };
