// The responses that a workspace stores: rows that only SVC_RESPONSES_SECRET opens, what one goes on from, and their end, as of its conversations
// (conversations.ts). A row is there for the days that its workspace keeps responses now, whatever it kept them for when the row was written
// (docs/behaviour/endpoints.md#stored-responses).
import type { Clock } from "../clock.ts";
import { keepDoing } from "../concurrency/keep-doing.ts";
import type { Config } from "../config.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";
import { seal, sealingKey, unseal } from "../text/sealed.ts";
import type { Caller } from "./caller.ts";
import { type Actor, lockAsManager } from "./members.ts";

/** Input and answer, as JSON. */
export interface StoredResponse {
  id: string;
  createdAt: Date;
  input: string;
  response: string;
}

/** The bytes of a response with its input, and of all that one goes on from; and how many those are at most. */
export const storedBytesMax = 8 * 1024 * 1024;
export const storedMax = 1_000;

type Secret = Pick<Config, "responsesSecret">;
interface Storing {
  db: Queries;
  config: Secret;
}
interface Reading extends Storing {
  clock: Clock;
}

/** Whether the caller's responses are stored and can be read. */
export function storesResponses({ responsesSecret }: Secret, { storesResponses: asked }: Pick<Caller, "storesResponses">): boolean {
  return asked && responsesSecret !== null;
}

interface NewResponse extends Pick<StoredResponse, "id" | "createdAt" | "input"> {
  accountId: bigint;
  previousId: string | null;
}

/** Its answer follows. Returns false where the workspace stores none any more. */
export async function storeInput({ db, config }: Storing, { accountId, id, previousId, createdAt, input }: NewResponse): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `insert into stored_response (account_id, id, previous_id, created_at, input)
     select id, $2, $3, $4, $5 from account where id = $1 and response_retention_days is not null`,
    [accountId, id, previousId, createdAt, seal(keyOf(config), about(accountId, id, "input"), input)],
  );
  return rowCount === 1;
}

/** From now on it is seen. Returns false where it is gone. */
export async function storeAnswer({ db, config }: Storing, accountId: bigint, id: string, response: string): Promise<boolean> {
  const { rowCount } = await db.pool.query("update stored_response set response = $3 where account_id = $1 and id = $2", [
    accountId,
    id,
    seal(keyOf(config), about(accountId, id, "response"), response),
  ]);
  return rowCount === 1;
}

/** Of account $1 at $2. */
const isSeen = `account_id = $1 and response is not null
  and created_at > $2::timestamptz - (select make_interval(days => response_retention_days) from account where id = $1)`;
const bytes = "octet_length(input) + octet_length(response)";

/** How many bytes the stored ones among `ids` have. */
export async function measureStored({ db, clock }: Reading, accountId: bigint, ids: readonly string[]): Promise<number> {
  const { rows } = await db.pool.query<{ bytes: number }>(
    `select coalesce(sum(${bytes}), 0)::float8 as bytes from stored_response where ${isSeen} and id = any($3)`,
    [accountId, clock(), ids],
  );
  return rows[0]!.bytes;
}

interface Chain {
  /** The first response of the conversation first. */
  ids: string[];
  bytes: number;
}

/** The response and all that it went on from. Null: one of them is not stored. "too_long": they are more than a request may go on from. */
export async function findChain({ db, clock }: Reading, accountId: bigint, id: string): Promise<Chain | "too_long" | null> {
  const { rows } = await db.pool.query<{ id: string; previousId: string | null; bytes: number }>(
    `with recursive chain as (
       select id, previous_id, (${bytes})::float8 as bytes, 1 as depth from stored_response where ${isSeen} and id = $3
       union all
       select s.id, s.previous_id, c.bytes + ${bytes.replaceAll("(", "(s.")}, c.depth + 1
       from chain c, lateral (select * from stored_response where ${isSeen} and id = c.previous_id) s
       where c.depth <= ${storedMax} and c.bytes <= ${storedBytesMax}
     ) select id, previous_id as "previousId", bytes from chain order by depth desc`,
    [accountId, clock(), id],
  );
  const [first] = rows;
  if (first === undefined) return null;
  if (rows.length > storedMax || first.bytes > storedBytesMax) return "too_long";
  return first.previousId === null ? { ids: rows.map((row) => row.id), bytes: first.bytes } : null;
}

/** In no certain order, without those that are not stored or were sealed under another secret. */
export async function readStored({ db, config, clock }: Reading, accountId: bigint, ids: readonly string[]): Promise<StoredResponse[]> {
  if (config.responsesSecret === null) return [];
  const { rows } = await db.pool.query<SealedRow>(
    `select id, created_at as "createdAt", input, response from stored_response where ${isSeen} and id = any($3)`,
    [accountId, clock(), ids],
  );
  return rows.flatMap((row) => opened(config, accountId, row));
}

interface SealedRow {
  id: string;
  createdAt: Date;
  input: Buffer;
  response: Buffer;
}

function opened(config: Secret, accountId: bigint, { id, createdAt, input, response }: SealedRow): StoredResponse[] {
  const key = keyOf(config);
  try {
    const [said, answered] = [unseal(key, about(accountId, id, "input"), input), unseal(key, about(accountId, id, "response"), response)];
    return [{ id, createdAt, input: said, response: answered }];
  } catch {
    return [];
  }
}

/** Returns false where there was none. */
export async function deleteStored({ db, clock }: Omit<Reading, "config">, accountId: bigint, id: string): Promise<boolean> {
  const { rowCount } = await db.pool.query(`delete from stored_response where ${isSeen} and id = $3`, [accountId, clock(), id]);
  return rowCount === 1;
}

