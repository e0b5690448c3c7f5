// Files of a workspace: stored, read, listed and deleted. A row says what there is; the bytes are in the store of the media, under a name that no public
// address leads to (src/media/kinds.ts knows no such extension).
import { createHash } from "node:crypto";
import type { components } from "../../generated/api.d.ts";
import { lockAccountRow, lockForCaller } from "../accounts/users.ts";
import { unixSeconds, wholeSecond } from "../clock.ts";
import type { Context } from "../context.ts";
import { inTransaction, type Queries } from "../db/connect.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { cutId, fileIdText, parseFileId, uuidv7 } from "../ids.ts";
import type { OpenFile } from "../media/types.ts";

interface StoredFile {
  id: string;
  purpose: components["schemas"]["FilePurpose"];
  filename: string;
  bytes: number;
  createdAt: Date;
  expiresAt: Date;
}

interface NewFile {
  /** Absent: a new one. A file that is stored again under its id is the same. */
  id?: string;
  accountId: bigint;
  purpose: StoredFile["purpose"];
  filename: string;
  /** Of this disk; it may be gone afterwards. */
  path: string;
  bytes: number;
  /** Absent: 30 days. */
  keptSeconds?: number | undefined;
}

const keptSecondsUsual = 30 * 24 * 60 * 60;
/** What the callers of a workspace may store; what its batches answered is stored whatever there is. */
const [filesMax, allBytesMax] = [1_000, 10 * 1024 ** 3];
const nameMax = 255;

const columns = `id, purpose, filename, bytes::float8 as bytes, created_at as "createdAt", expires_at as "expiresAt"`;
const isThere = "is_stored and deleted_at is null and expires_at > $2";

type Storing = Pick<Context, "db" | "media" | "clock">;

/** The row comes before the bytes, so that bytes whose process dies are found and removed. Fails with file_limit_reached or overloaded. */
export async function storeFile({ db, media, clock }: Storing, file: NewFile): Promise<StoredFile> {
  const { accountId, purpose, bytes, path, keptSeconds = keptSecondsUsual } = file;
  const createdAt = wholeSecond(clock());
  const stored = {
    id: file.id ?? uuidv7(createdAt),
    purpose,
    bytes,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + keptSeconds * 1000),
  };
  const filename = shownName(file.filename);
  await inTransaction(db, async (transaction) => {
    if (purpose === "batch") {
      await lockForCaller(transaction, accountId);
      await assertRoom(transaction, accountId, bytes, createdAt);
    } else await lockAccountRow(transaction, accountId); // what a batch has answered is stored for a suspended account, too
    await transaction.pool.query(
      `insert into stored_file (id, account_id, purpose, filename, bytes, created_at, expires_at) values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (id) do update set bytes = excluded.bytes`,
      [stored.id, accountId, purpose, filename, bytes, createdAt, stored.expiresAt],
    );
  });
  try {
    await media.store.put(nameOf(stored.id), path, "application/jsonl");
  } catch (cause) {
    fail("overloaded", { cause });
  }
  await db.pool.query("update stored_file set is_stored = true where id = $1", [stored.id]);
  return { ...stored, filename };
}

/** In the store: not to be guessed from the id, though the id alone opens nothing. */
const nameOf = (id: string): string => `${createHash("sha256").update(`file ${id}`).digest("hex")}.jsonl`;

function shownName(given: string): string {
  const name = given.replaceAll(/[\p{Cc}]/gu, "").toWellFormed();
  return Array.from(name === "" ? "file" : name)
    .slice(0, nameMax)
    .join("");
}

async function assertRoom({ pool }: Queries, accountId: bigint, bytes: number, at: Date): Promise<void> {
  const { rows } = await pool.query<{ files: number; all: number }>(
    `select count(*)::int as files, coalesce(sum(bytes), 0)::float8 as all from stored_file
     where account_id = $1 and deleted_at is null and expires_at > $2 and purpose = 'batch'`,
    [accountId, at],
  );
  const { files, all } = rows[0]!;
  if (files >= filesMax) fail("file_limit_reached", { text: { reason: `it has ${filesMax} files` } });
  if (all + bytes > allBytesMax) fail("file_limit_reached", { text: { reason: `its files have ${allBytesMax / 1024 ** 3} GB` } });
}

