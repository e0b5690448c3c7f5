// What operators do with vouchers, over the API and at the command line: they make them, see who redeemed which, and end them. Each change has
// its row of the log, without the codes.
import type { components } from "../../generated/api.d.ts";
import type { Context } from "../context.ts";
import type { Queries } from "../db/connect.ts";
import { fail, failNotPossible, failParameter } from "../errors/fail.ts";
import { accountIdText, cutId, parseVoucherId, voucherIdText } from "../ids.ts";
import { type Amount, toUsd } from "../money.ts";
import {
  type Batch,
  createVouchers,
  endBatch,
  endVoucher as markEnded,
  type ListedVoucher,
  readBatch,
  readVouchers,
} from "../payments/vouchers.ts";
import { type Actor, recorded } from "./action-log.ts";
import { uuidOf } from "./money.ts";

type Schemas = components["schemas"];
type Needs = Pick<Context, "db" | "clock">;

interface NewVouchers {
  amount: Amount;
  count: number;
  /** Null: for ever. */
  expiresAt: Date | null;
  creditDays: number | null;
  oncePerAccount: boolean;
  reason: string | null;
  /** Of the caller; null: new vouchers each time. */
  idempotencyKey: string | null;
}

interface Made {
  batch: Batch;
  vouchers: Schemas["MadeVoucher"][];
}

export async function makeVouchers({ db, clock }: Needs, actor: Actor, asked: NewVouchers): Promise<Made> {
  const { amount, count, expiresAt, creditDays, oncePerAccount, reason, idempotencyKey } = asked;
  const at = clock();
  if (expiresAt !== null && expiresAt <= at) failParameter("expires_at", "it must be a time to come");
  const effect = idempotencyKey === null ? null : uuidOf(`${actor.accountId} vouchers ${idempotencyKey}`);
  const facts = { amount, count, expiresAt, creditDays, oncePerAccount };
  return recorded(db, actor, at, async (transaction) => {
    const { batch: id, ids, codes } = await createVouchers(transaction, { ...facts, by: actor.who, at, effect });
    const after = {
      ...{ amount_usd: toUsd(amount), count, expires_at: expiresAt?.toISOString() ?? null },
      ...{ credit_days: creditDays, once_per_account: oncePerAccount },
    };
    return {
      result: {
        batch: { id, ...facts, redeemed: 0, createdAt: at, createdBy: actor.who, endedAt: null },
        vouchers: ids.map((voucher, n) => ({ id: voucherIdText(voucher), code: codes[n]! })),
      },
      row: { action: "voucher.create", target: batchName(id), reason, before: null, after },
    };
  });
}

/** Fails with voucher_not_found, or with not_possible where it was redeemed or ended, by itself or with its batch. */
export async function endVoucher(
  { db, clock }: Needs,
  actor: Actor,
  { id: shownId, reason }: { id: string; reason: string | null },
): Promise<ListedVoucher> {
  const id = parseVoucherId(shownId) ?? failUnknown(shownId);
  const at = clock();
  return recorded(db, actor, at, async (transaction) => {
    const isEnded = await markEnded(transaction, id, at);
    const voucher = (await findVoucher(transaction, id, at)) ?? failUnknown(shownId);
    if (!isEnded) failNotPossible(voucher.accountId === null ? "the voucher has ended" : `${accountIdText(voucher.accountId)} redeemed it`);
    return { result: voucher, row: { action: "voucher.end", target: shownId, reason, ...endOf(at) } };
  });
}

/** All of a batch that were not redeemed. Fails with voucher_not_found, or with not_possible where the batch has ended. */
export async function endVouchersOf(
  { db, clock }: Needs,
  actor: Actor,
  { batch: shownBatch, reason }: { batch: string; reason: string | null },
): Promise<Batch> {
  const id = /^[1-9]\d{0,8}$/.test(shownBatch) ? BigInt(shownBatch) : failUnknownBatch(shownBatch);
  const at = clock();
  return recorded(db, actor, at, async (transaction) => {
    const isEnded = await endBatch(transaction, id, at);
    const batch = (await readBatch(transaction, id)) ?? failUnknownBatch(shownBatch);
    if (!isEnded) failNotPossible(`batch ${id} has ended`);
    return { result: batch, row: { action: "voucher.end", target: batchName(id), reason, ...endOf(at) } };
  });
}

export async function showVoucher({ db, clock }: Needs, shownId: string): Promise<Schemas["OperatorVoucher"]> {
  const id = parseVoucherId(shownId) ?? failUnknown(shownId);
  return voucherRecord((await findVoucher(db, id, clock())) ?? failUnknown(shownId));
}

export async function findVoucher(db: Queries, id: string, at: Date): Promise<ListedVoucher | undefined> {
  const [voucher] = await readVouchers(db, at, { id }, 1);
  return voucher;
}

const batchName = (id: bigint) => `batch ${id}`;
const endOf = (at: Date) => ({ before: { ended_at: null }, after: { ended_at: at.toISOString() } });

export function voucherRecord(voucher: ListedVoucher): Schemas["OperatorVoucher"] {
  const { id, batch, amount, status, accountId, redeemedAt } = voucher;
  return {
    ...{ id: voucherIdText(id), object: "operator.voucher", batch: Number(batch), amount_usd: toUsd(amount), status },
    account_id: accountId === null ? null : accountIdText(accountId),
    redeemed_at: redeemedAt?.toISOString() ?? null,
    ...termsOf(voucher),
  };
}

export function batchRecord(batch: Batch): Schemas["VoucherBatch"] {
  const { id, amount, count, redeemed } = batch;
  return {
    ...{ object: "operator.voucher.batch", batch: Number(id), amount_usd: toUsd(amount), count, redeemed },
    ...termsOf(batch),
  };
}

/** What a batch and each of its vouchers have. */
function termsOf({ createdAt, createdBy, expiresAt, creditDays, oncePerAccount, endedAt }: Batch | ListedVoucher) {
  return {
    created_at: createdAt.toISOString(),
    created_by: createdBy,
    expires_at: expiresAt?.toISOString() ?? null,
    credit_days: creditDays,
    once_per_account: oncePerAccount,
    ended_at: endedAt?.toISOString() ?? null,
  };
}

function failUnknown(id: string): never {
  return fail("voucher_not_found", { message: `There is no voucher ${cutId(id)}.` });
}

function failUnknownBatch(batch: string): never {
  return fail("voucher_not_found", { message: `There is no batch ${cutId(batch)} of vouchers.` });
}
