// `svc account …` and `svc session …`: creates accounts, lists, shows and changes them, and opens sessions.
import { createAccount, Refused, statusOf } from "../accounts/admin.ts";
import { listKeys } from "../accounts/key-records.ts";
import { closeSessions, openSession } from "../accounts/sessions.ts";
import { sessionCookiePair } from "../accounts/tokens.ts";
import { lockReceiver } from "../accounts/users.ts";
import type { Config } from "../config.ts";
import type { Queries } from "../db/connect.ts";
import { accountIdText } from "../ids.ts";
import { readBalance, readMediaHolds } from "../ledger/balance.ts";
import { always, openRecalls } from "../ledger/slice-ends.ts";
import { type PostedKind, postEntry, postSignupCredit, type SignupCredit } from "../ledger/post.ts";
import { type Amount, toUsd, usdText } from "../money.ts";
import { changeSuspension, changeTier, listSpending, type SpendingAccount } from "../operators/accounts.ts";
import { shellActor } from "../operators/action-log.ts";
import { readChanged, settingsWith } from "../operators/changed-settings.ts";
import { turnOffTotp } from "../sign-in/second-factor.ts";
import { isEmailAddress } from "../text/email-address.ts";
import { readAccount, readAmount, readWholeNumber } from "./arguments.ts";
import { type Input, type Outcome, UsageError } from "./command.ts";
import { keyLine } from "./key.ts";
import { readReason } from "./money.ts";
import { tierNumber, tiersOf } from "../catalog/tiers.ts";
import { recordedByShell, withDatabase } from "./with-database.ts";

export async function create({ config, options }: Input): Promise<Outcome> {
  const email = String(options.email ?? "").trim();
  if (!isEmailAddress(email)) throw new UsageError("--email must be an email address");
  const postings: [PostedKind, Amount][] = [];
  if (typeof options.deposit === "string") postings.push(["deposit", readAmount(options.deposit, "--deposit")]);
  if (typeof options.credit === "string") postings.push(["bonus", readAmount(options.credit, "--credit")]);
  return withDatabase(config, async (db) => {
    const at = db.checks.now();
    const made = async (transaction: Queries) => {
      const account = await createAccount(transaction, { email, verified: options.verified === true, at });
      if (options["signup-credit"]) await giveSignupCredit(transaction, config, { accountId: account.accountId, email, at });
      for (const [kind, amount] of postings) await postEntry(transaction, { accountId: account.accountId, kind, amount, ref: "cli", at });
      return account;
    };
    const { accountId, apiKey } = await recordedByShell(db, at, made, (account) => ({
      ...{ action: "account.create", target: accountIdText(account.accountId) },
      after: {
        email,
        verified: options.verified === true,
        ...Object.fromEntries(postings.map(([kind, amount]) => [`${kind}_usd`, toUsd(amount)])),
      },
    }));
    const id = accountIdText(accountId);
    return { json: { account_id: id, email, api_key: apiKey }, text: `${id} ${email}\n${apiKey}\nThe key is shown only once.` };
  });
}

/** Refuses an empty value: the operator would believe that it took effect. */
async function giveSignupCredit(db: Queries, environment: Config, to: Pick<SignupCredit, "accountId" | "email" | "at">): Promise<void> {
  const amount = settingsWith(environment, await readChanged(db)).signUp.credit;
  if (amount === 0n) throw new Refused("SVC_SIGNUP_CREDIT is 0: there is no signup credit to give");
  if ((await postSignupCredit(db, { ...to, amount, ref: "cli" })) === 0n)
    throw new Refused(`another address of the mailbox of ${to.email} already got the signup credit`);
}

export async function show({ config, words }: Input): Promise<Outcome> {
  return withDatabase(config, async (db) => {
    const account = await readAccount(db, words[0]!);
    const { accountId, email, verified, suspendedAt } = account;
    // What is reserved is what calls in flight hold, not what gateways keep ready for further calls.
    const recalling = openRecalls(db, () => Promise.resolve());
    const balance = await recalling(accountId, () => readBalance(db, accountId), always);
    const [holds, keys] = await Promise.all([readMediaHolds(db, accountId), listKeys(db, accountId)]);
    const { available, reserved, purchased, earned, spent } = balance!;
    const json = {
      account_id: accountIdText(accountId),
      email,
      balance: toUsd(available + reserved),
      holds: toUsd(holds),
      reserved: toUsd(reserved),
      lifetime_purchased: toUsd(purchased),
      lifetime_earned: toUsd(earned),
      lifetime_spent: toUsd(spent),
      tier: tierNumber(config, balance!),
      status: statusOf(account),
      suspended_at: suspendedAt?.toISOString() ?? null,
      verified,
      keys,
    };
    const money = `balance ${usdText(available + reserved)} USD (reserved ${usdText(reserved)}, media holds ${usdText(holds)}), spent ${usdText(spent)}`;
    const lines = keys.map((key) => `  ${keyLine(key)}`);
    const state = suspendedAt === null ? json.status : `${json.status} since ${json.suspended_at}`;
    const about = `${json.account_id} ${email}, ${state}, tier ${json.tier}${verified ? "" : ", email address not verified"}`;
    return { json, text: [about, money, ...lines].join("\n") };
  });
}

export async function suspend(input: Input): Promise<Outcome> {
  return setWhetherSuspended(input, true);
}

export async function resume(input: Input): Promise<Outcome> {
  return setWhetherSuspended(input, false);
}

