// Which voice speaks, and which routes may be tried for it: a voice that an account cloned or designed is its own, and lives at one
// provider; whatever is not on file is a voice of the provider's (gateway-api.md "Ownership").
import type { Model } from "../catalog/types.ts";
import type { Caller } from "../context.ts";
import type { Queries } from "../db/connect.ts";
import { fail, failParameter } from "../fail.ts";
import { ownerOf } from "./voice-owner.ts";

export interface ChosenVoice {
  id: string;
  /** Routes of this provider alone; null: of any. */
  provider: string | null;
}

/** `asked` null: the model's default. Fails with voice_not_owned or invalid_parameter. */
export async function chooseVoice(db: Queries, caller: Caller, model: Model, asked: string | null): Promise<ChosenVoice> {
  const { defaultVoice } = model;
  if (asked === null && defaultVoice === null) failParameter("voice_id", `${model.id} has no voice of its own; name one`);
  if (asked === null || asked === defaultVoice) return { id: defaultVoice as string, provider: null };
  const owner = await ownerOf(db, asked);
  if (owner === null) return { id: asked, provider: null };
  if (owner.accountId !== caller.accountId) fail("voice_not_owned", { param: "voice_id", text: { voice: asked } });
  if (model.voiceFamily === "provider_a" || !model.routes.some(({ provider }) => provider.id === owner.provider))
    failParameter("voice_id", `${model.id} can't speak with a voice of yours; a family B model can`);
  return { id: asked, provider: owner.provider };
}
