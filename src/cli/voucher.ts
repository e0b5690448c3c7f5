// `svc voucher …`: makes vouchers, lists their batches, and ends one. Each change has its row in the log of operators' actions.
import { Refused } from "../accounts/admin.ts";
import { systemClock } from "../clock.ts";
import { usdText, toUsd } from "../money.ts";
import { recorded, shellActor } from "../operators/action-log.ts";
import { type Batch, createVouchers, endBatch, listBatches } from "../payments/vouchers.ts";
import { readAmount, readWholeNumber } from "./arguments.ts";
import { type Input, type Outcome, UsageError } from "./command.ts";
import { withDatabase } from "./with-database.ts";

const [countMax, daysMax, listedMax] = [10_000, 3_650, 1_000];

export async function create({ config, options }: Input): Promise<Outcome> {
  const amount = readAmount(String(options.amount), "--amount");
  const count = readWholeNumber(String(options.count ?? 1), "--count", 1, countMax);
  const creditDays =
    typeof options["credit-days"] === "string" ? readWholeNumber(options["credit-days"], "--credit-days", 1, daysMax) : null;
  const at = systemClock();
  const expiresAt = typeof options.expires === "string" ? readTime(options.expires, at) : null;
  const oncePerAccount = options["once-per-account"] === true;
  const actor = shellActor();
  const { batch, codes } = await withDatabase(config, (db) =>
    recorded(db, actor, at, async (transaction) => {
      const result = await createVouchers(transaction, { amount, count, expiresAt, creditDays, oncePerAccount, by: actor.who, at });
      const after = {
        amount_usd: usdText(amount),
        count,
        expires_at: expiresAt,
        credit_days: creditDays,
        once_per_account: oncePerAccount,
      };
      return { result, row: { action: "voucher.create", target: `batch ${result.batch}`, reason: null, before: null, after } };
    }),
  );
  const text = [...codes, `Batch ${batch}: ${count} of ${usdText(amount)} USD. The codes are shown only once.`].join("\n");
  return { json: { batch: Number(batch), codes }, text };
}

function readTime(text: string, now: Date): Date {
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (!(time > now)) throw new UsageError(`--expires must be a time to come, such as 2027-01-31, not "${text}"`);
  return time;
}

export async function list({ config }: Input): Promise<Outcome> {
  const batches = await withDatabase(config, (db) => listBatches(db, listedMax));
  return { json: { batches: batches.map(recordOf) }, text: batches.length === 0 ? "No vouchers." : batches.map(lineOf).join("\n") };
}

function recordOf(batch: Batch) {
  return {
    batch: Number(batch.id),
    amount: toUsd(batch.amount),
    count: batch.count,
    redeemed: batch.redeemed,
    created_at: batch.createdAt.toISOString(),
    created_by: batch.createdBy,
    expires_at: batch.expiresAt?.toISOString() ?? null,
    credit_days: batch.creditDays,
    once_per_account: batch.oncePerAccount,
    ended_at: batch.endedAt?.toISOString() ?? null,
  };
}

function lineOf({ id, amount, count, redeemed, createdAt, expiresAt, creditDays, oncePerAccount, endedAt }: Batch): string {
  const notes = [
    expiresAt === null ? "" : `, until ${expiresAt.toISOString()}`,
    creditDays === null ? "" : `, credit for ${creditDays} days`,
    oncePerAccount ? ", one for each account" : "",
    endedAt === null ? "" : `, ended ${endedAt.toISOString()}`,
  ];
  return `batch ${id}: ${redeemed} of ${count} redeemed, ${usdText(amount)} USD each, made ${createdAt.toISOString()}${notes.join("")}`;
}

export async function end({ config, words }: Input): Promise<Outcome> {
  const batch = readWholeNumber(words[0]!, "BATCH", 1, 999_999_999);
  const at = systemClock();
  await withDatabase(config, (db) =>
    recorded(db, shellActor(), at, async (transaction) => {
      if (!(await endBatch(transaction, BigInt(batch), at))) throw new Refused(`there is no batch ${batch} that has not ended`);
      return { result: null, row: { action: "voucher.end", target: `batch ${batch}`, reason: null, before: null, after: { ended: true } } };
    }),
  );
  return { json: { batch, ended: true }, text: `The vouchers of batch ${batch} can't be redeemed any more.` };
}