async function setWhetherSuspended({ config, words }: Input, suspended: boolean): Promise<Outcome> {
  return withDatabase(config, async (db) => {
    const { accountId, email } = await readAccount(db, words[0]!);
    await changeSuspension({ db, config, clock: db.checks.now }, shellActor(), { accountId, suspends: suspended, reason: null });
    const id = accountIdText(accountId);
    return { json: { account_id: id, suspended }, text: `${id} ${email} ${suspended ? "is suspended" : "is active again"}` };
  });
}

export async function setTier({ config, words, options }: Input): Promise<Outcome> {
  const [id, word] = words as [string, string];
  if (word !== "auto" && !/^\d{1,4}$/.test(word)) throw new UsageError("TIER must be the number of a tier, or auto");
  const reason = options.reason === undefined ? null : readReason(options.reason);
  const tier = word === "auto" ? null : Number(word);
  const catalog = { tiers: tiersOf(config.catalogPath) };
  const known = catalog.tiers.map((row) => row.tier);
  if (tier !== null && !known.includes(tier)) throw new Refused(`TIER must be one of the catalog's tiers, ${known.join(", ")}, or auto`);
  return withDatabase(config, async (db) => {
    const { accountId, email } = await readAccount(db, id);
    await changeTier({ db, catalog, clock: db.checks.now }, shellActor(), { accountId, tier, reason });
    const now = tierNumber(config, (await readBalance(db, accountId))!);
    const json = { account_id: accountIdText(accountId), tier: now, assigned_tier: tier };
    return { json, text: `${json.account_id} ${email} has tier ${now}${tier === null ? ", by its deposits" : ""}` };
  });
}

// `svc session create`: opens a session as signing in does.

export async function createSession({ config, words }: Input): Promise<Outcome> {
  return withDatabase(config, async (db) => {
    const { accountId, email } = await readAccount(db, words[0]!);
    const at = db.checks.now();
    const row = () => ({ action: "session.create", target: accountIdText(accountId) });
    const { token, csrfToken, expiresAt } = await recordedByShell(
      db,
      at,
      async (transaction) => {
        await lockReceiver(transaction, accountId, { toPerson: true, toActive: true });
        return openSession(transaction, { accountId, at });
      },
      row,
    );
    const cookie = sessionCookiePair(token);
    return {
      json: { session_token: token, cookie, csrf_token: csrfToken },
      text: `${token}\nCookie: ${cookie}\nX-Svc-CSRF: ${csrfToken}\nA session of ${email} that ends 30 days after its last use, first on ${expiresAt.toISOString()}.`,
    };
  });
}

/** Of a person who lost the app and the recovery codes, who signs in anew without. */
export async function removeTotp({ config, words, options }: Input): Promise<Outcome> {
  const reason = readReason(options.reason);
  return withDatabase(config, async (db) => {
    const { accountId, email } = await readAccount(db, words[0]!);
    const id = accountIdText(accountId);
    const at = db.checks.now();
    const row = () => ({ action: "totp.remove", target: id, reason, before: { enabled: true }, after: { enabled: false } });
    const remove = async (transaction: Queries) => {
      await lockReceiver(transaction, accountId, { toPerson: true });
      if (!(await turnOffTotp(transaction, accountId, at))) throw new Refused(`${id} has no second factor`);
      await closeSessions(transaction, accountId);
    };
    await recordedByShell(db, at, remove, row);
    return { json: { account_id: id, totp_enabled: false }, text: `${id} ${email} has no second factor now, and no session` };
  });
}

// `svc account list`: accounts with balance and tier.

const limitDefault = 50;
const limitMax = 1_000;

export async function list({ config, options }: Input): Promise<Outcome> {
  const limit = typeof options.limit === "string" ? readWholeNumber(options.limit, "--limit", 1, limitMax) : limitDefault;
  const suspended = readStatus(options.status);
  const email = typeof options.email === "string" ? options.email : null;
  return withDatabase(config, async (db) => {
    const before = typeof options.after === "string" ? (await readAccount(db, options.after)).accountId : null;
    const found = await listSpending(db, db.checks.now(), { before, email, suspended }, limit + 1);
    const accounts = found.slice(0, limit);
    const more = found.length > limit;
    const data = accounts.map((account) => ({
      account_id: accountIdText(account.accountId),
      email: account.email,
      balance: toUsd(account.balance),
      tier: tierNumber(config, account),
      status: statusOf(account),
      suspended_at: account.suspendedAt?.toISOString() ?? null,
      verified: account.verified,
      spent_30d: toUsd(account.spentLately),
      created_at: account.createdAt.toISOString(),
    }));
    const lines = accounts.map((account, index) => accountLine(account, data[index]!.tier));
    const end = more ? [`older accounts follow: --after ${data.at(-1)!.account_id}`] : accounts.length === 0 ? ["no accounts"] : [];
    return { json: { data, has_more: more }, text: [...lines, ...end].join("\n") };
  });
}

function readStatus(status: string | boolean | undefined): boolean | null {
  if (status === undefined) return null;
  if (status !== "active" && status !== "suspended") throw new UsageError("--status must be active or suspended");
  return status === "suspended";
}

function accountLine(account: SpendingAccount, tier: number): string {
  const money = `balance ${usdText(account.balance)} USD, ${usdText(account.spentLately)} spent in 30 days`;
  return `${accountIdText(account.accountId)} ${account.email} ${statusOf(account)}, tier ${tier}, ${money}`;
}