/** All that an account stores, the oldest first, some at a time. */
export async function* exportStored({ db, config, clock }: Reading, accountId: bigint): AsyncGenerator<StoredResponse[]> {
  if (config.responsesSecret === null) return;
  const { rows } = await db.pool.query<{ id: string }>(`select id from stored_response where ${isSeen} order by created_at, id`, [
    accountId,
    clock(),
  ]);
  for (const { id } of rows) yield await readStored({ db, config, clock }, accountId, [id]);
}

/** Of all that a workspace stores of its conversations. */
export function keyOf({ responsesSecret }: Secret): Uint8Array {
  if (responsesSecret === null) throw new Error("SVC_RESPONSES_SECRET is not set");
  return sealingKey(responsesSecret, "svc stored responses");
}

/** Neither another workspace's row nor another part of the same one can stand in its place. */
function about(accountId: bigint, id: string, part: "input" | "response"): string {
  return `stored response ${accountId} ${id} ${part}`;
}

// How long they are kept.

/** `days` null: none are stored from now on, and those that are stored are deleted. Fails with permission_denied where nothing could seal them. */
export async function setRetention(db: Db, { responsesSecret }: Secret, actor: Actor, days: number | null, at: Date): Promise<void> {
  const { accountId } = actor;
  if (days !== null && responsesSecret === null)
    fail("permission_denied", { text: { reason: "this gateway's operator has not set it up to store responses" } });
  await inTransaction(db, async (transaction) => {
    await lockAsManager(transaction, actor);
    await transaction.pool.query("update account set response_retention_days = $2 where id = $1", [accountId, days]);
  });
  await sweepAccount(db, accountId, { at, bytesMax: accountBytesMax });
}

const sweepEveryMs = 10 * 60 * 1000;
/** Rows a statement, so that none holds its locks for long. */
const batch = 100;
/** Of one workspace, of responses and as many of conversations; the oldest beyond are deleted. */
const accountBytesMax = 10 * 1024 ** 3;
/** No answer takes longer: the process of a row without one is dead, or its stream was interrupted. */
const answerMs = 24 * 60 * 60 * 1000;

export function keepResponsesSwept(db: Db, { clock, onFault }: { clock: Clock; onFault: (error: unknown, what: string) => void }) {
  return keepDoing(sweepEveryMs, () =>
    sweepResponses(db, { at: clock(), bytesMax: accountBytesMax }).catch((error: unknown) => onFault(error, "deleting old responses")),
  );
}

interface Bounds {
  at: Date;
  /** Of one workspace. */
  bytesMax: number;
}

/** Any replica may do it at any time: what is too old is not seen before it is deleted. */
export async function sweepResponses(db: Db, bounds: Bounds): Promise<void> {
  const { rows } = await db.pool.query<{ id: bigint }>(
    `with recursive found as (
       select (${nextAccount("0")}) as id
       union all
       select (${nextAccount("f.id")}) from found f where f.id is not null
     ) select id from found where id is not null`,
  );
  for (const { id } of rows) await sweepAccount(db, id, bounds);
}

/** The next one that stores something. */
function nextAccount(after: string): string {
  const next = (table: string) => `(select account_id from ${table} where account_id > ${after} order by account_id limit 1)`;
  return `select least(${next("stored_response")}, ${next("conversation")})`;
}

async function sweepAccount(db: Db, accountId: bigint, bounds: Bounds): Promise<void> {
  await sweepAccountResponses(db, accountId, bounds);
  await sweepAccountConversations(db, accountId, bounds);
}

async function sweepAccountResponses({ pool }: Db, accountId: bigint, { at, bytesMax }: Bounds): Promise<void> {
  const deleteSome = async () =>
    (
      await pool.query(
        `delete from stored_response where account_id = $1 and id in (
           select s.id from stored_response s join account a on a.id = s.account_id where s.account_id = $1
             and (a.response_retention_days is null or s.created_at <= $2::timestamptz - make_interval(days => a.response_retention_days)
               or s.response is null and s.created_at < $3)
           limit ${batch} for update of s skip locked)`,
        [accountId, at, new Date(at.getTime() - answerMs)],
      )
    ).rowCount;
  while ((await deleteSome()) === batch);
  await pool.query(
    `delete from stored_response where account_id = $1 and id in (
       select id from (
         select id, sum(octet_length(input) + coalesce(octet_length(response), 0)) over (order by created_at desc, id desc) as bytes
         from stored_response where account_id = $1
       ) s where bytes > $2)`,
    [accountId, bytesMax],
  );
}

/** Each goes with all its items: of fewer at a time. */
async function sweepAccountConversations({ pool }: Db, accountId: bigint, { at, bytesMax }: Bounds): Promise<void> {
  const some = batch / 10;
  const deleteSome = async () =>
    (
      await pool.query(
        `delete from conversation where account_id = $1 and id in (
           select c.id from conversation c join account a on a.id = c.account_id where c.account_id = $1
             and (a.response_retention_days is null or c.changed_at <= $2::timestamptz - make_interval(days => a.response_retention_days))
           limit ${some} for update of c skip locked)`,
        [accountId, at],
      )
    ).rowCount;
  while ((await deleteSome()) === some);
  await pool.query(
    `delete from conversation where account_id = $1 and id in (
       select id from (
         select id, sum(bytes) over (order by changed_at desc, id desc) as bytes from conversation where account_id = $1
       ) s where bytes > $2)`,
    [accountId, bytesMax],
  );
}
