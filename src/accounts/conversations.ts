// The conversations that a workspace stores: rows that only SVC_RESPONSES_SECRET opens, one an item. They are kept while they are used, and as many
// days longer as their workspace keeps responses (docs/behaviour/endpoints.md#conversations). Leaves whose turn it is to conversation-turns.ts.
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import type { Queries } from "../db/connect.ts";
import { uuidHex, uuidIds } from "../ids.ts";
import { seal, unseal } from "../text/sealed.ts";
import { keyOf, storedBytesMax } from "./stored-responses.ts";

export const { text: conversationIdText, parse: parseConversationId } = uuidIds("conv_");

/** Of one conversation. A response may add its items beyond them: it is charged by then. */
export const itemsMax = 2_000;
export const conversationBytesMax = storedBytesMax;
/** Of one workspace. */
export const conversationsMax = 10_000;

export interface Sealing {
  db: Queries;
  config: Pick<Config, "responsesSecret">;
}
export interface Reading extends Sealing {
  clock: Clock;
}

/** Which one, of which workspace. */
export interface Place {
  accountId: bigint;
  id: string;
}

/** An item as it is shown, which is JSON. */
export interface Item {
  id: string;
  json: string;
}

export interface Conversation {
  id: string;
  createdAt: Date;
  /** JSON. */
  metadata: string;
}

/** With how many items and bytes there are. */
interface StoredConversation extends Conversation {
  items: number;
  bytes: number;
}

/** Of conversation $2 of account $1 at $3. */
export const isSeen = `account_id = $1 and id = $2
  and changed_at > $3::timestamptz - (select make_interval(days => response_retention_days) from account where id = $1)`;
export const isFree = "(turn is null or turn_until < now())";
const columns = `id, created_at as "createdAt", metadata, items, bytes::float8 as bytes`;

/** "full": the workspace has as many as it may. Null: it stores none any more. */
export async function createConversation(
  { db, config }: Sealing,
  { accountId, id, createdAt, metadata }: Conversation & Place,
  items: readonly Item[],
): Promise<"full" | "created" | null> {
  const place = { accountId, id };
  const { bytes, values } = sealedItems(config, place, items);
  const { rows } = await db.pool.query<{ full: boolean }>(
    `with asked as (
       select (select count(*) from conversation where account_id = $1) >= ${conversationsMax} as "full"
       from account where id = $1 and response_retention_days is not null
     ), made as (
       insert into conversation (account_id, id, created_at, changed_at, metadata, next_place, items, bytes)
       select $1::bigint, $2::uuid, $3::timestamptz, $3, $4::bytea, $7::integer, $7, $8::bigint from asked where not "full" returning id
     ), filled as (
       insert into conversation_item (account_id, conversation_id, place, id, item)
       select $1, made.id, i.n - 1, i.id, i.item from made, unnest($5::text[], $6::bytea[]) with ordinality i (id, item, n)
     ) select "full" from asked`,
    [accountId, id, createdAt, sealedMetadata(config, place, metadata), ...values, items.length, bytes],
  );
  const [asked] = rows;
  if (asked === undefined) return null;
  return asked.full ? "full" : "created";
}

type SealedConversation = Omit<StoredConversation, "metadata"> & { metadata: Buffer };

/** Null: it is not stored, or was sealed under another secret. */
export async function readConversation({ db, config, clock }: Reading, { accountId, id }: Place): Promise<StoredConversation | null> {
  const { rows } = await db.pool.query<SealedConversation>(`select ${columns} from conversation where ${isSeen}`, [accountId, id, clock()]);
  return opened(config, accountId, rows[0]);
}

/** Null: as above. */
export async function setMetadata({ db, config, clock }: Reading, place: Place, metadata: string): Promise<Conversation | null> {
  const { accountId, id } = place;
  const { rows } = await db.pool.query<SealedConversation>(
    `update conversation set metadata = $4, changed_at = $3 where ${isSeen} returning ${columns}`,
    [accountId, id, clock(), sealedMetadata(config, place, metadata)],
  );
  return opened(config, accountId, rows[0]);
}

/** A response that goes on with it then finds it gone. Returns false where there was none. */
export async function deleteConversation({ db, clock }: Omit<Reading, "config">, { accountId, id }: Place): Promise<boolean> {
  const { rowCount } = await db.pool.query(`delete from conversation where ${isSeen}`, [accountId, id, clock()]);
  return rowCount === 1;
}

function opened(config: Sealing["config"], accountId: bigint, row: SealedConversation | undefined): StoredConversation | null {
  if (row === undefined || config.responsesSecret === null) return null;
  try {
    return { ...row, metadata: unseal(keyOf(config), about({ accountId, id: row.id }, "metadata"), row.metadata) };
  } catch {
    return null;
  }
}

// Items.

