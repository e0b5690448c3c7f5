// Reservations: batches of them, and what may become of one before it is settled. ledger.ts sends them.
import { plainArray } from "../db/arrays.ts";
import type { Db, Queries } from "../db/connect.ts";
import { refuseInDoubt } from "../db/database-checks.ts";
import { isTransient } from "../db/transient-error.ts";
import { fail } from "../errors/fail.ts";
import type { Amount } from "../money.ts";
import { isAccountHeld } from "./account-batcher.ts";

/** Room for one running call of its kind, e.g. speech, as part of audio. */
export interface Slot {
  pool: string;
  poolMax: number;
  group: string | null;
  groupMax: number | null;
}

export interface ReserveRequest {
  accountId: bigint;
  /** The key whose budget it also comes out of; null or absent: none. */
  keyId?: bigint | null;
  /** Absent: the call needs no slot. */
  slot?: Slot;
  /** Fixed for the request's life; settle names it again. */
  id: string;
  /** The most that the call may cost. */
  want: Amount;
  /** Refuse if less than this can be held. At most `want`. */
  least: Amount;
}

export interface Reserved {
  /** Between least and want; null: refused, nothing is held. */
  granted: Amount | null;
  /** What the account could spend before this request; other requests hold the rest of its balance. */
  available: Amount;
  /** Held by other requests in flight. */
  reserved: Amount;
  /** Why nothing was granted. */
  refused: "slot" | "group" | "key" | "balance" | null;
  /** What the key could spend before this request; null: it has no budget. */
  keyLeft: Amount | null;
}

/** A hold lives this long without renewal; live calls are renewed every 30 s (replica.ts). */
export const holdLife = "2 minutes";

type ReservedRow = Reserved & { n: number };

export const ledgerReserve = `select n, granted, available, reserved, refused, key_left as "keyLeft"
  from ledger_reserve($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

export async function reserveBatch(db: Queries, owner: string, items: readonly ReserveRequest[]): Promise<Reserved[]> {
  const { rows } = await db.pool.query<ReservedRow>(ledgerReserve, [
    owner,
    plainArray(items.map((i) => i.accountId)),
    plainArray(items.map((i) => i.id)),
    plainArray(items.map((i) => i.want)),
    plainArray(items.map((i) => i.least)),
    plainArray(items.map((i) => i.keyId ?? null)),
    items.map((i) => i.slot?.pool ?? null),
    plainArray(items.map((i) => i.slot?.poolMax ?? null)),
    items.map((i) => i.slot?.group ?? null),
    plainArray(items.map((i) => i.slot?.groupMax ?? null)),
    holdLife,
  ]);
  const results: Reserved[] = items.map(() => ({ granted: null, available: 0n, reserved: 0n, refused: "balance", keyLeft: null })); // an unknown account has nothing
  for (const { n, ...reserved } of rows) results[n - 1] = reserved;
  return results;
}

/** As `Ledger.reserve` decides it, in a transaction of the caller's. */
export async function reserveIn(transaction: Queries, owner: string, request: ReserveRequest): Promise<Reserved> {
  return (await reserveBatch(transaction, owner, [request]))[0]!;
}

/** What an open call holds, or a slice: that of one is all its calls' once it is closed. */
export interface Held {
  readonly keyId: bigint | null;
  readonly amount: Amount;
  readonly slot?: Slot | undefined;
  readonly isClosed?: boolean;
}

/** Ids of those that have no hold: it was never made, or has ended. */
export async function unheldOf(db: Queries, calls: readonly HoldName[]): Promise<Set<string>> {
  if (calls.length === 0) return new Set();
  const { rows } = await db.pool.query<{ id: string }>(
    `select d.id from unnest($1::bigint[], $2::uuid[]) d(account_id, id)
     where not exists (select 1 from hold h where h.account_id = d.account_id and h.id = d.id)`,
    [calls.map(({ accountId }) => accountId), calls.map(({ id }) => id)],
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Holds once more what was given back while this process seemed dead, or what is left of it, since the calls go on. Where their slots are taken,
 * without them. Returns those that could not be covered in full.
 */
export async function holdAnew(db: Queries, owner: string, lost: readonly (HoldName & { held: Held })[]): Promise<HoldName[]> {
  const requests = lost.map(({ accountId, id, held: { keyId, amount, slot } }) => ({
    ...{ accountId, id, keyId, want: amount, least: amount < 1n ? amount : 1n },
    ...(slot !== undefined && { slot }),
  }));
  const withSlots = await reserveBatch(db, owner, requests);
  const slotless = requests.flatMap(({ slot: _, ...request }, n) => (/^(slot|group)$/.test(withSlots[n]!.refused ?? "") ? [request] : []));
  const without = slotless.length === 0 ? [] : await reserveBatch(db, owner, slotless);
  const granted = new Map(requests.map(({ id }, n) => [id, withSlots[n]!.granted]));
  slotless.forEach(({ id }, n) => granted.set(id, without[n]!.granted));
  return requests.filter(({ id, want }) => (granted.get(id) ?? -1n) < want);
}

/** Whether more could be granted: a slot is no matter of money. */
export const isShort =
  ({ want }: Pick<ReserveRequest, "want">) =>
  ({ granted, refused }: Reserved): boolean =>
    granted === null ? refused === "balance" || refused === "key" : granted < want;

export const isRefused = ({ granted }: Reserved): boolean => granted === null;

interface HoldName {
  accountId: bigint;
  id: string;
}

/** Gives one back that was granted in part, or does nothing. */
export async function releaseHold(db: Db, { accountId, id }: HoldName): Promise<void> {
  await db.pool.query(
    `with locked as materialized (select lock_balances(array[$1::bigint], true) as account_id)
     delete from hold h using locked l where h.account_id = l.account_id and h.id = $2`,
    [accountId, id],
  );
}

/** Fails with overloaded if the hold has ended. */
export async function raiseHold(db: Db, { accountId, id, want }: HoldName & { want: Amount }): Promise<Reserved> {
  refuseInDoubt(db);
  const sql = `select granted, available, reserved, refused, key_left as "keyLeft" from ledger_raise($1, $2, $3)`;
  try {
    const { rows } = await db.pool.query<Reserved>(sql, [accountId, id, want]);
    return rows[0]!;
  } catch (cause) {
    // It may have been made anyway: the call's settlement ends the hold, however large.
    const hasEnded = (cause as { code?: string }).code === "P0002"; // this process seemed dead to the others
    if (isTransient(cause) || isAccountHeld(cause) || hasEnded) fail("overloaded", { cause });
    throw cause;
  }
}
