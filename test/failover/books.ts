// The clients' books beside the ledger: every answer that was served is charged once and as it said, and every other charge has a cause that
// somebody named: the client, which saw its connection break, nginx, or the gateway's log.
import type { Call } from "./client.ts";
import { eventually } from "./eventually.ts";
import type { Tried, World } from "./world.ts";

export interface Books {
  served: number;
  failed: number;
  /** Served, and no entry in the ledger. */
  uncharged: string[];
  /** Charged though the client has no answer, each with its cause. */
  named: { requestId: string; cause: string }[];
  /** What must not be. */
  faults: string[];
}

interface Row {
  id: string;
  request_id: string;
  job_id: string | null;
  cost: bigint;
  /** Of its entry in the ledger; null: there is none. */
  amount: bigint | null;
}

const rowsSql = `select u.id, u.request_id, u.job_id, u.cost, -e.amount as amount from usage_log u
  left join ledger_entry e on e.account_id = u.account_id and e.id = u.id and e.kind = 'usage' where u.request_id like $1 || '%'`;

export async function compareBooks(world: World, prefix: string, calls: readonly Call[]): Promise<Books> {
  const rows = await world.query<Row>(rowsSql, [prefix]);
  const log = world.log();
  const tries = world.tries();
  const byRequest = Map.groupBy(rows, (row) => row.request_id);
  const [uncharged, named, faults]: [string[], Books["named"], string[]] = [[], [], []];
  for (const call of calls) {
    const charges = (byRequest.get(call.requestId) ?? []).filter(({ cost, amount }) => cost > 0n || amount !== null);
    const text = `${call.requestId} (${call.kind}, status ${call.status}, ${call.cost})`;
    if (charges.length > 1) faults.push(`charged ${charges.length} times: ${text}`);
    const charge = charges[0];
    if (charge !== undefined && charge.amount !== charge.cost)
      faults.push(`the log says ${charge.cost}, the ledger ${charge.amount}: ${text}`);
    if (call.served) {
      if (charge === undefined) uncharged.push(call.requestId);
      else if (charge.cost !== call.cost) faults.push(`charged ${charge.cost}: ${text}`);
    } else if (charge !== undefined) {
      const cause = causeOf(call, charge, log, tries.get(call.requestId));
      if (cause === null) faults.push(`charged without a cause that anybody named: ${text}`);
      else named.push({ requestId: call.requestId, cause });
    }
  }
  const known = new Set(calls.map(({ requestId }) => requestId));
  for (const row of rows) if (!known.has(row.request_id)) faults.push(`a call that no client made: ${row.request_id}`);
  const served = calls.filter((call) => call.served).length;
  return { served, failed: calls.length - served, uncharged, named, faults };
}

function causeOf(call: Call, { id }: Row, log: string, tried: Tried | undefined): string | null {
  const line = log
    .split("\n")
    .find((one) => one.includes(id) && /it was charged after all|it is not known whether it was charged/.test(one));
  if (line !== undefined) return line.includes("after all") ? "the log: charged after all" : "the log: not known whether it was charged";
  if (call.status === 0) return "the connection broke";
  if (call.status === 503 && tried?.statuses.at(-1) === "502") return "nginx: the gateway broke off";
  return call.status === 200 ? "the stream was interrupted" : null;
}

export interface Ledger {
  audit: { mismatches: unknown[]; holds_open: number; reservations_open: number };
  verify: { broken: unknown; entries: number };
  compare: { lost_count: number; lost_usd: number; posted: number; unlogged: { request_id: string }[]; unreadable: number } & Record<
    "different" | "unknown" | "refused",
    unknown[]
  >;
}

/** As an operator asks: `svc ledger audit`, `verify` and `compare`; again where the leader is gone meanwhile, as on a machine that is too busy. */
export async function askLedger(world: World, ...compareWords: string[]): Promise<Ledger> {
  const ask = <T>(...words: string[]) => eventually(() => world.svc<T>("ledger", ...words), 60_000);
  const audit = await ask<Ledger["audit"]>("audit");
  const verify = await ask<Ledger["verify"]>("verify");
  const compare = await ask<Ledger["compare"]>("compare", ...world.chargeLogs(), ...compareWords);
  return { audit, verify, compare };
}

/** What is wrong with it; `unlogged`: the calls whose line in the log of charges may be missing. */
export function faultsOf({ audit, verify, compare }: Ledger, unlogged: ReadonlySet<string>): string[] {
  const missing = compare.unlogged.map(({ request_id }) => request_id).filter((id) => !unlogged.has(id));
  return [
    ...(audit.mismatches.length > 0 ? [`svc ledger audit: ${JSON.stringify(audit.mismatches)}`] : []),
    ...(audit.holds_open + audit.reservations_open > 0
      ? [`svc ledger audit: ${audit.holds_open} and ${audit.reservations_open} holds are open`]
      : []),
    ...(verify.broken === null ? [] : [`svc ledger verify: ${JSON.stringify(verify.broken)}`]),
    ...(compare.lost_count > 0 ? [`svc ledger compare: ${compare.lost_count} charges are lost`] : []),
    ...(compare.different.length + compare.unknown.length + compare.unreadable > 0
      ? [`svc ledger compare: ${JSON.stringify(compare)}`]
      : []),
    ...(missing.length > 0 ? [`svc ledger compare: not in the log of charges: ${missing.join(", ")}`] : []),
  ];
}
