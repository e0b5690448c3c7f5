// Vouchers: codes that the operator makes and a workspace redeems for granted credit. Only the digest of a code is stored. A code has 80 random
// bits, so that guessing finds none; asking is limited anyway.
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { type Actor, lockAsPayer } from "../accounts/members.ts";
import type { Context } from "../context.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { fail, failNotPossible } from "../errors/fail.ts";
import { voucherIdText } from "../ids.ts";
import { countGrants, postGrant } from "../ledger/grants.ts";
import type { Amount } from "../money.ts";

/** Crockford's: without letters that look like digits. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const codeLength = 16;

function makeCode(): string {
  // 32 divides 256, so each character is as likely as any other.
  const characters = Array.from(randomBytes(codeLength), (byte) => alphabet[byte % 32]!);
  return characters.join("").replaceAll(/(.{4})(?=.)/g, "$1-");
}

/** As a person may type it: in small letters, with other gaps, and with letters for the digits that they look like. */
function hashOfCode(typed: string): Buffer {
  const code = typed.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  return createHash("sha256").update(`voucher ${code}`).digest();
}

interface NewBatch {
  amount: Amount;
  count: number;
  expiresAt: Date | null;
  creditDays: number | null;
  oncePerAccount: boolean;
  by: string;
  at: Date;
  /** Of the request, the same for its repeats; null: it makes vouchers each time. */
  effect: string | null;
}

/** Within a transaction. The codes are nowhere else; the ids are in their order. */
export async function createVouchers({ pool }: Queries, asked: NewBatch): Promise<{ batch: bigint; codes: string[]; ids: string[] }> {
  const { amount, count, expiresAt, creditDays, oncePerAccount, by, at, effect } = asked;
  // A repeat that comes meanwhile waits here for the end of the first.
  const { rows } = await pool.query<{ id: bigint }>(
    `insert into voucher_batch (amount, count, created_at, created_by, expires_at, credit_days, once_per_account, effect)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (effect) do nothing returning id`,
    [amount, count, at, by, expiresAt, creditDays, oncePerAccount, effect],
  );
  const batch = rows[0]?.id ?? (await refuseRepeat(pool, asked));
  const codes = Array.from({ length: count }, makeCode);
  const ids = codes.map(() => randomUUID());
  await pool.query("insert into voucher (id, batch_id, hash) select i, $1, h from unnest($2::uuid[], $3::bytea[]) v(i, h)", [
    batch,
    ids,
    codes.map(hashOfCode),
  ]);
  return { batch, codes, ids };
}

/** The codes can't be shown again, so that a repeat gets no answer but the number of what the first request made. */
async function refuseRepeat(
  pool: Queries["pool"],
  { amount, count, expiresAt, creditDays, oncePerAccount, effect }: NewBatch,
): Promise<never> {
  const { rows } = await pool.query<{ id: bigint; isSame: boolean }>(
    `select id, amount = $2 and count = $3 and expires_at is not distinct from $4 and credit_days is not distinct from $5
       and once_per_account = $6 as "isSame"
     from voucher_batch where effect = $1`,
    [effect, amount, count, expiresAt, creditDays, oncePerAccount],
  );
  const { id, isSame } = rows[0]!;
  if (!isSame) fail("idempotency_key_reused");
  const reason = `batch ${id} was made with this Idempotency-Key, and its codes are shown only once; end it, and make another with a new key`;
  return failNotPossible(reason);
}

export interface Batch {
  id: bigint;
  amount: Amount;
  count: number;
  redeemed: number;
  createdAt: Date;
  createdBy: string;
  expiresAt: Date | null;
  creditDays: number | null;
  oncePerAccount: boolean;
  endedAt: Date | null;
}

const batchesSql = `
  select b.id, b.amount, b.count, (select count(*)::int from voucher v where v.batch_id = b.id and v.redeemed_at is not null) as redeemed,
    b.created_at as "createdAt", b.created_by as "createdBy", b.expires_at as "expiresAt", b.credit_days as "creditDays",
    b.once_per_account as "oncePerAccount", b.ended_at as "endedAt"
  from voucher_batch b`;

