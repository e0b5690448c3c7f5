// The rows of notices: written in the transaction of what causes them, listed with how far their mails and webhooks are, and deleted with a
// person's account. The worker (worker.ts) sends them after the commit.
import type { components } from "../../generated/api.d.ts";
import type { Queries } from "../db/connect.ts";
import { uuidIds, uuidv7 } from "../ids.ts";
import type { EventData, EventName } from "./events.ts";

interface NewNotice<Event extends EventName> {
  accountId: bigint;
  event: Event;
  /** Names what the notice is about, so that it is written once however often that is noticed. */
  cause: string;
  data: EventData[Event];
  /** The only person to be told; absent: those whom the workspace chose. */
  personId?: bigint;
  at: Date;
}

/** Does nothing where the cause has its notice. */
export async function writeNotice<Event extends EventName>({ pool }: Queries, notice: NewNotice<Event>): Promise<void> {
  const { accountId, event, cause, data, personId = null, at } = notice;
  await pool.query(
    `insert into notice (account_id, id, event, cause, data, person_id, created_at) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (account_id, cause) do nothing`,
    [accountId, uuidv7(at), event, `${event}:${cause}`, JSON.stringify(data), personId, at],
  );
}

type NoticeRecord = components["schemas"]["NoticeRecord"];

export const noticeIds = uuidIds("ntc_");

interface Row {
  id: string;
  event: string;
  data: Record<string, unknown>;
  createdAt: Date;
  /** By kind and state, such as `mail delivered`. */
  counts: Record<string, number>;
}

interface ReadingNotices {
  accountId: bigint;
  /** Sees the notices for this person alone, too. */
  personId: bigint;
  /** UUID of the notice after which the page begins. */
  after: string | undefined;
}

/** The newest first, without tests of webhooks. Undefined: there is no notice `after` for this person. */
export async function readNotices(
  { pool }: Queries,
  { accountId, personId, after }: ReadingNotices,
  most: number,
): Promise<NoticeRecord[] | undefined> {
  const seen = "n.account_id = $1 and (n.person_id is null or n.person_id = $2) and n.event <> 'webhook.test'";
  if (after !== undefined) {
    const { rowCount } = await pool.query(`select from notice n where ${seen} and n.id = $3`, [accountId, personId, after]);
    if (rowCount === 0) return undefined;
  }
  const { rows } = await pool.query<Row>(
    `select n.id, n.event, n.data, n.created_at as "createdAt", (
         select coalesce(jsonb_object_agg(c.name, c.number), '{}') from (
           select case when d.address is null then 'webhook ' else 'mail ' end || d.state as name, count(*) as number
           from notice_delivery d where d.account_id = n.account_id and d.notice_id = n.id group by 1) c) as counts
     from notice n where ${seen}
       and ($3::uuid is null or (n.created_at, n.id) < (select c.created_at, c.id from notice c where c.account_id = $1 and c.id = $3))
     order by n.created_at desc, n.id desc limit $4`,
    [accountId, personId, after ?? null, most],
  );
  return rows.map(shown);
}

function shown({ id, event, data, createdAt, counts }: Row): NoticeRecord {
  const of = (kind: "mail" | "webhook") => ({
    delivered: counts[`${kind} delivered`] ?? 0,
    waiting: counts[`${kind} waiting`] ?? 0,
    failed: counts[`${kind} failed`] ?? 0,
  });
  const deliveries = { mails: of("mail"), webhooks: of("webhook") };
  return { id: noticeIds.text(id), object: "notice", event, data, ...deliveries, created_at: createdAt.toISOString() };
}

/** Of an account that is closed: what it was told, and where to. Its deliveries go with both. */
export async function forgetNotices({ pool }: Queries, accountId: bigint): Promise<void> {
  for (const table of ["webhook_endpoint", "notice", "notice_preference"])
    await pool.query(`delete from ${table} where account_id = $1`, [accountId]);
}

/** What other workspaces sent to the person, or would. */
export async function forgetAddress({ pool }: Queries, accounts: readonly bigint[], address: string): Promise<void> {
  await pool.query("delete from notice_delivery where account_id = any($1) and address = $2", [accounts, address]);
}
