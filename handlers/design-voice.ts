// POST /v1/audio/voice-design, paused while no design model is served. The steps are in src/audio/make-voice.ts.
import { assertServed } from "../src/audio/find-model.ts";
import { designVoice as design, madeVoiceAnswer, readDesign, readVoiceName } from "../src/audio/make-voice.ts";
import type { Handler } from "../src/operation.ts";

type Design = Handler<"designVoice">;

const designFrom: Design = async (context, request, ask) => {
  const { body } = request;
  return madeVoiceAnswer(await design(context, ask, { model: body.model, name: readVoiceName(body.name), design: readDesign(body) }));
};

export const designVoice: Design = Object.assign(designFrom, {
  beforeBody: ({ catalog }: Parameters<Design>[0]) => assertServed(catalog, "voice-design"),
});
