// Turns in a conversation: a response takes its conversation before it reads it, and gives it back once it has added to it, or failed. A turn of a
// process that is dead ends by itself.
import { parseJson } from "../json/parse.ts";
import { seal, unseal } from "../text/sealed.ts";
import { about, isFree, isSeen, type Item, type Place, type Reading, sealedItems, type Sealing, whyNot } from "./conversations.ts";
import { keyOf } from "./stored-responses.ts";

/** How long it is kept from others by a process that is dead. */
const turnMs = 60_000;
export const keepTurnEveryMs = turnMs / 3;
const turnEnd = `now() + interval '${turnMs} milliseconds'`;

export interface Turn extends Place {
  turn: string;
}

/** Null: the conversation is gone. */
export async function takeTurn({ db, clock }: Omit<Reading, "config">, { accountId, id, turn }: Turn): Promise<"taken" | "locked" | null> {
  const { rowCount } = await db.pool.query(
    `update conversation set turn = $4, turn_until = ${turnEnd}, turn_input = null where ${isSeen} and ${isFree}`,
    [accountId, id, clock(), turn],
  );
  if (rowCount === 1) return "taken";
  return (await whyNot({ db, clock }, { accountId, id })) === null ? null : "locked";
}

const isOwn = "account_id = $1 and id = $2 and turn = $3";

/** Says that the process lives. */
export async function keepTurn({ db }: Pick<Sealing, "db">, { accountId, id, turn }: Turn): Promise<void> {
  await db.pool.query(`update conversation set turn_until = ${turnEnd} where ${isOwn}`, [accountId, id, turn]);
}

/** Leaves the items of the request with the conversation until its answer is there: a stream must not hold them. */
export async function leaveInput({ db, config }: Sealing, { turn, ...place }: Turn, items: readonly Item[]): Promise<void> {
  const sealed = seal(keyOf(config), about(place, `turn ${turn}`), JSON.stringify(items));
  await db.pool.query(`update conversation set turn_input = $4 where ${isOwn}`, [place.accountId, place.id, turn, sealed]);
}

/** Adds what was left and `output`, and gives the turn back. Returns false where the conversation is gone, or another's turn. */
export async function endTurn({ db, config, clock }: Reading, { turn, ...place }: Turn, output: readonly Item[]): Promise<boolean> {
  const own = [place.accountId, place.id, turn];
  const { rows } = await db.pool.query<{ input: Buffer | null }>(`select turn_input as input from conversation where ${isOwn}`, own);
  const input = rows[0]?.input;
  if (input == null) return false;
  const items = [...(parseJson(unseal(keyOf(config), about(place, `turn ${turn}`), input)) as Item[]), ...output];
  const { bytes, values } = sealedItems(config, place, items);
  const { rowCount } = await db.pool.query(
    `with taken as (
       update conversation set turn = null, turn_until = null, turn_input = null, changed_at = greatest(changed_at, $4),
         next_place = next_place + $7::integer, items = items + $7, bytes = bytes + $8::bigint
       where ${isOwn} returning next_place - $7 as place
     ) insert into conversation_item (account_id, conversation_id, place, id, item)
       select $1, $2, taken.place + i.n - 1, i.id, i.item from taken, unnest($5::text[], $6::bytea[]) with ordinality i (id, item, n)`,
    [...own, clock(), ...values, items.length, bytes],
  );
  return rowCount === items.length;
}

/** Gives it back with nothing added; does nothing once it ended. */
export async function giveTurnBack({ db }: Pick<Sealing, "db">, { accountId, id, turn }: Turn): Promise<void> {
  await db.pool.query(`update conversation set turn = null, turn_until = null, turn_input = null where ${isOwn}`, [accountId, id, turn]);
}
