// Accounts for operators: the list, one account with its money, what operators change of one, and a new one, with its first money and its
// row of the log, in one transaction. No operator sees the secret of a new key.
import type { components } from "../../generated/api.d.ts";
import {
  type AccountFilter,
  createAccount as insertAccount,
  findAccount,
  listAccounts,
  type ListedAccount,
  Refused,
  setSuspended,
  statusOf,
} from "../accounts/admin.ts";
import { listKeys } from "../accounts/key-records.ts";
import { memberRecords, readMembers } from "../accounts/members.ts";
import { isOperator } from "../accounts/operators.ts";
import { lockReceiver } from "../accounts/users.ts";
import { tierOf } from "../catalog/tiers.ts";
import type { Catalog } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { type Db, inSnapshot, type Queries } from "../db/connect.ts";
import { fail, failNotPossible, failParameter } from "../errors/fail.ts";
import { accountIdText, cutId } from "../ids.ts";
import { readBalance, readMediaHolds } from "../ledger/balance.ts";
import { postEntry, postSignupCredit } from "../ledger/post.ts";
import { readSpent } from "../ledger/summary/read-summary.ts";
import { type Amount, toUsd } from "../money.ts";
import { isEmailAddress } from "../text/email-address.ts";
import { type Actor, recorded } from "./action-log.ts";

type Account = components["schemas"]["OperatorAccount"];
type Detail = components["schemas"]["OperatorAccountDetail"];

export interface SpendingAccount extends ListedAccount {
  /** Charges of the last 30 days. */
  spentLately: Amount;
}

const dayMs = 24 * 60 * 60 * 1000;

/** A page of accounts, newest first, with what each spent lately. */
export async function listSpending(db: Db, at: Date, filter: AccountFilter, limit: number): Promise<SpendingAccount[]> {
  const listed = await listAccounts(db, filter, limit);
  const ids = listed.map(({ accountId }) => accountId);
  // Until tomorrow: a call of this moment counts.
  const lately = { from: new Date(at.getTime() - 30 * dayMs), to: new Date(at.getTime() + dayMs) };
  const spent = await inSnapshot(db, (snapshot) => readSpent(snapshot, ids, lately));
  return listed.map((account) => ({ ...account, spentLately: spent.get(account.accountId) ?? 0n }));
}

export function accountRecord(catalog: Pick<Catalog, "tiers">, account: SpendingAccount): Account {
  return {
    id: accountIdText(account.accountId),
    object: "account",
    email: account.email,
    workspace_name: account.workspaceName,
    verified: account.verified,
    status: statusOf(account),
    suspended_at: account.suspendedAt?.toISOString() ?? null,
    tier: tierOf(catalog, account).tier,
    assigned_tier: account.assignedTier,
    balance_usd: toUsd(account.balance),
    spent_30d_usd: toUsd(account.spentLately),
    created_at: account.createdAt.toISOString(),
  };
}

/** As many as an answer shows. */
const [keysMax, membersMax] = [100, 100];

/** `text`: the account's id or its email address; 404 where there is none. */
export async function findAccountId({ db }: Pick<Context, "db">, text: string): Promise<bigint> {
  const found = await findAccount(db, text);
  return found?.accountId ?? fail("account_not_found", { text: { id: cutId(text) } });
}

export async function accountDetail({ db, catalog, clock }: Pick<Context, "db" | "catalog" | "clock">, accountId: bigint): Promise<Detail> {
  const [listed, balance, holds, keys, members] = await Promise.all([
    listSpending(db, clock(), { before: accountId + 1n, email: null, suspended: null }, 1),
    readBalance(db, accountId),
    readMediaHolds(db, accountId),
    listKeys(db, accountId, null, keysMax + 1),
    readMembers(db, accountId, null, membersMax + 1),
  ]);
  const { reserved, purchased, earned, spent } = balance!;
  return {
    ...accountRecord(catalog, listed[0]!),
    reserved_usd: toUsd(reserved),
    media_holds_usd: toUsd(holds),
    lifetime_purchased_usd: toUsd(purchased),
    lifetime_earned_usd: toUsd(earned),
    lifetime_spent_usd: toUsd(spent),
    keys: keys.slice(0, keysMax),
    has_more_keys: keys.length > keysMax,
    members: await memberRecords(db, accountId, members.slice(0, membersMax)),
    has_more_members: members.length > membersMax,
  };
}

