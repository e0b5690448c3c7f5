// Reads ledger entries and shows them as the contract does. Writes nothing.
import type { Queries } from "../db/connect.ts";
import { failParameter } from "../errors/fail.ts";
import { type Amount, toUsd } from "../money.ts";

interface Entry {
  /** Its number in the account's ledger, from 1 without a gap. */
  seq: bigint;
  kind: string;
  amount: Amount;
  balanceAfter: Amount;
  ref: string;
  /** The seq of the entry that it corrects. */
  corrects: bigint | null;
  reason: string | null;
  hash: Buffer;
  createdAt: Date;
}

/** The contract's types of entries, by the database's kinds. */
const typeOfKind = {
  deposit: "purchase",
  signup_credit: "signup_bonus",
  usage: "usage",
  hold: "hold",
  hold_settle: "hold_settle",
  hold_release: "hold_release",
  refund: "refund",
  bonus: "gift",
  adjustment: "adjustment",
  earned_adjustment: "adjustment",
  payment_refund: "payment_refund",
  dispute: "dispute",
} as const;

type EntryType = (typeof typeOfKind)[keyof typeof typeOfKind];

const kindsOfType = (type: EntryType) => Object.entries(typeOfKind).flatMap(([kind, itsType]) => (itsType === type ? [kind] : []));

const columns = `seq, kind, amount, balance_after as "balanceAfter", ref, corrects, reason, hash, created_at as "createdAt"`;

interface EntryFilter {
  /** Only entries before this number; null: from the newest. */
  before: bigint | null;
  type: EntryType | null;
}

/** Newest first. */
export async function readEntries(db: Queries, accountId: bigint, { before, type }: EntryFilter, limit: number): Promise<Entry[]> {
  // `|| ''` keeps the planner from the primary key, which ends with the kind: it expects many entries of a large account, because it multiplies the
  // shares of account and kind, and would then read all of them there. Two indexes have the entries other than usage, and of them those of no media job.
  const kinds = type === null || type === "usage" ? [] : kindsOfType(type);
  const isOfJobs = kinds.some((kind) => kind.startsWith("hold"));
  const ofKinds = `and kind || '' = any($4) and ${isOfJobs ? "kind <> 'usage'" : "kind not in ('usage', 'hold', 'hold_settle', 'hold_release')"}`;
  const ofType = type === null ? "" : type === "usage" ? "and kind = 'usage'" : ofKinds;
  const { rows } = await db.pool.query<Entry>(
    `select ${columns} from ledger_entry where account_id = $1 and ($2::bigint is null or seq < $2) ${ofType} order by seq desc limit $3`,
    [accountId, before, limit, ...(kinds.length === 0 ? [] : [kinds])],
  );
  return rows;
}

/** The entries of one request or job, oldest first. */
export async function readEntriesOf(db: Queries, accountId: bigint, id: string): Promise<Entry[]> {
  const { rows } = await db.pool.query<Entry>(`select ${columns} from ledger_entry where account_id = $1 and id = $2 order by seq`, [
    accountId,
    id,
  ]);
  return rows;
}

/** The entry with this id in the account's ledger; undefined if the ledger has no such entry. */
export async function findEntry(db: Queries, accountId: bigint, id: string): Promise<Entry | undefined> {
  const digits = /^led_([1-9]\d{0,17})$/.exec(id)?.[1];
  if (digits === undefined) return undefined;
  const { rows } = await db.pool.query<Entry>(`select ${columns} from ledger_entry where account_id = $1 and seq = $2`, [
    accountId,
    BigInt(digits),
  ]);
  return rows[0];
}

export function entryId(seq: bigint): string {
  return `led_${seq}`;
}

interface LedgerQuery {
  /** Id of the entry that the page follows. */
  after?: string;
  limit?: number;
  type?: EntryType;
}

/** A page of an account's ledger as the contract shows it, newest first. */
export async function ledgerPage(db: Queries, accountId: bigint, { after, limit, type }: LedgerQuery) {
  const before = after === undefined ? null : await placeOf(db, accountId, after);
  const { rows, hasMore } = await pageOf(limit, (most) => readEntries(db, accountId, { before, type: type ?? null }, most));
  const data = rows.map(entryRecord);
  return { object: "list" as const, data, has_more: hasMore, last_id: data.at(-1)?.id ?? null };
}

async function placeOf(db: Queries, accountId: bigint, id: string): Promise<bigint> {
  return (await findEntry(db, accountId, id))?.seq ?? failParameter("after", "it is not the id of an entry in this ledger");
}

/** An entry as the contract shows it. */
export function entryRecord({ seq, kind, amount, balanceAfter, ref, corrects, reason, hash, createdAt }: Entry) {
  return {
    id: entryId(seq),
    type: typeOfKind[kind as keyof typeof typeOfKind],
    amount_usd: toUsd(amount),
    balance_after: toUsd(balanceAfter),
    ref,
    ...(corrects !== null && { corrects: entryId(corrects) }),
    ...(reason !== null && { reason }),
    hash: hash.toString("hex"),
    created_at: createdAt.toISOString(),
  };
}

// A page of a list, and whether more follows: reads one row more than it shows.

/** The contract's default: the edge's validator does not fill it in. */
const limitDefault = 50;

interface Page<Row> {
  rows: Row[];
  hasMore: boolean;
}

/** `read` returns at most so many rows. */
export async function pageOf<Row>(limit: number = limitDefault, read: (most: number) => Promise<Row[]>): Promise<Page<Row>> {
  const found = await read(limit + 1);
  return { rows: found.slice(0, limit), hasMore: found.length > limit };
}