/** Newest first. */
export async function listBatches({ pool }: Db, most: number): Promise<Batch[]> {
  const { rows } = await pool.query<Batch>(`${batchesSql} order by b.id desc limit $1`, [most]);
  return rows;
}

export async function readBatch({ pool }: Queries, id: bigint): Promise<Batch | undefined> {
  const { rows } = await pool.query<Batch>(`${batchesSql} where b.id = $1`, [id]);
  return rows[0];
}

/** False: there is no such batch, or it has ended. */
export async function endBatch({ pool }: Queries, id: bigint, at: Date): Promise<boolean> {
  const { rowCount } = await pool.query("update voucher_batch set ended_at = $2 where id = $1 and ended_at is null", [id, at]);
  return rowCount === 1;
}

type VoucherStatus = "open" | "redeemed" | "ended" | "expired";

export interface ListedVoucher {
  id: string;
  batch: bigint;
  amount: Amount;
  status: VoucherStatus;
  /** Who redeemed it. */
  accountId: bigint | null;
  redeemedAt: Date | null;
  /** By itself or with its batch, unless it was redeemed. */
  endedAt: Date | null;
  createdAt: Date;
  createdBy: string;
  expiresAt: Date | null;
  creditDays: number | null;
  oncePerAccount: boolean;
}

interface VoucherFilter {
  id?: string | undefined;
  /** The one that the page follows. */
  after?: Pick<ListedVoucher, "id" | "batch"> | undefined;
  batch?: bigint | undefined;
  accountId?: bigint | undefined;
  status?: VoucherStatus | undefined;
}

/** As the index voucher_by_end has it: what became of a voucher by itself. Whether it ended with its batch or by its time, the batch says. */
const ownEnd = "case when redeemed_at is not null then 'redeemed' when ended_at is not null then 'ended' else 'open' end";

/** Which vouchers of which batches have a status. */
const found: Record<VoucherStatus, { own: VoucherStatus; of?: string }[]> = {
  redeemed: [{ own: "redeemed" }],
  ended: [{ own: "ended" }, { own: "open", of: "b.ended_at is not null" }],
  expired: [{ own: "open", of: "b.ended_at is null and b.expires_at <= $1" }],
  open: [{ own: "open", of: "b.ended_at is null and (b.expires_at <= $1) is not true" }],
};

/** The newest batch first; those of a batch in the order of their ids, which are random. `at`: what has expired by then. */
export async function readVouchers({ pool }: Queries, at: Date, filter: VoucherFilter, most: number): Promise<ListedVoucher[]> {
  const { id, after, batch, accountId, status } = filter;
  if (accountId !== undefined && status !== undefined && status !== "redeemed") return []; // who has redeemed none
  const isFound = `($2::uuid is null or v.id = $2) and ($3::bigint is null or (v.batch_id, v.id) < ($3, $4::uuid))
    and ($5::bigint is null or v.batch_id = $5) and ($6::bigint is null or v.account_id = $6)`;
  const page = (where: string) => `select * from voucher v where ${isFound} and ${where} order by v.batch_id desc, v.id desc limit $7`;
  // Batches one after the other, the newest first: the planner would walk what is frequent for what few of them have.
  const pageOfBatches = (own: string, of: string) => `
    select v.* from voucher_batch b cross join lateral (${page(`v.batch_id = b.id and ${own}`)}) v
    where ${of} and ($3::bigint is null or b.id <= $3) and ($5::bigint is null or b.id = $5) order by b.id desc, v.id desc limit $7`;
  const pages =
    status === undefined
      ? [page("true")]
      : found[status].map(({ own, of }) => {
          const isOwn = `${ownEnd} = '${own}'`;
          return of === undefined ? page(isOwn) : pageOfBatches(isOwn, of);
        });
  const { rows } = await pool.query<ListedVoucher>(
    `select v.id, v.batch_id as batch, b.amount, v.account_id as "accountId", v.redeemed_at as "redeemedAt", b.created_at as "createdAt",
       case when v.redeemed_at is null then least(v.ended_at, b.ended_at) end as "endedAt",
       b.created_by as "createdBy", b.expires_at as "expiresAt", b.credit_days as "creditDays", b.once_per_account as "oncePerAccount",
       case when v.redeemed_at is not null then 'redeemed' when coalesce(v.ended_at, b.ended_at) is not null then 'ended'
         when b.expires_at <= $1 then 'expired' else 'open' end as status
     from (${pages.map((text) => `(${text})`).join(" union all ")}) v join voucher_batch b on b.id = v.batch_id
     order by batch desc, id desc limit $7`,
    [at, id ?? null, after?.batch ?? null, after?.id ?? null, batch ?? null, accountId ?? null, most],
  );
  return rows;
}