/** Operators do not suspend an operator's account: else the least of them could lock out the others. The command line may. */
export async function changeSuspension(
  { db, config, clock }: Pick<Context, "db" | "config" | "clock">,
  actor: Actor,
  { accountId, suspends, reason }: { accountId: bigint; suspends: boolean; reason: string | null },
): Promise<void> {
  const at = clock();
  await recorded(db, actor, at, async (transaction) => {
    if (suspends && actor.accountId !== null && (await isOperator(transaction, accountId, config.operators)))
      failNotPossible("the account is an operator's, who has to be removed first");
    const before = await lockReceiver(transaction, accountId, { toPerson: false });
    // What is so already stays as it is, and is no action.
    if ((before.suspendedAt !== null) === suspends) return { result: undefined, row: null };
    const after = { suspendedAt: suspends ? at : null };
    await setSuspended(transaction, accountId, after.suspendedAt);
    const action = suspends ? "account.suspend" : "account.resume";
    const row = { action, target: accountIdText(accountId), reason, before: shown(before), after: shown(after) };
    return { result: undefined, row };
  });
}

/** Of the catalog's tiers, or null: the tier follows from the deposits. */
export async function changeTier(
  { db, catalog, clock }: Pick<Context, "db" | "clock"> & { catalog: Pick<Catalog, "tiers"> },
  actor: Actor,
  { accountId, tier, reason }: { accountId: bigint; tier: number | null; reason: string | null },
): Promise<void> {
  const known = catalog.tiers.map((row) => row.tier);
  if (tier !== null && !known.includes(tier)) failParameter("tier", `it must be one of the catalog's tiers: ${known.join(", ")}`);
  await recorded(db, actor, clock(), async (transaction) => {
    const { assignedTier: before } = await lockReceiver(transaction, accountId, { toPerson: false });
    if (before === tier) return { result: undefined, row: null };
    await transaction.pool.query("update account set assigned_tier = $2 where id = $1", [accountId, tier]);
    const target = accountIdText(accountId);
    return { result: undefined, row: { action: "account.tier", target, reason, before: { tier: before }, after: { tier } } };
  });
}

function shown({ suspendedAt }: { suspendedAt: Date | null }) {
  return { status: statusOf({ suspendedAt }), suspended_at: suspendedAt?.toISOString() ?? null };
}

interface NewAccount {
  email: string;
  verified: boolean;
  /** Null: none. */
  deposit: Amount | null;
  credit: Amount | null;
  signupCredit: boolean;
  reason: string;
}

export async function createAccount(
  { db, config, clock }: Pick<Context, "db" | "config" | "clock">,
  actor: Actor,
  { email, verified, deposit, credit, signupCredit, reason }: NewAccount,
): Promise<bigint> {
  if (!isEmailAddress(email)) failParameter("email", "it must be an email address");
  const at = clock();
  return recorded(db, actor, at, async (transaction) => {
    const accountId = await inserted(transaction, { email, verified, at });
    const post = (kind: "deposit" | "bonus", amount: Amount) => postEntry(transaction, { accountId, kind, amount, ref: "operator", at });
    if (deposit !== null) await post("deposit", deposit);
    if (credit !== null) await post("bonus", credit);
    const given = signupCredit ? await giveSignupCredit(transaction, { accountId, email, amount: config.signUp.credit, at }) : 0n;
    const target = accountIdText(accountId);
    const money = { deposit_usd: toUsd(deposit ?? 0n), credit_usd: toUsd(credit ?? 0n), signup_credit_usd: toUsd(given) };
    const row = { action: "account.create", target, reason, before: null, after: { email, verified, ...money } };
    return { result: accountId, row };
  });
}

async function inserted(db: Queries, account: { email: string; verified: boolean; at: Date }): Promise<bigint> {
  try {
    return (await insertAccount(db, account)).accountId;
  } catch (error) {
    throw error instanceof Refused ? failNotPossible("the email address has an account already") : error;
  }
}

async function giveSignupCredit(
  db: Queries,
  { accountId, email, amount, at }: { accountId: bigint; email: string; amount: Amount; at: Date },
): Promise<Amount> {
  if (amount === 0n) failNotPossible("there is no signup credit: SVC_SIGNUP_CREDIT is 0");
  const given = await postSignupCredit(db, { accountId, email, amount, ref: "operator", at });
  return given === 0n ? failNotPossible("another address of the same mailbox already got the signup credit") : given;
}
