// Writes a notice, in the transaction of what causes it. The worker (worker.ts) sends it after the commit.
import type { Queries } from "../db/connect.ts";
import { uuidv7 } from "../ids.ts";
import type { EventData, EventName } from "./events.ts";

export interface NewNotice<Event extends EventName> {
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
