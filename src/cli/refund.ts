// `svc refund`: gives back the charge of a call or a media job, once. An answer that is lost is asked for again, as in money.ts.
import { Refused } from "../accounts/admin.ts";
import { systemClock } from "../clock.ts";
import type { Db } from "../db/connect.ts";
import { accountIdText } from "../ids.ts";
import { readStaffJobs } from "../jobs/staff-jobs.ts";
import { refundPatiently } from "../ledger/correct.ts";
import { entryId } from "../ledger/entries.ts";
import type { LogRow } from "../ledger/read-usage-log.ts";
import { toUsd, usdText } from "../money.ts";
import { readAmount } from "./arguments.ts";
import type { Input, Outcome } from "./command.ts";
import { ofATry, orSayWhereToLook, readReason, timeoutMs } from "./money.ts";
import { findRequest } from "./request.ts";
import { tiersOf } from "./tier.ts";
import { withDatabase } from "./with-database.ts";

export async function refund({ config, words, options }: Input): Promise<Outcome> {
  const amount = typeof options.amount === "string" ? readAmount(options.amount, "--amount") : null;
  const reason = readReason(options.reason);
  const work = async (db: Db): Promise<Outcome> => {
    const [job] = await readStaffJobs(db, tiersOf(config.catalogPath), { shownId: words[0]! }, 1);
    const row = await findRequest(db, job?.request_id ?? words[0]!, job ? accountIdText(job.account_id) : options.account);
    if (!job) await assertOne(db, row, options.account !== undefined);
    const { account_id: accountId, id, request_id: requestId } = row;
    const done = await orSayWhereToLook(db, accountId, "earned", amount ?? row.cost, () =>
      refundPatiently(db, { accountId, id, at: systemClock(), amount, reason }, timeoutMs),
    );
    if (done.refused === "free") throw new Refused(`${requestId} was not charged`);
    if (done.refused === "refunded") throw new Refused(`${requestId} was already refunded, ${usdText(done.refunded)} USD`);
    if (done.refused === "above") throw new Refused(`${requestId} was charged ${usdText(done.refunded)} USD: a refund is never more`);
    const { balance, seq, refunded } = done;
    const account = accountIdText(accountId);
    const json = { account_id: account, balance: toUsd(balance), entry_id: entryId(seq), refunded: toUsd(refunded) };
    return { json, text: `${requestId} refunded, ${usdText(refunded)} USD returned to ${account}, balance ${usdText(balance)} USD` };
  };
  return withDatabase(config, work, ofATry);
}

/** Callers may choose their ids: money is given back only where one charge has it. */
async function assertOne(db: Db, { request_id: requestId, account_id: accountId }: LogRow, inAccount: boolean): Promise<void> {
  const { rows } = await db.pool.query<{ account_id: bigint }>(
    "select account_id from usage_log where request_id = $1 and ($2::bigint is null or account_id = $2) and cost > 0 order by created_at desc limit 2",
    [requestId, inAccount ? accountId : null],
  );
  if (rows.length < 2) return;
  if (rows[0]!.account_id !== rows[1]!.account_id) throw new Refused(`several accounts sent ${requestId}: name one with --account`);
  throw new Refused(`several calls of ${accountIdText(accountId)} have the id ${requestId}: correct them with svc account adjust --earned`);
}
