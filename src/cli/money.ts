// `svc account deposit`, `credit` and `adjust`, and `svc refund`: money that the operator adds, corrects and gives back. A lost answer is asked for
// again, and the amount is posted once. `svc payment …`: events of the payment provider that could not be applied.
import { Refused } from "../accounts/admin.ts";
import { lockReceiver } from "../accounts/users.ts";
import { tiersOf } from "../catalog/tiers.ts";
import type { Tier } from "../catalog/types.ts";
import type { Db, Queries } from "../db/connect.ts";
import { accountIdText, topupIdText, uuidv7 } from "../ids.ts";
import { readStaffJobs } from "../jobs/staff-jobs.ts";
import { type Balance, readBalance } from "../ledger/balance.ts";
import { entryId, findEntry } from "../ledger/entries.ts";
import { correct, type Corrected, MaybePosted, postEntryOnce, postPatiently, refund as giveBack, type Refunded } from "../ledger/post.ts";
import { type Amount, toUsd, usdText } from "../money.ts";
import { type Charge, correctionOf, correctionRefusal, findCharge, moneyOf } from "../operators/money.ts";
import { dismissUnapplied, listUnapplied } from "../payments/event-rows.ts";
import { readAccount, readAmount, readSignedAmount } from "./arguments.ts";
import { type Input, type Outcome, UsageError } from "./command.ts";
import { findRequest } from "./request.ts";
import { recordedByShell, withDatabase } from "./with-database.ts";

/** A restart of Postgres takes less time, on a busy machine too. */
const timeoutMs = 20_000;
/** The server gives up an attempt before the connection does, so after a minute no attempt can still be running. */
const ofATry = { statementTimeoutMs: 4_000, silenceMs: 5_000 };

export async function deposit(input: Input): Promise<Outcome> {
  return add(input, "deposit");
}

export async function credit(input: Input): Promise<Outcome> {
  return add(input, "bonus");
}

async function add({ config, words }: Input, kind: "deposit" | "bonus"): Promise<Outcome> {
  const amount = readAmount(words[1]!, "USD");
  const work = async (db: Db): Promise<Outcome> => {
    const { accountId } = await readAccount(db, words[0]!);
    const id = accountIdText(accountId);
    const at = db.checks.now();
    const entry = { id: uuidv7(at), accountId, kind, amount, ref: "cli", at };
    const row = (after: Amount) => ({
      ...{ action: kind === "bonus" ? "account.credit" : "account.deposit", target: id, effect: entry.id },
      after: { amount_usd: toUsd(amount), balance_usd: toUsd(after) },
    });
    const give = async (transaction: Queries) => {
      await lockReceiver(transaction, accountId, { toPerson: false });
      return postEntryOnce(transaction, entry);
    };
    const post = () => recordedByShell(db, at, give, row);
    const balance = await orSayWhereToLook(db, accountId, kind === "bonus" ? "earned" : "purchased", amount, () =>
      postPatiently(timeoutMs, post, (after) => after),
    );
    return { json: { account_id: id, balance: toUsd(balance) }, text: `${id} balance ${usdText(balance)} USD` };
  };
  return withDatabase(config, work, ofATry);
}

/** Runs `post`; where it may have posted, the error says how to find out. */
async function orSayWhereToLook<T>(
  db: Db,
  accountId: bigint,
  money: "purchased" | "earned",
  amount: Amount,
  post: () => Promise<T>,
): Promise<T> {
  const before = (await readBalance(db, accountId)) as Balance;
  try {
    return await post();
  } catch (error) {
    if (!(error instanceof MaybePosted)) throw error;
    const [total, was] = [`lifetime_${money}`, before[money]];
    const look = `svc account show ${accountIdText(accountId)} --json shows ${total} ${toUsd(was + amount)} if it was posted and ${toUsd(was)} if not`;
    throw new Error(`${error.message}: before you retry, check in a minute: ${look}`, { cause: error.cause });
  }
}

export async function adjust({ config, words, options }: Input): Promise<Outcome> {
  const amount = readSignedAmount(words[1]!, "USD");
  const reason = readReason(options.reason);
  const entry = typeof options.entry === "string" ? options.entry : null;
  if (entry !== null && options.earned)
    throw new UsageError("--earned can't be used with --entry: a correction uses the same kind of money as its entry");
  const work = async (db: Db): Promise<Outcome> => {
    const { accountId } = await readAccount(db, words[0]!);
    const id = accountIdText(accountId);
    const named = entry === null ? null : await findEntry(db, accountId, entry);
    if (named === undefined) throw new Refused(`${id} has no entry ${entry}`);
    const kind = named === null ? (options.earned ? "earned_adjustment" : "adjustment") : correctionOf(named.kind);
    const at = db.checks.now();
    const correction = { accountId, kind, amount, ref: named?.ref ?? "cli", reason, corrects: named?.seq ?? null, at };
    const effect = uuidv7(at);
    const row = (done: Corrected) => (done.refused === null ? adjustment({ id, effect, amount, kind, reason }, done) : null);
    const post = () => recordedByShell(db, at, (transaction) => correct(transaction, correction, effect), row);
    const corrected = await orSayWhereToLook(db, accountId, moneyOf(kind), amount, () => postPatiently(timeoutMs, post, (done) => done));
    if (corrected.refused !== null) throw new Refused(correctionRefusal(corrected.refused, kind, entry));
    const { balance, seq } = corrected;
    const json = { account_id: id, balance: toUsd(balance), entry_id: entryId(seq) };
    return { json, text: `${id} balance ${usdText(balance)} USD, ${entryId(seq)}` };
  };
  return withDatabase(config, work, ofATry);
}

