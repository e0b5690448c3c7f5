// Makes the deliveries of notices that have none yet: one for each address that is told, and for each endpoint that asked for the event. A workspace's choice counts as it stands then.
import { readAddresses } from "../accounts/members.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { uuidv7 } from "../ids.ts";
import { isChosen } from "./events.ts";
import { readPreferences, toldRoles } from "./preferences.ts";

/** Notices a transaction. */
const batch = 50;
/** Mails of one notice. */
const addressesMax = 50;

interface Unplanned {
  accountId: bigint;
  id: string;
  event: string;
  personId: bigint | null;
}

/** Returns how many were planned; another process may plan others at the same time. */
export async function planNotices(db: Db, at: Date): Promise<number> {
  return inTransaction(db, async (transaction) => {
    const { rows } = await transaction.pool.query<Unplanned>(
      `select account_id as "accountId", id, event, person_id as "personId" from notice
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

async function addressesOf(transaction: Queries, { accountId, event, personId }: Unplanned): Promise<string[]> {
  if (personId !== null) return readAddresses(transaction, accountId, { personId, most: 1 });
  if (!isChosen(event)) return [];
  const roles = toldRoles(await readPreferences(transaction, accountId), event);
  return readAddresses(transaction, accountId, { roles, most: addressesMax });
}

/** What is for one person alone goes to no endpoint of a workspace that others see. */
async function endpointsOf({ pool }: Queries, { accountId, event, personId }: Unplanned): Promise<string[]> {
  const sql = `select id from webhook_endpoint where account_id = $1 and enabled and (events is null or $2 = any(events))
    and ($3::bigint is null or not exists (select 1 from member where account_id = $1)) order by id`;
  return (await pool.query<{ id: string }>(sql, [accountId, event, personId])).rows.map(({ id }) => id);
}
