// Ends of the ledger in a file outside the database (SVC_LEDGER_HEAD_FILE), written every minute and compared at the next start: a database that was
// restored to an earlier moment, or lost entries, is noticed before it serves.
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { accountIdText, parseAccountId } from "../ids.ts";
import { parseJson } from "../json/parse.ts";
import type { Queries } from "../db/connect.ts";

/** The last entry of an account, as it was. */
interface End {
  accountId: bigint;
  seq: bigint;
  hash: string;
}

export interface HeadFile {
  /** When the file was last written, in seconds since 1970; null: not yet. */
  writtenAt(): number | null;
  stop(): Promise<void>;
}

const everyMs = 60_000;
/** Of accounts with calls in the last minutes, and of the newest ones: a few thousand look-ups by index each minute. */
const accountsMax = 1_000;

const endsSql = `
  with chosen as (
    select account_id from (select distinct account_id from usage_log where created_at > now() - interval '15 minutes' limit $1) called
    union select account_id from (select account_id from balance order by account_id desc limit $1) newest
  )
  select c.account_id, e.seq, encode(e.hash, 'hex') as hash from chosen c,
    lateral (select seq, hash from ledger_entry l where l.account_id = c.account_id order by seq desc limit 1) e order by 1`;

export async function writeHeadFile({ pool }: Queries, path: string, now = new Date()): Promise<void> {
  const { rows } = await pool.query<{ account_id: bigint; seq: bigint; hash: string }>(endsSql, [accountsMax]);
  const ends = rows.map(({ account_id, seq, hash }) => [accountIdText(account_id), Number(seq), hash]);
  const part = `${path}.${process.pid}.part`;
  try {
    await writeFile(part, `${JSON.stringify({ written_at: now.toISOString(), ends })}\n`, { mode: 0o600, flush: true });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Now and every minute. A file that knows more than the database stays as it is: the next start refuses. */
export function keepHeadFile(db: Queries, path: string, onFault: (error: unknown, what: string) => void, pauseMs = everyMs): HeadFile {
  let writtenAt: number | null = null;
  const write = async () => {
    try {
      const back = await whatWentBack(db, path);
      if (back !== null) throw new Error(back);
      await writeHeadFile(db, path);
      writtenAt = Date.now() / 1000;
    } catch (error) {
      onFault(error, "writing the ledger's head");
    }
  };
  let writing = write();
  const timer = setInterval(() => void (writing = writing.then(write)), pauseMs);
  timer.unref();
  return {
    writtenAt: () => writtenAt,
    async stop() {
      clearInterval(timer);
      await writing;
      await write(); // the next start compares with what was so at the end
    },
  };
}

const lacksSql = `
  select c.account_id, c.seq from unnest($1::bigint[], $2::bigint[], $3::text[]) c(account_id, seq, hash)
    left join ledger_entry e on e.account_id = c.account_id and e.seq = c.seq
  where e.hash is null or encode(e.hash, 'hex') <> c.hash order by 1`;

/** Why this is not the ledger that the file saw, or a later state of it, as a sentence; null: it is, or there is no file yet. */
export async function whatWentBack({ pool }: Queries, path: string): Promise<string | null> {
  const head = await readHeadFile(path);
  if (head === null) return null;
  const { writtenAt, ends } = head;
  const values = [ends.map(({ accountId }) => accountId), ends.map(({ seq }) => seq), ends.map(({ hash }) => hash)];
  const { rows } = await pool.query<{ account_id: bigint; seq: bigint }>(lacksSql, values);
  if (rows.length === 0) return null;
  const { account_id, seq } = rows[0]!;
  const more = rows.length === 1 ? "" : `, and of ${rows.length - 1} more accounts`;
  return (
    `the ledger went back: entry ${seq} of ${accountIdText(account_id)}${more}, which was there on ${writtenAt} (${path}), is missing or another. ` +
    "The database was restored to an earlier moment, or lost commits. `svc ledger compare LOG` finds lost charges; `svc ledger accept` accepts this ledger"
  );
}

async function readHeadFile(path: string): Promise<{ writtenAt: string; ends: End[] } | null> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return null;
  const wrong = new Error(`${path} (SVC_LEDGER_HEAD_FILE) is not what the gateway writes there; svc ledger accept writes it anew`);
  try {
    const { written_at, ends } = parseJson(text) as { written_at: string; ends: [string, number, string][] };
    return {
      writtenAt: written_at,
      ends: ends.map(([id, seq, hash]) => {
        const accountId = parseAccountId(id);
        if (accountId === undefined || !Number.isSafeInteger(seq) || !/^[0-9a-f]{64}$/.test(hash)) throw wrong;
        return { accountId, seq: BigInt(seq), hash };
      }),
    };
  } catch {
    throw wrong;
  }
}