function adjustment(
  { id, effect, amount, kind, reason }: { id: string; effect: string; amount: Amount; kind: string; reason: string },
  { seq, balance }: { seq: bigint; balance: Amount },
) {
  const after = { balance_usd: toUsd(balance), entry_id: entryId(seq), amount_usd: toUsd(amount), kind };
  return { action: "account.adjust", target: id, reason, effect, after };
}

/** One line: it stands in the entry's hash, and customers read it. */
export function readReason(given: string | boolean | undefined): string {
  const reason = typeof given === "string" ? given.trim() : "";
  if (reason === "" || /[\n\r]/.test(reason)) throw new UsageError("--reason must say why, in one line");
  if (reason.length > reasonMax) throw new UsageError(`--reason must have at most ${reasonMax} characters`);
  return reason;
}

const reasonMax = 500;

const listMax = 200;

export async function listUnappliedPayments({ config }: Input): Promise<Outcome> {
  return withDatabase(config, async (db) => {
    const found = await listUnapplied(db, listMax + 1);
    const data = found.slice(0, listMax).map((event) => ({
      ...{ event_id: event.id, type: event.type, about: event.about, amount: event.said },
      topup_id: event.topupId === null ? null : topupIdText(event.topupId),
      account_id: event.accountId === null ? null : accountIdText(event.accountId),
      ...{ reason: event.reason, times: event.times },
      first_at: event.firstAt.toISOString(),
      last_at: event.lastAt.toISOString(),
    }));
    const more = found.length > listMax;
    const lines = data.map(
      (one) => `${one.event_id} ${one.type} ${one.about} ${one.amount}, ${one.times} times until ${one.last_at}: ${one.reason}`,
    );
    const end = more ? ["older events follow"] : data.length === 0 ? ["every payment event was applied"] : [];
    return { json: { data, has_more: more }, text: [...lines, ...end].join("\n") };
  });
}

export async function dismissPayment({ config, words }: Input): Promise<Outcome> {
  const id = words[0]!;
  return withDatabase(config, async (db) => {
    const at = db.checks.now();
    const row = (dismissed: boolean) => (dismissed ? { action: "payment.dismiss", target: id } : null);
    if (!(await recordedByShell(db, at, (transaction) => dismissUnapplied(transaction, id, at), row)))
      throw new Refused(`no such event waits: ${id}`);
    return { json: { event_id: id, dismissed: true }, text: `${id} is dismissed` };
  });
}

// Charges that are given back.

export async function refund({ config, words, options }: Input): Promise<Outcome> {
  const amount = typeof options.amount === "string" ? readAmount(options.amount, "--amount") : null;
  const reason = readReason(options.reason);
  const work = async (db: Db): Promise<Outcome> => {
    const charge = await chargeOf(db, tiersOf(config.catalogPath), words[0]!, options.account);
    const { name, accountId, id } = charge;
    const at = db.checks.now();
    const row = (given: Refunded) => (given.refused === null ? refundRow({ accountId, id, name, reason }, given) : null);
    const post = () => recordedByShell(db, at, (transaction) => giveBack(transaction, { accountId, id, at, amount, reason }), row);
    const done = await orSayWhereToLook(db, accountId, "earned", amount ?? charge.amount, () =>
      postPatiently(timeoutMs, post, (given) => given),
    );
    if (done.refused === "free") throw new Refused(`${name} was not charged`);
    if (done.refused === "refunded") throw new Refused(`${name} was already refunded, ${usdText(done.refunded)} USD`);
    if (done.refused === "above") throw new Refused(`${name} was charged ${usdText(done.refunded)} USD: a refund is never more`);
    const { balance, seq, refunded } = done;
    const account = accountIdText(accountId);
    const json = { account_id: account, balance: toUsd(balance), entry_id: entryId(seq), refunded: toUsd(refunded) };
    return { json, text: `${name} refunded, ${usdText(refunded)} USD returned to ${account}, balance ${usdText(balance)} USD` };
  };
  return withDatabase(config, work, ofATry);
}

function refundRow(
  { accountId, id, name, reason }: { accountId: bigint; id: string; name: string; reason: string },
  { seq, refunded, balance }: { seq: bigint; refunded: Amount; balance: Amount },
) {
  const [account_id, entry_id] = [accountIdText(accountId), entryId(seq)];
  const after = { account_id, entry_id, amount_usd: toUsd(refunded), balance_usd: toUsd(balance) };
  return { action: "call.refund", target: name, reason, effect: id, after };
}

interface NamedCharge extends Charge {
  /** As the operator named it. */
  name: string;
}

/** Of a job by its own id, else of the one call that was charged of those with that request id. */
async function chargeOf(db: Db, tiers: readonly Tier[], name: string, account: Input["options"][string]): Promise<NamedCharge> {
  const [job] = await readStaffJobs(db, tiers, { shownId: name }, 1);
  const newest = job === undefined ? (await findRequest(db, name, account)).account_id : null;
  const found = await findCharge(db, tiers, name, account === undefined ? null : newest);
  if (typeof found !== "string") return { name, ...found };
  if (found === "accounts") throw new Refused(`several accounts sent ${name}: name one with --account`);
  if (found === "calls")
    throw new Refused(`several calls of ${accountIdText(newest!)} have the id ${name}: correct them with svc account adjust --earned`);
  throw new Refused(`${name} was not charged`);
}
