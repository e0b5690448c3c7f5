// Who owns a cloned or designed voice, and which provider has it. Voices without a row are the providers' own, free for all
// (docs/behaviour/audio.md#ownership). Rows outlive their accounts: an id must never pass to another account.
import type { Queries } from "../db/connect.ts";
import type { Amount } from "../money.ts";

/** The beginning of every id of a voice that an account made. */
export const voicePrefix = "svcv_";
/** For a voice whose provider chose its id, which follows the prefix and is stored nowhere else. */
const foreignPrefix = `${voicePrefix}x_`;

/** Injective: two ids of a provider never become the same. */
export function ownVoiceId(given: string): string {
  return given.startsWith(voicePrefix) && !given.startsWith(foreignPrefix) ? given : `${foreignPrefix}${given}`;
}

/** The provider's id of an account's own voice. */
export function idAtProvider(voiceId: string): string {
  return voiceId.startsWith(foreignPrefix) ? voiceId.slice(foreignPrefix.length) : voiceId;
}

interface VoiceOwner {
  accountId: bigint;
  /** A provider of the catalog, the only one that knows the voice. */
  provider: string;
}

/** Finds it by its id here or at the provider, so that guessing the latter is no way to another account's voice. Null: a provider's own. */
export async function ownerOf(db: Queries, voiceId: string): Promise<VoiceOwner | null> {
  if (!isStorable(voiceId)) return null;
  const { rows } = await db.pool.query<VoiceOwner>(
    `select account_id as "accountId", provider from voice where voice_id in ($1, $2) order by voice_id = $1 desc limit 1`,
    [voiceId, `${foreignPrefix}${voiceId}`],
  );
  return rows[0] ?? null;
}

/** More voices than any account pays for; the list has no pages. */
const listedMax = 10_000;

/** Newest first. A voice whose charge was not committed is left out: it was never paid for, and its id was never shown. */
export async function voicesOf(db: Queries, accountId: bigint): Promise<OwnVoice[]> {
  const { rows } = await db.pool.query<OwnVoice>(
    `select v.voice_id as "voiceId", v.name from voice v where v.account_id = $1 and (v.cost = 0 or exists (
       select from ledger_entry e where e.account_id = v.account_id and e.id = v.call_id and e.kind = 'usage'))
     order by v.created_at desc, v.voice_id desc limit ${listedMax}`,
    [accountId],
  );
  return rows;
}

export interface OwnVoice {
  voiceId: string;
  name: string;
}

interface NewVoice extends VoiceOwner, OwnVoice {
  /** Id of the model that made it. */
  model: string;
  /** The hold of the call that made it; the charge will have the same id. */
  callId: string;
  cost: Amount;
  at: Date;
}

/**
 * Committed when it resolves, even with synchronous_commit off, and idempotent. Returns false where the id belongs to another call already or
 * can't be stored.
 */
export async function fileVoice(db: Queries, voice: NewVoice): Promise<boolean> {
  const { voiceId, accountId, provider, model, name, callId, cost, at } = voice;
  if (!isStorable(voiceId)) return false;
  const { rows } = await db.pool.query<{ mine: boolean }>(
    `with durable as materialized (select set_config('synchronous_commit', 'on', true)), filed as (
       insert into voice (voice_id, account_id, provider, model, name, call_id, cost, created_at)
       select $1, $2, $3, $4, $5, $6::uuid, $7, $8 from durable
       on conflict (voice_id) do update set voice_id = excluded.voice_id
       returning call_id = $6::uuid as mine
     ) select mine from filed`,
    [voiceId, accountId, provider, model, name, callId, cost, at],
  );
  return rows[0]!.mine;
}

/** Within the table's bounds, and without NUL or half a surrogate pair, which no database takes. */
function isStorable(voiceId: string): boolean {
  return idAtProvider(voiceId) !== "" && voiceId.length <= 256 && !voiceId.includes("\0") && voiceId.isWellFormed();
}
