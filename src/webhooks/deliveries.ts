// Deliveries to an endpoint: their log, one that is made for a test, and one that is sent again.
import type { components } from "../../generated/api.d.ts";
import { type Actor, lockAsManager } from "../accounts/members.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { uuidIds, uuidv7 } from "../ids.ts";
import { noticeIds } from "../notices/notices.ts";
import { readEndpoint } from "./endpoints.ts";

type Delivery = components["schemas"]["WebhookDelivery"];

interface Row {
  id: string;
  noticeId: string;
  event: string;
  state: Delivery["status"];
  attempts: number;
  dueAt: Date | null;
  triedAt: Date | null;
  code: number | null;
  response: string | null;
  createdAt: Date;
}

const ids = uuidIds("whd_");
/** Of one workspace that wait at once; more tests and replays are refused. */
const waitingMax = 100;

const found = `select d.id, d.notice_id as "noticeId", n.event, d.state, d.attempts, d.due_at as "dueAt", d.tried_at as "triedAt",
  d.response_code as code, d.response, d.created_at as "createdAt"
  from notice_delivery d join notice n on n.account_id = d.account_id and n.id = d.notice_id
  where d.account_id = $1 and d.endpoint_id = $2`;

/** The newest first; `after`: an id of the list. */
export async function readDeliveries({ pool }: Queries, accountId: bigint, endpoint: string, after: string | undefined, most: number) {
  const last = after === undefined ? null : await placeOf({ pool }, accountId, endpoint, after);
  const { rows } = await pool.query<Row>(
    `${found} and ($3::uuid is null or (d.created_at, d.id) <
       (select c.created_at, c.id from notice_delivery c where c.account_id = $1 and c.endpoint_id = $2 and c.id = $3))
     order by d.created_at desc, d.id desc limit $4`,
    [accountId, endpoint, last, most],
  );
  return rows.map(shown);
}

async function placeOf({ pool }: Queries, accountId: bigint, endpoint: string, after: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    "select id from notice_delivery where account_id = $1 and endpoint_id = $2 and id = $3",
    [accountId, endpoint, ids.parse(after) ?? null],
  );
  return rows[0]?.id ?? failParameter("after", "it must be an id of this list");
}

/** Is sent like a notice, and says that it is a test. */
export async function testEndpoint(db: Db, actor: Actor, endpoint: string, at: Date): Promise<Delivery> {
  const { accountId } = actor;
  return inTransaction(db, async (transaction) => {
    await assertFewWait(transaction, actor, endpoint);
    const noticeId = uuidv7(at);
    await transaction.pool.query(
      `insert into notice (account_id, id, event, cause, data, created_at, planned_at)
       values ($1, $2, 'webhook.test', $4, '{}', $3, $3)`,
      [accountId, noticeId, at, `webhook.test:${noticeId}`],
    );
    return addDelivery(transaction, { accountId, endpoint, noticeId, at });
  });
}

/** A delivery of its own, of the same notice with the same webhook-id. */
export async function replayDelivery(db: Db, actor: Actor, endpoint: string, delivery: string, at: Date): Promise<Delivery> {
  const { accountId } = actor;
  return inTransaction(db, async (transaction) => {
    await assertFewWait(transaction, actor, endpoint);
    const before = await findDelivery(transaction, accountId, endpoint, ids.parse(delivery));
    return addDelivery(transaction, { accountId, endpoint, noticeId: before.noticeId, at });
  });
}

async function assertFewWait(transaction: Queries, actor: Actor, endpoint: string): Promise<void> {
  const { accountId } = actor;
  await lockAsManager(transaction, actor);
  const { enabled } = await readEndpoint(transaction, accountId, endpoint);
  if (!enabled) fail("permission_denied", { text: { reason: "the endpoint is disabled" } });
  const { rows } = await transaction.pool.query<{ waiting: number }>(
    `select count(*)::int as waiting from (select 1 from notice_delivery
       where account_id = $1 and endpoint_id is not null and due_at is not null limit ${waitingMax}) w`,
    [accountId],
  );
  if (rows[0]!.waiting >= waitingMax) fail("permission_denied", { text: { reason: `${waitingMax} deliveries are already waiting` } });
}

async function addDelivery(
  transaction: Queries,
  { accountId, endpoint, noticeId, at }: { accountId: bigint; endpoint: string; noticeId: string; at: Date },
): Promise<Delivery> {
  const id = uuidv7(at);
  await transaction.pool.query(
    `insert into notice_delivery (account_id, id, notice_id, endpoint_id, created_at, due_at) values ($1, $2, $3, $4, $5, clock_timestamp())`,
    [accountId, id, noticeId, endpoint, at],
  );
  return shown(await findDelivery(transaction, accountId, endpoint, id));
}

async function findDelivery({ pool }: Queries, accountId: bigint, endpoint: string, id: string | undefined): Promise<Row> {
  if (id === undefined) fail("webhook_delivery_not_found");
  const { rows } = await pool.query<Row>(`${found} and d.id = $3`, [accountId, endpoint, id]);
  return rows[0] ?? fail("webhook_delivery_not_found");
}

function shown({ id, noticeId, event, state, attempts, dueAt, triedAt, code, response, createdAt }: Row): Delivery {
  const time = (date: Date | null) => date?.toISOString() ?? null;
  return {
    ...{
      id: ids.text(id),
      object: "webhook_delivery",
      webhook_id: noticeIds.text(noticeId),
      event: event as Delivery["event"],
    },
    ...{ status: state, attempts, response_code: code, response, last_attempt_at: time(triedAt), next_attempt_at: time(dueAt) },
    created_at: createdAt.toISOString(),
  };
}
