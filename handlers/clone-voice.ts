// POST /v1/audio/voice-clone, paused while no cloning model is served. The steps are in src/audio/make-voice.ts.
import { assertServed } from "../src/audio/find-model.ts";
import { assertSample, cloneVoice as clone, madeVoiceAnswer, readVoiceName } from "../src/audio/make-voice.ts";
import type { Handler } from "../src/operation.ts";

type Clone = Handler<"cloneVoice">;

const cloneFrom: Clone = async (context, request, ask) => {
  const { fields, file } = request.form!;
  return madeVoiceAnswer(await clone(context, ask, { model: fields.model, name: readVoiceName(fields.name), sample: file }));
};

export const cloneVoice: Clone = Object.assign(cloneFrom, {
  beforeBody: ({ catalog }: Parameters<Clone>[0]) => assertServed(catalog, "voice-clone"),
  checkFile: ({ media }: Parameters<Clone>[0], { path }: { path: string }) => assertSample(media, path),
});
