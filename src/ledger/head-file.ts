// Ends of the ledger in a file outside the database (SVC_LEDGER_HEAD_FILE), written every minute and compared at the next start: a database
// that was restored to an earlier moment, or lost entries, is noticed before it serves.
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { accountIdText, parseAccountId } from "../ids.ts";
import { parseJson } from "../json/parse.ts";
import { behindLinks } from "../db/backup/dump.ts";
import type { Queries } from "../db/connect.ts";

/** The last entry of an account, as it was. */
interface End {
  accountId: bigint;
  seq: bigint;
  hash: string;
}

interface Ends {
  writtenAt: string;
  ends: End[];
}

interface HeadFile {
  /** When the file was last written, in seconds since 1970; before the first time: when that began, so that a file that never is gets noticed. */
  writtenAt(): number;
  stop(): Promise<void>;
}

const everyMs = 60_000;
/** Of accounts with calls lately, of those that the file already has, and of the newest ones: a few thousand look-ups by index each minute. */
const accountsMax = 1_000;
/** Of the usage log that are read for it. */
const rowsMax = 50_000;

const endsSql = `
  with called as (
    select distinct account_id from (select account_id from usage_log where created_at > now() - interval '2 minutes' limit $3) recent limit $1
  ), chosen as (
    select account_id, 0 as place from called
    union all select * from unnest($2::bigint[]) with ordinality
    union all (select account_id, 1000000 from balance order by account_id desc limit $1)
  )
  select c.account_id, e.seq, encode(e.hash, 'hex') as hash from (select account_id, min(place) as place from chosen group by 1) c,
    lateral (select seq, hash from ledger_entry l where l.account_id = c.account_id order by seq desc limit 1) e order by c.place, 1`;

/** `known`: accounts that stay in the file. The first ones are those with calls, so the accounts that were idle for longest leave first. */
export async function writeHeadFile({ pool }: Queries, link: string, known: readonly End[] = []): Promise<void> {
  const accounts = known.slice(0, accountsMax).map(({ accountId }) => accountId);
  const { rows } = await pool.query<{ account_id: bigint; seq: bigint; hash: string }>(endsSql, [accountsMax, accounts, rowsMax]);
  const ends = rows.map(({ account_id, seq, hash }) => [accountIdText(account_id), Number(seq), hash]);
  const path = await behindLinks(link);
  const part = `${path}.${process.pid}.part`;
  try {
    await writeFile(part, `${JSON.stringify({ written_at: new Date().toISOString(), ends })}\n`, { mode: 0o600, flush: true });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Now and every minute. A file that knows more than the database stays as it is: the next start refuses. */
export function keepHeadFile(db: Queries, path: string, onFault: (error: unknown, what: string) => void, pauseMs = everyMs): HeadFile {
  let writtenAt = Date.now() / 1000;
  const write = async () => {
    try {
      const last = await readHeadFile(path);
      const back = last === null ? null : await compare(db, path, last);
      if (back !== null) throw new Error(back);
      await writeHeadFile(db, path, last?.ends);
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
export async function whatWentBack(db: Queries, path: string): Promise<string | null> {
  const last = await readHeadFile(path);
  return last === null ? null : compare(db, path, last);
}

async function compare({ pool }: Queries, path: string, { writtenAt, ends }: Ends): Promise<string | null> {
  const values = [ends.map(({ accountId }) => accountId), ends.map(({ seq }) => seq), ends.map(({ hash }) => hash)];
  const { rows } = await pool.query<{ account_id: bigint; seq: bigint }>(lacksSql, values);
  if (rows.length === 0) return null;
  const { account_id, seq } = rows[0]!;
  const others = rows.length - 1;
  const more = others === 0 ? "" : `, and of ${others} more ${others === 1 ? "account" : "accounts"}`;
  return (
    `the ledger went back: entry ${seq} of ${accountIdText(account_id)}${more}, which was there on ${writtenAt} (${path}), is missing or another. ` +
    "The database was restored to an earlier moment, or lost commits. `svc ledger compare LOG` finds lost charges; `svc ledger accept` accepts this ledger"
  );
}

async function readHeadFile(path: string): Promise<Ends | null> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw new Error(`${path} (SVC_LEDGER_HEAD_FILE) can't be read: ${error.message}`, { cause: error });
  });
  if (text === null) return null;
  const wrong = new Error(`${path} (SVC_LEDGER_HEAD_FILE) is not what the gateway writes there; svc ledger accept writes it anew`);
  try {
    const { written_at, ends } = parseJson(text) as { written_at: string; ends: [string, number, string][] };
    if (!Number.isFinite(Date.parse(written_at))) throw wrong;
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
