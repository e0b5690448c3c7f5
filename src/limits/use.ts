// How much of an account's limits is in use now. Counts nothing.
import type { Db } from "../db/connect.ts";
import { audioGroup } from "./slots.ts";
import { buckets, daySeconds, keyBuckets, minuteSeconds, type WindowCount } from "./window.ts";

export interface LimitUse {
  requests: WindowCount;
  tokens: WindowCount;
  /** Of the UTC day. */
  day: WindowCount;
  /** Audio calls in flight. */
  audio: number;
  /** Media jobs that have a slot. */
  jobs: Record<"image" | "video", number>;
}

/** Of the last minute, by the key's own limits. */
export async function readKeyUse(db: Db, accountId: bigint, keyId: bigint): Promise<Record<"requests" | "tokens", WindowCount>> {
  const { requests, tokens } = keyBuckets(keyId);
  const counts = await readWindows(db, accountId, [
    [requests, minuteSeconds],
    [tokens, minuteSeconds],
  ]);
  return { requests: counts[0]!, tokens: counts[1]! };
}

export async function readLimitUse(db: Db, accountId: bigint): Promise<LimitUse> {
  const [counts, slots] = await Promise.all([readCounts(db, accountId), readSlots(db, accountId)]);
  return { ...counts, ...slots };
}

async function readCounts(db: Db, accountId: bigint): Promise<Omit<LimitUse, "audio" | "jobs">> {
  const [requests, tokens, day] = await readWindows(db, accountId, [
    [buckets.requests, minuteSeconds],
    [buckets.tokens, minuteSeconds],
    [buckets.day, daySeconds],
  ]);
  return { requests: requests!, tokens: tokens!, day: day! };
}

/** One count for each bucket, in their order. */
async function readWindows(db: Db, accountId: bigint, asked: readonly [bucket: string, seconds: number][]): Promise<WindowCount[]> {
  const { rows } = await db.pool.query<{ at_ms: bigint; seconds: number; current: bigint; previous: bigint }>(
    `select floor(extract(epoch from now()) * 1000)::bigint as at_ms, b.seconds, coalesce(w.n, 0) as current, coalesce(p.n, 0) as previous
     from (select bucket, seconds, place, to_timestamp(floor(extract(epoch from now()) / seconds) * seconds) as starts_at
       from unnest($2::text[], $3::int[]) with ordinality u(bucket, seconds, place)) b
     left join rate_window w on w.account_id = $1 and w.bucket = b.bucket and w.starts_at = b.starts_at
     left join rate_window p on p.account_id = $1 and p.bucket = b.bucket
       and p.starts_at = b.starts_at - make_interval(secs => b.seconds)
     order by b.place`,
    [accountId, asked.map(([bucket]) => bucket), asked.map(([, seconds]) => seconds)],
  );
  return rows.map((row) => ({
    atMs: Number(row.at_ms),
    lengthMs: row.seconds * 1000,
    current: Number(row.current),
    previous: Number(row.previous),
  }));
}

async function readSlots(db: Db, accountId: bigint): Promise<Pick<LimitUse, "audio" | "jobs">> {
  const { rows } = await db.pool.query<{ audio: number; image: number; video: number }>(
    `select (select count(*)::int from hold where account_id = $1 and pool_group = $2 and expires_at > now()) as audio, j.* from (
       select count(*) filter (where kind = 'image')::int as image, count(*) filter (where kind = 'video')::int as video
       from media_job where account_id = $1 and status in ('pending', 'processing')) j`,
    [accountId, audioGroup],
  );
  const { audio, image, video } = rows[0]!;
  return { audio, jobs: { image, video } };
}
