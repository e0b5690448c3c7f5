// What a gateway has open, as the kernel and the database say: descriptors by kind, Postgres backends, what is reserved, rows of every table.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Db } from "../../src/db/connect.ts";
import type { SoakWorld } from "./soak-world.ts";

export interface Descriptors {
  all: number;
  /** Connections of clients. */
  clients: number;
  /** Connections to upstreams. */
  upstreams: number;
  files: number;
  /** What loops and worker threads are made of: pipes, polls, event counters. */
  others: number;
}

/** The threads that measure sound are kept, at most two (src/media/audio/measure-audio.ts); each is five pipes, polls and counters. */
export const keptThreadsOthers = 2 * 5;

/** By /proc: a socket is a client's where its own port is the gateway's. */
export function descriptorsOf({ pid, url, simulator }: Pick<SoakWorld, "pid" | "url" | "simulator">): Descriptors {
  const port = Number(new URL(url).port);
  const ends = tcpEnds(pid);
  const found: Descriptors = { all: 0, clients: 0, upstreams: 0, files: 0, others: 0 };
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    const target = linkOf(`/proc/${pid}/fd/${name}`);
    if (target === null) continue;
    found.all += 1;
    const end = ends.get(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? "");
    if (end !== undefined && end.isConnected && end.own === port) found.clients += 1;
    if (end !== undefined && end.peer === simulator.port) found.upstreams += 1;
    if (!target.startsWith("socket:") && !target.startsWith("/")) found.others += 1;
    if (target.startsWith("/") && !target.startsWith("/dev/")) found.files += 1;
  }
  return found;
}

function tcpEnds(pid: number): Map<string, { own: number; peer: number; isConnected: boolean }> {
  const lines = ["tcp", "tcp6"].flatMap((name) => readFileSync(`/proc/${pid}/net/${name}`, "utf8").trim().split("\n").slice(1));
  const portOf = (address: string) => parseInt(address.split(":").at(-1)!, 16);
  return new Map(
    lines.map((line) => {
      const [, own, peer, state, , , , , , inode] = line.trim().split(/\s+/) as string[] & { length: 10 };
      return [inode!, { own: portOf(own!), peer: portOf(peer!), isConnected: state !== "0A" }];
    }),
  );
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null; // closed meanwhile
  }
}

export interface Open {
  /** Calls in flight, by the ledger. */
  reservations: number;
  /** Jobs that wait or run. */
  jobs: number;
  /** The gateway's, not those of the scraper. */
  backends: number;
}

export async function openIn(db: Db): Promise<Open> {
  const { rows } = await db.pool.query<Open>(
    `select (select count(*)::int from hold) as reservations,
       (select count(*)::int from media_job where status in ('queued', 'pending', 'processing')) as jobs,
       (select count(*)::int from pg_stat_activity where datname = current_database()
         and application_name <> current_setting('application_name')) as backends`,
  );
  return rows[0]!;
}

/** Of every table but partitions, which their parents count. */
export async function rowsOf(db: Db): Promise<Record<string, number>> {
  const { rows: tables } = await db.pool.query<{ name: string }>(
    "select relname as name from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace order by 1",
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) counts[name] = (await db.pool.query<{ n: number }>(`select count(*)::int as n from "${name}"`)).rows[0]!.n;
  return counts;
}

/** Where calls leave rows for good, also once an hour has ended, tables that are swept by the minute, and what the look at balances notes. */
const growing = [
  "account",
  "api_key",
  "balance",
  "balance_armed",
  "idempotency_key",
  "key_budget",
  "ledger_entry",
  "media_job",
  "media_expense",
  "rate_window",
  "usage_log",
  "usage_active",
  "usage_caller",
  "usage_fact",
  "usage_rollup",
  "usage_total",
];

/** Tables that hold more or fewer rows than before though no call should leave any there. */
export function strayRows(before: Record<string, number>, after: Record<string, number>): string[] {
  return Object.keys(after)
    .filter((table) => !growing.includes(table) && after[table] !== before[table])
    .map((table) => `${table}: ${before[table] ?? 0} rows before, ${after[table]} after`);
}

/** Files that are worked on lie in folders of this name until the work is done. */
export function tempFiles({ folder }: Pick<SoakWorld, "folder">): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /te?mp/.test(entry.parentPath.slice(folder.length)))
    .map((entry) => join(entry.parentPath, entry.name));
}