/** False: there is no such voucher that is neither redeemed nor ended. Of this and redeeming one waits for the other, and sees what it did. */
export async function endVoucher({ pool }: Queries, id: string, at: Date): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update voucher v set ended_at = $2 from voucher_batch b
     where v.id = $1 and b.id = v.batch_id and v.redeemed_at is null and v.ended_at is null and b.ended_at is null`,
    [id, at],
  );
  return rowCount === 1;
}

interface Redeeming extends Actor {
  code: string;
  /** The client's network. */
  client: string;
  at: Date;
}

interface Redeemed {
  amount: Amount;
  seq: bigint;
  balance: Amount;
  expiresAt: Date | null;
}

const perMinute = { account: 10, client: 20 };
const dayMs = 24 * 60 * 60 * 1000;

export async function redeemVoucher(
  { db, limits }: Pick<Context, "db" | "limits">,
  { accountId, personId, code, client, at }: Redeeming,
): Promise<Redeemed> {
  await limits.throttle("voucher client", client, perMinute.client);
  await limits.assertWithin({ accountId, bucket: "voucher" }, perMinute.account);
  const hash = hashOfCode(code);
  await countGrants(db, accountId);
  return inTransaction(db, async (transaction) => {
    // First, so that of two vouchers of a batch that one account redeems at once the second sees the first.
    await lockAsPayer(transaction, { accountId, personId });
    const voucher = await lockRedeemable(transaction, { accountId, hash, at });
    const expiresAt = voucher.creditDays === null ? null : new Date(at.getTime() + voucher.creditDays * dayMs);
    const { id, amount } = voucher;
    await transaction.pool.query("update voucher set account_id = $2, redeemed_at = $3 where id = $1", [id, accountId, at]);
    const posted = await postGrant(transaction, { accountId, id, amount, ref: voucherIdText(id), at, expiresAt });
    return { amount, ...posted, expiresAt };
  });
}

interface Voucher {
  id: string;
  amount: Amount;
  creditDays: number | null;
  isUsed: boolean;
  isLate: boolean;
  isEnded: boolean;
  isSecond: boolean;
}

async function lockRedeemable({ pool }: Queries, { accountId, hash, at }: { accountId: bigint; hash: Buffer; at: Date }): Promise<Voucher> {
  const { rowCount } = await pool.query("select 1 from voucher where hash = $1 for update", [hash]);
  if (rowCount === 0) fail("voucher_not_found");
  // A statement of its own: it sees what the last holder of the lock left.
  const { rows } = await pool.query<Voucher>(
    `select v.id, b.amount, b.credit_days as "creditDays", v.redeemed_at is not null as "isUsed", coalesce(b.expires_at <= $3, false) as "isLate",
       coalesce(v.ended_at, b.ended_at) is not null as "isEnded",
       b.once_per_account and exists (select from voucher o where o.account_id = $2 and o.batch_id = b.id) as "isSecond"
     from voucher v join voucher_batch b on b.id = v.batch_id where v.hash = $1`,
    [hash, accountId, at],
  );
  const voucher = rows[0]!;
  if (voucher.isUsed) refuse("it was redeemed before");
  if (voucher.isEnded) refuse("it is no longer valid");
  if (voucher.isLate) refuse("it has expired");
  if (voucher.isSecond) refuse("your workspace has redeemed another one of this kind, and may redeem only one");
  return voucher;
}

function refuse(reason: string): never {
  return fail("voucher_not_redeemable", { text: { reason } });
}
