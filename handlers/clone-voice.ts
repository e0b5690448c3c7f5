// POST /v1/audio/voice-clone, paused while no cloning model is served. The story is src/audio/make-voice.ts.
import { assertServed } from "../src/audio/admit.ts";
import { assertClip, cloneVoice as clone, madeVoiceAnswer } from "../src/audio/make-voice.ts";
import { readVoiceName } from "../src/audio/own-voice-fields.ts";
import type { Handler } from "../src/operation.ts";

type Clone = Handler<"cloneVoice">;

const cloneFrom: Clone = async (context, request) => {
  const { fields, file } = request.form!;
  return madeVoiceAnswer(await clone(context, request, { model: fields.model, name: readVoiceName(fields.name), clip: file }));
};

export const cloneVoice: Clone = Object.assign(cloneFrom, {
  beforeBody: ({ catalog }: Parameters<Clone>[0]) => assertServed(catalog, "voice-clone"),
  checkFile: ({ media }: Parameters<Clone>[0], { path }: { path: string }) => assertClip(media, path),
});
