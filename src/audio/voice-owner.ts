// Whose a cloned or designed voice is, and where it lives. Voices that are not on file are the providers' own, which everybody may use
// (gateway-api.md "Ownership"). The rows outlive their accounts' suspension: an id must never become somebody else's.
import type { Queries } from "../db/connect.ts";
import type { Amount } from "../money.ts";

/** gateway-api.md "voice_id (fixed-prefix string)": of every voice that an account made. */
export const voicePrefix = "svcv_";
/** Of one whose provider chose an id of its own, which stands behind it: it has no other place. */
const foreignPrefix = `${voicePrefix}x_`;

/** No two of a provider's ids become the same. */
export function ownVoiceId(given: string): string {
  return given.startsWith(voicePrefix) && !given.startsWith(foreignPrefix) ? given : `${foreignPrefix}${given}`;
}

/** What the provider calls an account's own voice. */
export function idAtProvider(voiceId: string): string {
  return voiceId.startsWith(foreignPrefix) ? voiceId.slice(foreignPrefix.length) : voiceId;
}

export interface VoiceOwner {
  accountId: bigint;
  /** Of the catalog's providers: it alone knows the voice. */
  provider: string;
}

/** By its id here, or as the provider calls it: who guesses that has no voice of another's either. Null: a voice of a provider's own. */
export async function ownerOf(db: Queries, voiceId: string): Promise<VoiceOwner | null> {
  if (!isStorable(voiceId)) return null;
  const { rows } = await db.pool.query<VoiceOwner>(
    `select account_id as "accountId", provider from voice where voice_id in ($1, $2) order by voice_id = $1 desc limit 1`,
    [voiceId, `${foreignPrefix}${voiceId}`],
  );
  return rows[0] ?? null;
}

/** More than anybody pays for; the list isn't paged. */
const listedMax = 10_000;

/** Newest first. One whose charge never came to the books isn't shown: nobody has paid for it, and nobody was told its id. */
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
  /** The reservation of the call that made it, whose charge will bear the same id. */
  callId: string;
  cost: Amount;
  at: Date;
}

/**
 * Durable when it resolves, whatever the server does of itself, and the same when asked again. False: the id is on file for another call
 * already, or is none that can be kept.
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

/** As the table bounds them; a text with a NUL, or half of a pair, no database takes. */
function isStorable(voiceId: string): boolean {
  return idAtProvider(voiceId) !== "" && voiceId.length <= 256 && !voiceId.includes("\0") && voiceId.isWellFormed();
}