/** "full": it has no room for them. "locked": a response goes on with it. Null: it is gone. */
export async function addItems(
  { db, config, clock }: Reading,
  place: Place,
  items: readonly Item[],
): Promise<"added" | "full" | "locked" | null> {
  const { accountId, id } = place;
  const { bytes, values } = sealedItems(config, place, items);
  const { rows } = await db.pool.query(
    `with taken as (
       update conversation set changed_at = $3, next_place = next_place + $6::integer, items = items + $6, bytes = bytes + $7::bigint
       where ${isSeen} and ${isFree} and items + $6 <= ${itemsMax} and bytes + $7 <= ${conversationBytesMax}
       returning next_place - $6 as place
     ), filled as (
       insert into conversation_item (account_id, conversation_id, place, id, item)
       select $1, $2, taken.place + i.n - 1, i.id, i.item from taken, unnest($4::text[], $5::bytea[]) with ordinality i (id, item, n)
     ) select place from taken`,
    [accountId, id, clock(), ...values, items.length, bytes],
  );
  return rows.length === 1 ? "added" : await whyNot({ db, clock }, place);
}

/** What kept a change from a conversation: null, it is gone. */
export async function whyNot({ db, clock }: Omit<Reading, "config">, { accountId, id }: Place): Promise<"full" | "locked" | null> {
  const { rows } = await db.pool.query<{ isFree: boolean }>(`select ${isFree} as "isFree" from conversation where ${isSeen}`, [
    ...[accountId, id, clock()],
  ]);
  const [row] = rows;
  if (row === undefined) return null;
  return row.isFree ? "full" : "locked";
}

export interface Page {
  /** The id of an item. */
  after: string | undefined;
  order: "asc" | "desc";
  /** Null: all that there are. */
  limit: number | null;
}

/** The JSON of items, in the order that is asked for. Null: `after` is no item of it. */
export async function readItems({ db, config }: Sealing, { accountId, id }: Place, { after, order, limit }: Page): Promise<Item[] | null> {
  const { rows } = await db.pool.query<{ id: string; item: Buffer }>(
    `with start as (select place from conversation_item where account_id = $1 and conversation_id = $2 and id = $3)
     select id, item from conversation_item where account_id = $1 and conversation_id = $2
       and ($3::text is null or place ${order === "asc" ? ">" : "<"} (select place from start))
     order by place ${order} limit $4`,
    [accountId, id, after ?? null, limit],
  );
  if (rows.length === 0 && after !== undefined && (await readItem({ db, config }, { accountId, id }, after)) === null) return null;
  return rows.flatMap((row) => openedItem(config, { accountId, id }, row));
}

/** Null: no item has this id. */
export async function readItem({ db, config }: Sealing, { accountId, id }: Place, itemId: string): Promise<Item | null> {
  const { rows } = await db.pool.query<{ id: string; item: Buffer }>(
    "select id, item from conversation_item where account_id = $1 and conversation_id = $2 and id = $3",
    [accountId, id, itemId],
  );
  return rows.flatMap((row) => openedItem(config, { accountId, id }, row))[0] ?? null;
}

/** "locked": a response goes on with the conversation. Null: there is no such item. */
export async function deleteItem(
  { db, clock }: Omit<Reading, "config">,
  place: Place,
  itemId: string,
): Promise<"deleted" | "locked" | null> {
  const { accountId, id } = place;
  const { rowCount } = await db.pool.query(
    `with free as (select id from conversation where ${isSeen} and ${isFree} for update), gone as (
       delete from conversation_item i using free where i.account_id = $1 and i.conversation_id = free.id and i.id = $4
       returning octet_length(item) as bytes
     ) update conversation c set changed_at = $3, items = items - 1, bytes = c.bytes - gone.bytes from gone where c.account_id = $1 and c.id = $2`,
    [accountId, id, clock(), itemId],
  );
  if (rowCount === 1) return "deleted";
  return (await whyNot({ db, clock }, place)) === "locked" ? "locked" : null;
}

function openedItem(config: Sealing["config"], place: Place, { id, item }: { id: string; item: Buffer }): Item[] {
  try {
    return [{ id, json: unseal(keyOf(config), about(place, id), item) }];
  } catch {
    return [];
  }
}

export function sealedItems(config: Sealing["config"], place: Place, items: readonly Item[]) {
  const sealed = items.map(({ id, json }) => seal(keyOf(config), about(place, id), json));
  const bytes = sealed.reduce((sum, { length }) => sum + length, 0);
  return { bytes, values: [items.map(({ id }) => id), sealed] as const };
}

function sealedMetadata(config: Sealing["config"], place: Place, metadata: string): Buffer {
  return seal(keyOf(config), about(place, "metadata"), metadata);
}

/** Neither another workspace's row nor another part of the same one can stand in its place. */
export function about({ accountId, id }: Place, part: string): string {
  return `conversation ${accountId} ${uuidHex(id)} ${part}`;
}

/** All that an account has, the longest unused first, with their items, some at a time. */
export async function* exportConversations(
  context: Reading,
  accountId: bigint,
): AsyncGenerator<{ conversation: Conversation; items: Item[] }> {
  if (context.config.responsesSecret === null) return;
  const { rows } = await context.db.pool.query<{ id: string }>(
    "select id from conversation where account_id = $1 order by changed_at, id",
    [accountId],
  );
  for (const { id } of rows) {
    const conversation = await readConversation(context, { accountId, id });
    const items = await readItems(context, { accountId, id }, { after: undefined, order: "asc", limit: null });
    if (conversation !== null && items !== null) yield { conversation, items };
  }
}
