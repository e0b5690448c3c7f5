// Verifies the hash chain of every account's entries (README.md beside this file). Computes the hashes independently of the database's
// triggers, so that an entry changed, removed or moved by a user who can bypass the triggers is found. What was found is kept for /metrics:
// alerts ask when the whole chain was last verified.
import { createHash } from "node:crypto";
import { type Db, inSnapshot, type Queries } from "../db/connect.ts";
import { accountIdText } from "../ids.ts";

export interface ChainVerdict {
  /** Accounts with entries, as far as was read. */
  accounts: number;
  entries: number;
  /**
   * SHA-256 over the last hash of every account. Removing the last entries leaves an intact chain, which only an older head or the audit can show.
   * Null where the chain is broken.
   */
  head: string | null;
  /** The first broken link. */
  broken: BrokenLink | null;
}

interface BrokenLink {
  account_id: string;
  seq: number;
  entry_id: string;
  reason: string;
}

/** What an entry's hash covers, and the hash. */
interface Link {
  account_id: bigint;
  seq: bigint;
  microseconds: bigint;
  id: string;
  kind: string;
  amount: bigint;
  ref: string;
  key_id: bigint | null;
  balance_after: bigint;
  corrects: bigint | null;
  reason: string | null;
  hash: Buffer;
}

interface Last {
  accountId: bigint;
  seq: bigint;
  balance: bigint;
  hash: Buffer;
}

const pageSize = 5_000;

/** One snapshot for all of it; never more than one page in memory. */
export const verifyChain = (db: Db): Promise<ChainVerdict> => inSnapshot(db, verifyWithin);

/** In a transaction that sees one moment, or what it wrote itself. */
export async function verifyWithin({ pool }: Queries): Promise<ChainVerdict> {
  const head = createHash("sha256");
  let last = startOf(0n);
  let accounts = 0;
  let entries = 0;
  for (let page = await readPage(); page.length > 0; page = await readPage())
    for (const link of page) {
      if (link.account_id !== last.accountId) {
        closeAccount();
        last = startOf(link.account_id);
        accounts += 1;
      }
      entries += 1;
      const reason = faultOf(link, last);
      if (reason !== null) return { accounts, entries, head: null, broken: brokenLink(link, reason) };
      last = { accountId: link.account_id, seq: link.seq, balance: link.balance_after, hash: link.hash };
    }
  closeAccount();
  return { accounts, entries, head: head.digest("hex"), broken: null };

  async function readPage(): Promise<Link[]> {
    return (await pool.query<Link>(pageSql, [last.accountId, last.seq, pageSize])).rows;
  }
  function closeAccount(): void {
    if (last.seq > 0n) head.update(`${last.accountId} ${last.hash.toString("hex")}\n`);
  }
}

const columns = `account_id, seq, (extract(epoch from created_at) * 1000000)::bigint as microseconds, id, kind, amount, ref, key_id,
  balance_after, corrects, reason, hash`;
const pageSql = `select ${columns} from ledger_entry where (account_id, seq) > ($1, $2) order by account_id, seq limit $3`;

/** One account's entries from number `from` to `to`, as the chain has them, at most `limit`. */
export async function readLinks({ pool }: Queries, accountId: bigint, from: bigint, to: bigint, limit: number): Promise<Link[]> {
  const sql = `select ${columns} from ledger_entry where account_id = $1 and seq between $2 and $3 order by seq limit $4`;
  return (await pool.query<Link>(sql, [accountId, from, to, limit])).rows;
}

/** The end of the account's chain; undefined: it has no entries. */
export async function readHead({ pool }: Queries, accountId: bigint): Promise<Link | undefined> {
  return (await pool.query<Link>(`select ${columns} from ledger_entry where account_id = $1 order by seq desc limit 1`, [accountId]))
    .rows[0];
}

function startOf(accountId: bigint): Last {
  return { accountId, seq: 0n, balance: 0n, hash: Buffer.alloc(0) };
}

/** Null: it follows from the one before it. */
function faultOf(link: Link, last: Last): string | null {
  if (link.seq !== last.seq + 1n) return `entry ${last.seq + 1n} is missing before it`;
  if (link.balance_after !== last.balance + link.amount) return "its balance_after is not that of the entry before plus its amount";
  if (!link.hash.equals(hashOf(link, last.hash))) return "its hash is not that of the entry before and of what it says";
  return null;
}

function hashOf(link: Link, before: Buffer): Buffer {
  return createHash("sha256").update(before).update(linkText(link)).digest();
}

/** What an entry's hash covers beside the hash before it. */
export function linkText(link: Link): string {
  const { account_id, seq, microseconds, id, kind, amount, ref, key_id, balance_after, corrects, reason } = link;
  const correction = corrects === null && reason === null ? [] : [`corrects ${corrects ?? "none"} ${reason ?? ""}`];
  return [...correction, account_id, seq, microseconds, id, kind, amount, ref, key_id ?? "", balance_after].join("\n");
}

function brokenLink({ account_id, seq, id }: Link, reason: string): BrokenLink {
  return { account_id: accountIdText(account_id), seq: Number(seq), entry_id: id, reason };
}

/** Rows that are kept. */
const keptMax = 100;

/** False: the database only reads, as a standby does. */
export async function recordVerdict({ pool }: Queries, { accounts, entries, head, broken }: ChainVerdict): Promise<boolean> {
  const onlyReads = "25006";
  const where = broken === null ? null : `${broken.account_id} entry ${broken.seq}: ${broken.reason}`;
  try {
    await pool.query("insert into ledger_verdict (accounts, entries, head, broken) values ($1, $2, $3, $4)", [
      accounts,
      entries,
      head === null ? null : Buffer.from(head, "hex"),
      where,
    ]);
    await pool.query("delete from ledger_verdict where id <= (select max(id) - $1::int from ledger_verdict)", [keptMax]);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === onlyReads) return false;
    throw error;
  }
}
