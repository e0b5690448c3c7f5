// Claims due deliveries with a lease, sends them and marks them. A process that dies in between leaves the lease to end; the delivery is then
// sent again, with the same id. due_at is both when an attempt is due and when its lease ends.
import { randomUUID } from "node:crypto";
import type { Db } from "../db/connect.ts";
import type { EventName } from "./events.ts";

/** Longer than any attempt takes: while one runs, no other process begins. */
export const leaseMs = 90_000;

/** Pauses after the first attempts, with a random part of a fifth; after as many attempts the delivery has failed. */
export const mailPausesMs = [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000] as const;

export interface Claimed {
  accountId: bigint;
  id: string;
  noticeId: string;
  event: EventName;
  data: unknown;
  address: string | null;
  endpointId: string | null;
  /** This one included. */
  attempts: number;
  noticedAt: Date;
}

export type Outcome =
  { sent: true; code?: number | null; response?: string } | { sent: false; final: boolean; code: number | null; response: string };

/** Sends once, within less than the lease. Never rejects. */
export type Send = (delivery: Claimed) => Promise<Outcome>;

interface Delivering {
  db: Db;
  send: Send;
  pausesMs: (delivery: Claimed) => readonly number[];
  count: (outcome: "delivered" | "failed" | "retried") => void;
}

/**
 * Mails first, which are quick, then those of each workspace in turn, and at most two of one in a round: its slow endpoints with many that wait hold
 * up no other workspace for long.
 */
const claimSql = `
  with due as materialized (
    select account_id, id from notice_delivery where due_at <= clock_timestamp() and (account_id, id) in (
      select account_id, id from (
        select account_id, id, endpoint_id, due_at, row_number() over (partition by account_id, endpoint_id is null order by due_at) as place
        from (select * from notice_delivery where due_at <= clock_timestamp() order by due_at limit 5000) oldest
      ) placed where endpoint_id is null or place <= 2 order by endpoint_id is not null, place, due_at limit $2
    ) for update skip locked
  )
  update notice_delivery d set lease_owner = $1, due_at = clock_timestamp() + make_interval(secs => $3), attempts = d.attempts + 1,
    tried_at = clock_timestamp()
  from due, notice n
  where d.account_id = due.account_id and d.id = due.id and n.account_id = d.account_id and n.id = d.notice_id
  returning d.account_id as "accountId", d.id, d.notice_id as "noticeId", n.event, n.data, d.address, d.endpoint_id as "endpointId", d.attempts,
    n.created_at as "noticedAt"`;

/** One round of at most `most` deliveries, all at once. Returns how many were due. */
export async function deliverDue(delivering: Delivering, most: number): Promise<number> {
  const { db } = delivering;
  const lease = randomUUID();
  const since = performance.now();
  const { rows } = await db.pool.query<Claimed>(claimSql, [lease, most, leaseMs / 1000]);
  // A process that stood still for long must not send what another one may have by now.
  if (performance.now() - since < leaseMs / 3) await Promise.all(rows.map((delivery) => deliverOne(delivering, delivery, lease)));
  return rows.length;
}

async function deliverOne({ db, send, pausesMs: pausesOf, count }: Delivering, delivery: Claimed, lease: string): Promise<void> {
  const { accountId, id, attempts } = delivery;
  const pausesMs = pausesOf(delivery);
  const outcome = attempts > pausesMs.length + 1 ? lost : await send(delivery);
  const pauseMs = outcome.sent || outcome.final ? undefined : pausesMs[attempts - 1];
  const state = outcome.sent ? "delivered" : pauseMs === undefined ? "failed" : "waiting";
  await db.pool.query(
    `update notice_delivery set state = $4, lease_owner = null, response_code = $5, response = $6,
       due_at = clock_timestamp() + make_interval(secs => $7)
     where account_id = $1 and id = $2 and lease_owner = $3`,
    [
      ...[accountId, id, lease, state, outcome.code ?? null, outcome.response?.slice(0, 1024) ?? null],
      pauseMs === undefined ? null : (pauseMs * (1 + Math.random() / 5)) / 1000,
    ],
  );
  count(state === "waiting" ? "retried" : state);
}

/** Each attempt ended with its process. */
const lost: Outcome = { sent: false, final: true, code: null, response: "no attempt came to an end" };
