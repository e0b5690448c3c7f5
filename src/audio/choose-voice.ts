// Which voice speaks, and which routes may be tried for it: a voice that an account cloned or designed is its own, and lives at one
// provider; whatever is not on file is a voice of the provider's (gateway-api.md "Ownership").
import type { Model } from "../catalog/types.ts";
import type { Caller } from "../context.ts";
import type { Queries } from "../db/connect.ts";
import { ApiError, fail, failParameter } from "../errors/fail.ts";
import type { AskedVoice } from "./speech-request.ts";
import { idAtProvider, ownerOf } from "./voice-owner.ts";

export interface ChosenVoice {
  /** As the caller calls it. */
  id: string;
  /** As providers call it. */
  providersId: string;
  /** Routes of this provider alone; null: of any. */
  provider: string | null;
}

/** Fails with voice_not_owned or invalid_parameter. */
export async function chooseVoice(
  db: Queries,
  caller: Caller,
  model: Model,
  { id: asked, param, openai }: AskedVoice,
): Promise<ChosenVoice> {
  // A model without a default may be OpenAI's own, whose clients mean the voice that they name.
  const byDefault = model.defaultVoice ?? openai;
  if (asked === null) return ofAny(byDefault ?? failParameter(param, `${model.id} has no voice of its own; name one`));
  if (asked === byDefault) return ofAny(asked);
  const owner = await ownerOf(db, asked);
  if (owner === null) return ofAny(asked);
  if (owner.accountId !== caller.accountId) fail("voice_not_owned", { param, text: { voice: asked } });
  if (model.voiceFamily === "provider_a" || !model.routes.some(({ provider }) => provider.id === owner.provider))
    failParameter(param, `${model.id} can't speak with a voice of yours; a family B model can`);
  return { id: asked, providersId: idAtProvider(asked), provider: owner.provider };
}

function ofAny(id: string): ChosenVoice {
  return { id, providersId: id, provider: null };
}

/** What adapters call it. */
const voiceFields: ReadonlySet<string> = new Set(["voice_id", "voice"]);

/** Rethrows what the routes failed with; that they don't know the voice, in words that tell a caller which there are. */
export function failedWithVoice(error: unknown, model: Model, voice: ChosenVoice, { param }: AskedVoice): never {
  if (!(error instanceof ApiError) || error.code !== "request_rejected" || !voiceFields.has(error.details.param ?? "")) throw error;
  const family = model.voiceFamily === null ? "" : `?provider=${model.voiceFamily}`;
  const reason = `${model.id} can't speak with the voice ${voice.id}; GET /v1/audio/voices${family} lists those that it can`;
  return fail("invalid_request", { param, text: { reason }, cause: error });
}
