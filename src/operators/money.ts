// What operators change of an account's money: corrections, and charges given back. Each is posted once, with its row of the log, in one
// transaction.
import { createHash } from "node:crypto";
import type { components } from "../../generated/api.d.ts";
import type { Tier } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { type Db, type Queries } from "../db/connect.ts";
import { fail, failNotPossible, failParameter } from "../errors/fail.ts";
import { accountIdText, cutId, uuidv7 } from "../ids.ts";
import { readStaffJobs } from "../jobs/staff-jobs.ts";
import { readBalance } from "../ledger/balance.ts";
import { entryId, findEntry } from "../ledger/entries.ts";
import { correct, type CorrectionKind, type CorrectionRefusal, refund } from "../ledger/post.ts";
import type { LogRow } from "../ledger/read-usage-log.ts";
import { type Amount, parseUsd, toUsd, usdText } from "../money.ts";
import { type Actor, recorded } from "./action-log.ts";

type Posted = components["schemas"]["PostedEntry"];
type Needs = Pick<Context, "db" | "clock">;

/** The amount in a body as exact units; the text of a double has its digits. */
export function amountOf(param: string, usd: number): Amount {
  const amount = parseUsd(plainDigits(Math.abs(usd)));
  if (amount === undefined || amount === 0n) failParameter(param, "it must be an amount other than 0 with at most 8 decimals");
  return usd < 0 ? -amount : amount;
}

/** `1e-8` is written out. */
function plainDigits(value: number): string {
  const text = String(value);
  return text.includes("e") ? value.toFixed(20).replace(/\.?0+$/, "") : text;
}

interface Adjustment {
  accountId: bigint;
  amount: Amount;
  kind: "purchased" | "earned";
  /** Of the entry that is wrong; null: none. */
  entry: string | null;
  reason: string;
  /** Of the caller; null: a new posting each time. */
  idempotencyKey: string | null;
}

export async function adjustMoney({ db, clock }: Needs, actor: Actor, asked: Adjustment): Promise<Posted> {
  const { accountId, amount, entry, reason } = asked;
  const named = entry === null ? null : await findEntry(db, accountId, entry);
  if (named === undefined) failNotPossible(`the account has no entry ${entry}`);
  const kind = named === null ? kindOf(asked.kind) : correctionOf(named.kind);
  const at = clock();
  const id = asked.idempotencyKey === null ? uuidv7(at) : uuidOf(`${actor.accountId} ${accountId} ${asked.idempotencyKey}`);
  return recorded(db, actor, at, async (transaction) => {
    const before = await totalOf(transaction, accountId);
    const correction = { accountId, kind, amount, ref: named?.ref ?? "operator", reason, corrects: named?.seq ?? null, at };
    const done = await correct(transaction, correction, id);
    if (done.refused !== null) failNotPossible(correctionRefusal(done.refused, kind, entry));
    await assertSame(transaction, { accountId, id, kind, amount, reason });
    const { seq, balance } = done;
    const posted = { account_id: accountIdText(accountId), entry_id: entryId(seq), amount_usd: toUsd(amount), balance_usd: toUsd(balance) };
    const row = {
      ...{ action: "account.adjust", target: posted.account_id, reason, effect: id },
      before: { balance_usd: toUsd(before) },
      after: { balance_usd: posted.balance_usd, entry_id: posted.entry_id, amount_usd: posted.amount_usd, kind },
    };
    return { result: { object: "operator.posting" as const, ...posted }, row };
  });
}

/** The key may have been used before, for something else. */
async function assertSame(
  { pool }: Queries,
  { accountId, id, kind, amount, reason }: { accountId: bigint; id: string; kind: string; amount: Amount; reason: string },
): Promise<void> {
  const { rows } = await pool.query<{ amount: Amount; reason: string | null }>(
    "select amount, reason from ledger_entry where account_id = $1 and id = $2 and kind = $3",
    [accountId, id, kind],
  );
  if (rows[0]?.amount !== amount || rows[0].reason !== reason) fail("idempotency_key_reused");
}

