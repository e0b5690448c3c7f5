// Makes the deliveries of notices that have none yet, claims those that are due with a lease, sends and marks them. A process that dies in
// between leaves the lease to end; the delivery is then sent again, with the same id. due_at is both when an attempt is due and when its
// lease ends.
import { randomUUID } from "node:crypto";
import { readAddresses } from "../accounts/members.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { uuidv7 } from "../ids.ts";
import { type EventData, type EventName, isChosen, readPreferences, toldRoles } from "./events.ts";

/** Notices a transaction. */
const batch = 50;
/** Mails of one notice. */
const addressesMax = 50;

interface Unplanned {
  accountId: bigint;
  id: string;
  event: string;
  data: unknown;
  personId: bigint | null;
}

/** Returns how many were planned; another process may plan others at the same time. */
export async function planNotices(db: Db, at: Date): Promise<number> {
  return inTransaction(db, async (transaction) => {
    const { rows } = await transaction.pool.query<Unplanned>(
      `select account_id as "accountId", id, event, data, person_id as "personId" from notice
       where planned_at is null order by created_at limit $1 for update skip locked`,
      [batch],
    );
    for (const notice of rows) await planOne(transaction, notice, at);
    return rows.length;
  });
}

async function planOne(transaction: Queries, notice: Unplanned, at: Date): Promise<void> {
  const { accountId, id } = notice;
  const addresses = await addressesOf(transaction, notice);
  const endpoints = await endpointsOf(transaction, notice);
  const recipients = [...addresses.map((address) => [address, null] as const), ...endpoints.map((endpoint) => [null, endpoint] as const)];
  await transaction.pool.query(
    `insert into notice_delivery (account_id, id, notice_id, address, endpoint_id, created_at, due_at)
     select $1, d.id, $2, d.address, d.endpoint, $6, clock_timestamp() from unnest($3::uuid[], $4::text[], $5::uuid[]) d(id, address, endpoint)`,
    [
      ...[accountId, id, recipients.map(() => uuidv7(at))],
      ...[recipients.map(([address]) => address), recipients.map(([, endpoint]) => endpoint), at],
    ],
  );
  await transaction.pool.query("update notice set planned_at = $3 where account_id = $1 and id = $2", [accountId, id, at]);
}

type About = Pick<Unplanned, "accountId" | "event" | "data" | "personId">;

async function addressesOf(db: Queries, { accountId, event, data, personId }: About, address?: string): Promise<string[]> {
  if (personId !== null) return readAddresses(db, accountId, { personId, address, most: 1 });
  if (!isChosen(event)) return [];
  const roles = toldRoles(await readPreferences(db, accountId), event);
  if (roles.length === 0) return []; // the mail is off, for the member whom it is about, too
  const besides = event === "member.budget_reached" ? (data as EventData[typeof event]).member_id : undefined;
  return readAddresses(db, accountId, { roles, besides, address, most: addressesMax });
}

/** A mail may wait for a day: its person may have left the workspace meanwhile, or have another role. */
export async function isStillTold(db: Queries, about: About, address: string): Promise<boolean> {
  return (await addressesOf(db, about, address)).length > 0;
}

/** What is for one person alone goes to no endpoint of a workspace that others see. */
async function endpointsOf({ pool }: Queries, { accountId, event, personId }: Unplanned): Promise<string[]> {
  const sql = `select id from webhook_endpoint where account_id = $1 and enabled and (events is null or $2 = any(events))
    and ($3::bigint is null or not exists (select 1 from member where account_id = $1)) order by id`;
  return (await pool.query<{ id: string }>(sql, [accountId, event, personId])).rows.map(({ id }) => id);
}

/** Longer than any attempt takes: while one runs, no other process begins. */
const leaseMs = 90_000;

/** Pauses after the first attempts, with a random part of a fifth; after as many attempts the delivery has failed. */
export const mailPausesMs = [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000] as const;

export interface Claimed {
  accountId: bigint;
  id: string;
  noticeId: string;
  event: EventName;
  data: unknown;
  /** The only person to be told; null: those whom the workspace chose. */
  personId: bigint | null;
  address: string | null;
  endpointId: string | null;
  /** This one included. */
  attempts: number;
  noticedAt: Date;
}

export type Outcome =
  | { sent: true; code?: number | null; response?: string }
  /** `untold`: not tried, because it is no longer for this recipient. */
  | { sent: false; final: boolean; code: number | null; response: string; untold?: true };

export type CountedOutcome = "delivered" | "failed" | "retried" | "untold";

/** Sends once, within less than the lease. Never rejects. */
export type Send = (delivery: Claimed) => Promise<Outcome>;

interface Delivering {
  db: Db;
  send: Send;
  pausesMs: (delivery: Claimed) => readonly number[];
  count: (outcome: CountedOutcome) => void;
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
  returning d.account_id as "accountId", d.id, d.notice_id as "noticeId", n.event, n.data, n.person_id as "personId", d.address, d.endpoint_id as "endpointId", d.attempts,
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
  count(!outcome.sent && outcome.untold ? "untold" : state === "waiting" ? "retried" : state);
}

/** Each attempt ended with its process. */
const lost: Outcome = { sent: false, final: true, code: null, response: "no attempt came to an end" };