type Reading = Pick<Context, "db" | "clock">;

/** By its shown id. Fails with file_not_found. */
export async function findFile({ db, clock }: Reading, accountId: bigint, shownId: string): Promise<StoredFile> {
  const id = parseFileId(shownId);
  const { rows } = await db.pool.query<StoredFile>(`select ${columns} from stored_file where account_id = $1 and ${isThere} and id = $3`, [
    accountId,
    clock(),
    id ?? null,
  ]);
  return rows[0] ?? fail("file_not_found", { text: { id: cutId(shownId) } });
}

interface FileFilter {
  purpose: StoredFile["purpose"] | undefined;
  /** The shown id of the file before the page. */
  after: string | undefined;
  order: "asc" | "desc";
}

export async function listFiles({ db, clock }: Reading, accountId: bigint, filter: FileFilter, limit: number): Promise<StoredFile[]> {
  const isForward = filter.order === "asc";
  const [compared, direction] = isForward ? [">", "asc"] : ["<", "desc"];
  const { rows } = await db.pool.query<StoredFile>(
    `select ${columns} from stored_file where account_id = $1 and ${isThere} and ($3::text is null or purpose = $3)
       and ($4::uuid is null or (created_at, id) ${compared} (select created_at, id from stored_file where id = $4))
     order by created_at ${direction}, id ${direction} limit $5`,
    [accountId, clock(), filter.purpose ?? null, await placeOf(db, accountId, filter.after), limit],
  );
  return rows;
}

async function placeOf({ pool }: Queries, accountId: bigint, after: string | undefined): Promise<string | null> {
  if (after === undefined) return null;
  const { rows } = await pool.query<{ id: string }>("select id from stored_file where account_id = $1 and id = $2", [
    accountId,
    parseFileId(after) ?? null,
  ]);
  return rows[0]?.id ?? failParameter("after", "it must be an id of this list");
}

/** Null: the bytes are gone. Both ends of `range` are included. */
export function openContent(
  { media }: Pick<Context, "media">,
  id: string,
  range: { from: number; to: number } | null = null,
): Promise<OpenFile | null> {
  return media.store.open(nameOf(id), range);
}

/** Fails with file_not_found. */
export async function deleteFile(context: Storing, accountId: bigint, shownId: string): Promise<void> {
  const { id } = await findFile(context, accountId, shownId);
  await context.db.pool.query("update stored_file set deleted_at = $2 where id = $1 and deleted_at is null", [id, context.clock()]);
  // What fails is done by the sweep.
  await removeSome(context, [id]).catch(() => undefined);
}

export function shownFile({ id, purpose, filename, bytes, createdAt, expiresAt }: StoredFile): components["schemas"]["FileObject"] {
  const times = { created_at: unixSeconds(createdAt), expires_at: unixSeconds(expiresAt) };
  return { id: fileIdText(id), object: "file", bytes, ...times, filename, purpose, status: "processed" };
}

// What is over: deleted, expired, or never stored because its process died. Bytes go first and their row last, so that none are forgotten.

/** An upload that takes longer is of a dead process: storing 100 MB has minutes (src/media/s3-store.ts). */
const storingMs = 60 * 60 * 1000;
const batch = 100;

export async function sweepFiles(context: Storing): Promise<void> {
  const at = context.clock();
  while ((await removeSome(context, await findOver(context.db, at))) === batch);
}

/** Files that a batch still reads stay. */
async function findOver({ pool }: Queries, at: Date): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from stored_file f where (least(expires_at, deleted_at) <= $1 or not is_stored and created_at < $2)
       and not exists (select 1 from batch b where b.input_file_id = f.id and b.ended_at is null) limit ${batch}`,
    [at, new Date(at.getTime() - storingMs)],
  );
  return rows.map(({ id }) => id);
}

/** Returns how many were removed. */
async function removeSome({ db, media }: Storing, ids: readonly string[]): Promise<number> {
  let removed = 0;
  for (const id of ids) {
    const { rowCount } = await db.pool.query("select 1 from batch where input_file_id = $1 and ended_at is null limit 1", [id]);
    if (rowCount !== 0) continue;
    await media.store.remove(nameOf(id));
    await db.pool.query("delete from stored_file where id = $1", [id]);
    removed++;
  }
  return removed;
}