/** The same for the same text: in the form of a UUID of version 8, which leaves its content open. */
export function uuidOf(text: string): string {
  const hex = createHash("sha256").update(`operator ${text}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

async function totalOf(db: Queries, accountId: bigint): Promise<Amount> {
  const balance = await readBalance(db, accountId);
  return balance === undefined ? 0n : balance.available + balance.reserved;
}

function kindOf(kind: Adjustment["kind"]): CorrectionKind {
  return kind === "earned" ? "earned_adjustment" : "adjustment";
}

const earnedKinds = ["signup_credit", "bonus", "refund", "earned_adjustment"];

/** The correction of an entry is of its kind of money. */
export function correctionOf(kind: string): CorrectionKind {
  return earnedKinds.includes(kind) ? "earned_adjustment" : "adjustment";
}

export function moneyOf(kind: CorrectionKind): "purchased" | "earned" {
  return kind === "earned_adjustment" ? "earned" : "purchased";
}

/** As a part of a sentence. */
export function correctionRefusal(refused: CorrectionRefusal, kind: CorrectionKind, entry: string | null): string {
  switch (refused) {
    case "entry":
    case "kind":
      return `${entry} can't be corrected: name the entry that added the money. A refund gives back a charge`;
    case "more":
      return `that is more than ${entry} and its corrections leave`;
    case "total":
      return `lifetime_${moneyOf(kind)} would fall below 0`;
  }
}

// Charges that are given back.

export interface Charge {
  accountId: bigint;
  /** Of the call or the job. */
  id: string;
  amount: Amount;
}

/** Why there is no one charge: no such call; it cost nothing; several accounts, or several calls of one, have the id. */
type NoCharge = "unknown" | "free" | "accounts" | "calls";

/** Of a job by its own id, else of the one call that was charged of those with that request id. `account` null: any. */
export async function findCharge(db: Db, tiers: readonly Tier[], name: string, account: bigint | null): Promise<Charge | NoCharge> {
  const [job] = await readStaffJobs(db, tiers, { shownId: name }, 1);
  if (job && (account === null || account === job.account_id)) return { accountId: job.account_id, id: job.id, amount: job.charged ?? 0n };
  const [one, other] = await readCharged(db, name, account);
  if (one === undefined) return (await isLogged(db, name, account)) ? "free" : "unknown";
  // Callers may choose their ids: money is given back only where one charge has it.
  if (other !== undefined) return other.account_id === one.account_id ? "calls" : "accounts";
  return { accountId: one.account_id, id: one.id, amount: one.cost };
}

type Charged = Pick<LogRow, "account_id" | "id" | "cost">;

/** The newest two. */
async function readCharged({ pool }: Db, requestId: string, account: bigint | null): Promise<Charged[]> {
  const { rows } = await pool.query<Charged>(
    `select account_id, id, cost from usage_log
     where request_id = $1 and ($2::bigint is null or account_id = $2) and cost > 0 order by created_at desc limit 2`,
    [requestId, account],
  );
  return rows;
}

async function isLogged({ pool }: Db, requestId: string, account: bigint | null): Promise<boolean> {
  const sql = "select 1 from usage_log where request_id = $1 and ($2::bigint is null or account_id = $2) limit 1";
  return (await pool.query(sql, [requestId, account])).rowCount === 1;
}

interface AskedRefund {
  requestId: string;
  account: bigint | null;
  /** Null: the whole charge. */
  amount: Amount | null;
  reason: string;
}

const noCharge: Record<Exclude<NoCharge, "unknown">, string> = {
  free: "it was not charged",
  accounts: "several accounts sent this request id: name one with account",
  calls: "several charged calls of the account have this id: correct the account's earned money instead",
};

export async function refundCharge(context: Needs & Pick<Context, "catalog">, actor: Actor, asked: AskedRefund): Promise<Posted> {
  const { db, clock, catalog } = context;
  const { requestId, reason, amount } = asked;
  const charge = await findCharge(db, catalog.tiers, requestId, asked.account);
  if (charge === "unknown") fail("request_not_found", { message: `There is no call or job ${cutId(requestId)}.` });
  if (typeof charge === "string") failNotPossible(noCharge[charge]);
  const { accountId, id } = charge;
  const at = clock();
  return recorded(db, actor, at, async (transaction) => {
    const before = await totalOf(transaction, accountId);
    const done = await refund(transaction, { accountId, id, at, amount, reason });
    if (done.refused === "free") failNotPossible(noCharge.free);
    if (done.refused === "refunded") failNotPossible(`it was already refunded, ${usdText(done.refunded)} USD`);
    if (done.refused === "above") failNotPossible(`it was charged ${usdText(done.refunded)} USD: a refund is never more`);
    const [account_id, entry_id] = [accountIdText(accountId), entryId(done.seq)];
    const posted = { account_id, entry_id, amount_usd: toUsd(done.refunded), balance_usd: toUsd(done.balance) };
    const row = {
      ...{ action: "call.refund", target: requestId, reason, effect: id },
      before: { account_id, balance_usd: toUsd(before) },
      after: posted,
    };
    return { result: { object: "operator.posting" as const, ...posted }, row };
  });
}
