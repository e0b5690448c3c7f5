// `svc account list`: accounts with balance and tier.
import { statusOf } from "../accounts/admin.ts";
import { type ListedAccount, listAccounts } from "../accounts/list-accounts.ts";
import { accountIdText } from "../ids.ts";
import { toUsd, usdText } from "../money.ts";
import { readAccount, readWholeNumber } from "./arguments.ts";
import { type Input, type Outcome, UsageError } from "./command.ts";
import { tierNumber } from "./tier.ts";
import { withDatabase } from "./with-database.ts";

const limitDefault = 50;
const limitMax = 1_000;

export async function list({ config, options }: Input): Promise<Outcome> {
  const limit = typeof options.limit === "string" ? readWholeNumber(options.limit, "--limit", 1, limitMax) : limitDefault;
  const suspended = readStatus(options.status);
  const email = typeof options.email === "string" ? options.email : null;
  return withDatabase(config, async (db) => {
    const before = typeof options.after === "string" ? (await readAccount(db, options.after)).accountId : null;
    const found = await listAccounts(db, { before, email, suspended }, limit + 1);
    const accounts = found.slice(0, limit);
    const more = found.length > limit;
    const data = accounts.map((account) => ({
      account_id: accountIdText(account.accountId),
      email: account.email,
      balance: toUsd(account.balance),
      tier: tierNumber(config, account.purchased),
      status: statusOf(account),
      suspended_at: account.suspendedAt?.toISOString() ?? null,
      verified: account.verified,
      spent_30d: toUsd(account.spentLately),
      created_at: account.createdAt.toISOString(),
    }));
    const lines = accounts.map((account, index) => accountLine(account, data[index]!.tier));
    const end = more ? [`older ones follow: --after ${data.at(-1)!.account_id}`] : accounts.length === 0 ? ["no accounts"] : [];
    return { json: { data, has_more: more }, text: [...lines, ...end].join("\n") };
  });
}

function readStatus(status: string | boolean | undefined): boolean | null {
  if (status === undefined) return null;
  if (status !== "active" && status !== "suspended") throw new UsageError("--status must be active or suspended");
  return status === "suspended";
}

function accountLine(account: ListedAccount, tier: number): string {
  const money = `balance ${usdText(account.balance)} USD, ${usdText(account.spentLately)} spent in 30 days`;
  return `${accountIdText(account.accountId)} ${account.email} ${statusOf(account)}, tier ${tier}, ${money}`;
}
