// What a request for a sound effect asks for and costs (docs/behaviour/audio.md#sound-effects). The shipped models are paused, the code is not.
import type { components } from "../../generated/api.d.ts";
import type { Context } from "../context.ts";
import { isBlank } from "../text/counted-text.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { audioPricesOf } from "../pricing/audio-cost.ts";
import type { SoundOrder } from "../providers/verbs/audio.ts";
import { formatOf } from "../sound/formats.ts";
import { admitMaker } from "./admit.ts";
import type { MakePlan } from "./make-audio.ts";
import { readPromptText } from "./prompt-text.ts";

type Body = components["schemas"]["SoundEffectRequest"];

const promptMax = 500;
const seconds = { min: 0.5, max: 22 };
const influenceDefault = 0.3;

/** Fails with missing_parameter, invalid_parameter, model_not_found, not_an_sfx_model, prompt_too_long or invalid_duration. */
export function planSound({ catalog, providers }: Pick<Context, "catalog" | "providers">, body: Body, keep: boolean): MakePlan<SoundOrder> {
  const param = body.prompt == null && body.text != null ? "text" : "prompt";
  const given = body.prompt ?? body.text;
  if (given == null) fail("missing_parameter", { param, text: { param } });
  if (isBlank(given)) failParameter(param, "it is empty");
  const asked = admitMaker(catalog, "sfx", body.model);
  const { model } = asked;
  const order: SoundOrder = {
    prompt: readPromptText(given, promptMax, { param, model }),
    seconds: readLength(body.duration_seconds, model.id),
    influence: body.prompt_influence ?? influenceDefault,
    format: formatOf(body.response_format),
  };
  return { asked, charge: { prices: audioPricesOf(model), units: 1 }, order, adapters: providers.sounds, seconds: null, keep };
}

function readLength(asked: Body["duration_seconds"], model: string): number | null {
  if (asked == null) return null;
  if (asked >= seconds.min && asked <= seconds.max) return asked;
  const param = "duration_seconds";
  return fail("invalid_duration", { param, text: { param, model, reason: `${seconds.min} to ${seconds.max} seconds` } });
}
