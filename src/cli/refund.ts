// `svc refund`: gives back the charge of a call or a media job, once. An answer that is lost is asked for again, as in money.ts.
import { Refused } from "../accounts/admin.ts";
import type { Tier } from "../catalog/types.ts";
import { systemClock } from "../clock.ts";
import type { Db } from "../db/connect.ts";
import { accountIdText } from "../ids.ts";
import { readStaffJobs } from "../jobs/staff-jobs.ts";
import { postPatiently, refund as giveBack, type Refunded } from "../ledger/post.ts";
import { entryId } from "../ledger/entries.ts";
import { type Amount, toUsd, usdText } from "../money.ts";
import { type Charge, findCharge } from "../operators/money.ts";
import { readAmount } from "./arguments.ts";
import { recordedByShell } from "./record.ts";
import type { Input, Outcome } from "./command.ts";
import { ofATry, orSayWhereToLook, readReason, timeoutMs } from "./money.ts";
import { findRequest } from "./request.ts";
import { tiersOf } from "../catalog/tiers.ts";
import { withDatabase } from "./with-database.ts";

export async function refund({ config, words, options }: Input): Promise<Outcome> {
  const amount = typeof options.amount === "string" ? readAmount(options.amount, "--amount") : null;
  const reason = readReason(options.reason);
  const work = async (db: Db): Promise<Outcome> => {
    const charge = await chargeOf(db, tiersOf(config.catalogPath), words[0]!, options.account);
    const { name, accountId, id } = charge;
    const at = systemClock();
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
