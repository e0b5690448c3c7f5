// `svc refund`: gives back the charge of a call or a media job, once. An answer that is lost is asked for again, as in money.ts.
import { Refused } from "../accounts/admin.ts";
import type { Tier } from "../catalog/types.ts";
import { systemClock } from "../clock.ts";
import type { Db } from "../db/connect.ts";
import { accountIdText } from "../ids.ts";
import { readStaffJobs } from "../jobs/staff-jobs.ts";
import { refundPatiently } from "../ledger/post.ts";
import { entryId } from "../ledger/entries.ts";
import type { LogRow } from "../ledger/read-usage-log.ts";
import { type Amount, toUsd, usdText } from "../money.ts";
import { readAmount } from "./arguments.ts";
import type { Input, Outcome } from "./command.ts";
import { ofATry, orSayWhereToLook, readReason, timeoutMs } from "./money.ts";
import { findRequest } from "./request.ts";
import { tiersOf } from "../catalog/tiers.ts";
import { withDatabase } from "./with-database.ts";

export async function refund({ config, words, options }: Input): Promise<Outcome> {
  const amount = typeof options.amount === "string" ? readAmount(options.amount, "--amount") : null;
  const reason = readReason(options.reason);
  const work = async (db: Db): Promise<Outcome> => {
    const charge = await findCharge(db, tiersOf(config.catalogPath), words[0]!, options.account);
    const { name, accountId, id } = charge;
    const done = await orSayWhereToLook(db, accountId, "earned", amount ?? charge.amount, () =>
      refundPatiently(db, { accountId, id, at: systemClock(), amount, reason }, timeoutMs),
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

interface Charge {
  /** As the operator named it. */
  name: string;
  accountId: bigint;
  /** Of the call or the job. */
  id: string;
  amount: Amount;
}

/** Of a job by its own id, else of the one call that was charged of those with that request id. */
async function findCharge(db: Db, tiers: readonly Tier[], name: string, account: Input["options"][string]): Promise<Charge> {
  const [job] = await readStaffJobs(db, tiers, { shownId: name }, 1);
  if (job) return { name, accountId: job.account_id, id: job.id, amount: job.charged ?? 0n };
  const { account_id: newest } = await findRequest(db, name, account);
  return { name, ...theOne(name, await readCharged(db, name, account === undefined ? null : newest)) };
}

type Charged = Pick<LogRow, "account_id" | "id" | "cost">;

/** The newest two: `account` null is any. */
async function readCharged({ pool }: Db, requestId: string, account: bigint | null): Promise<Charged[]> {
  const { rows } = await pool.query<Charged>(
    `select account_id, id, cost from usage_log
     where request_id = $1 and ($2::bigint is null or account_id = $2) and cost > 0 order by created_at desc limit 2`,
    [requestId, account],
  );
  return rows;
}

/** Callers may choose their ids: money is given back only where one charge has it. */
function theOne(requestId: string, [one, other]: readonly Charged[]): Omit<Charge, "name"> {
  if (one === undefined) throw new Refused(`${requestId} was not charged`);
  const { account_id: accountId, id, cost: amount } = one;
  if (other === undefined) return { accountId, id, amount };
  if (other.account_id !== accountId) throw new Refused(`several accounts sent ${requestId}: name one with --account`);
  throw new Refused(`several calls of ${accountIdText(accountId)} have the id ${requestId}: correct them with svc account adjust --earned`);
}
