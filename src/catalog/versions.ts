// The catalogs that operators applied: the newest row of catalog_version is in use, whatever the file says. All writers take one lock.
import { createHash } from "node:crypto";
import type { Queries } from "../db/connect.ts";

/** The channel of NOTIFY that says that another catalog is in use. */
export const catalogChannel = "catalog_version";

/** The number that stands for the file of SVC_CATALOG. */
export const fileVersion = 0;

/** More texts than anybody goes back to; each has 4 MB at most. */
const keptMax = 100;

/** An arbitrary lock number. */
const lockKey = 7322034;

export interface Version {
  id: number;
  appliedAt: Date;
  appliedBy: string;
  reason: string | null;
  /** Null: the file of SVC_CATALOG. */
  sha256: string | null;
  /** What a revert goes back to; 0: the file; null: there is no earlier one. */
  previous: number | null;
  /** What it went back to; 0: the file; null: it is a text of its own. */
  restores: number | null;
}

export interface VersionWithText extends Version {
  text: string | null;
}

const columns = `id, applied_at as "appliedAt", applied_by as "appliedBy", reason, sha256, previous, restores`;

/** Until the transaction ends: one catalog is applied at a time, and prices are noted once. */
export async function lockVersions({ pool }: Queries): Promise<void> {
  await pool.query("select pg_advisory_xact_lock($1)", [lockKey]);
}

/** 0: none was ever applied. */
export async function newestVersionId({ pool }: Queries): Promise<number> {
  const { rows } = await pool.query<{ id: number }>("select coalesce(max(id), 0) as id from catalog_version");
  return rows[0]!.id;
}

export async function readVersion({ pool }: Queries, id: number): Promise<VersionWithText | null> {
  const { rows } = await pool.query<VersionWithText>(`select ${columns}, text from catalog_version where id = $1`, [id]);
  return rows[0] ?? null;
}

/** Null: none was ever applied. */
export async function newestVersion({ pool }: Queries): Promise<VersionWithText | null> {
  const { rows } = await pool.query<VersionWithText>(`select ${columns}, text from catalog_version order by id desc limit 1`);
  return rows[0] ?? null;
}

/** Newest first, without their texts. */
export async function listVersions({ pool }: Queries, limit: number): Promise<Version[]> {
  const { rows } = await pool.query<Version>(`select ${columns} from catalog_version order by id desc limit $1`, [limit]);
  return rows;
}

/** Within a transaction that holds the lock. Every process hears of it after the commit. */
export async function writeVersion({ pool }: Queries, row: Omit<VersionWithText, "id" | "sha256">): Promise<VersionWithText> {
  const { appliedAt, appliedBy, reason, text, previous, restores } = row;
  const { rows } = await pool.query<VersionWithText>(
    `insert into catalog_version (applied_at, applied_by, reason, text, sha256, previous, restores) values ($1, $2, $3, $4, $5, $6, $7)
     returning ${columns}, text`,
    [appliedAt, appliedBy, reason, text, text === null ? null : sha256(text), previous, restores],
  );
  const written = rows[0]!;
  await pool.query("delete from catalog_version where id <= $1", [written.id - keptMax]);
  await pool.query("select pg_notify($1, '')", [catalogChannel]);
  return written;
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
