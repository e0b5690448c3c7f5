// `svc voucher …`: makes vouchers, lists their batches, and ends a batch or one voucher, by the functions of operators' operations.
import { voucherBounds } from "../../generated/facts.ts";
import type { Db } from "../db/connect.ts";
import { usdText, toUsd } from "../money.ts";
import { shellActor } from "../operators/action-log.ts";
import { endVoucher, endVouchersOf, makeVouchers } from "../operators/vouchers.ts";
import { type Batch, listBatches } from "../payments/vouchers.ts";
import { readAmount, readTimeToCome, readWholeNumber } from "./arguments.ts";
import type { Input, Outcome } from "./command.ts";
import { readReason } from "./money.ts";
import { withDatabase } from "./with-database.ts";

const listedMax = 1_000;

export async function create({ config, options }: Input): Promise<Outcome> {
  const amount = readAmount(String(options.amount), "--amount");
  const count = readWholeNumber(String(options.count ?? 1), "--count", ...voucherBounds.count);
  const creditDays =
    typeof options["credit-days"] === "string"
      ? readWholeNumber(options["credit-days"], "--credit-days", ...voucherBounds.credit_days)
      : null;
  const asked = { amount, count, creditDays, oncePerAccount: options["once-per-account"] === true, reason: reasonOf(options) };
  const { batch, vouchers } = await withDatabase(config, (db) => {
    const expiresAt = typeof options.expires === "string" ? readTimeToCome(options.expires, "--expires", db.checks.now()) : null;
    return makeVouchers({ db, clock: db.checks.now }, shellActor(), { ...asked, expiresAt, idempotencyKey: null });
  });
  const codes = vouchers.map(({ code }) => code);
  const text = [...codes, `Batch ${batch.id}: ${count} of ${usdText(amount)} USD. The codes are shown only once.`].join("\n");
  return { json: { batch: Number(batch.id), codes }, text };
}

const reasonOf = ({ reason }: Input["options"]) => (reason === undefined ? null : readReason(reason));

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

export async function end({ config, words, options }: Input): Promise<Outcome> {
  const [named, reason] = [words[0]!, reasonOf(options)];
  const needs = (db: Db) => ({ db, clock: db.checks.now });
  if (named.startsWith("vou_")) {
    await withDatabase(config, (db) => endVoucher(needs(db), shellActor(), { id: named, reason }));
    return { json: { voucher: named, ended: true }, text: `${named} can no longer be redeemed.` };
  }
  const batch = readWholeNumber(named, "BATCH", 1, 999_999_999);
  await withDatabase(config, (db) => endVouchersOf(needs(db), shellActor(), { batch: String(batch), reason }));
  return { json: { batch, ended: true }, text: `The vouchers of batch ${batch} can no longer be redeemed.` };
}
