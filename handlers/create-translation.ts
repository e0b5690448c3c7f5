// POST /v1/audio/translations. The steps are those of a transcription, in src/audio/transcribe.ts.
import { readAudioKind } from "../src/audio/recording.ts";
import { transcribe } from "../src/audio/transcribe.ts";
import { translationAnswer } from "../src/audio/transcription-answer.ts";
import { translationRequest } from "../src/audio/transcription-request.ts";
import type { Handler } from "../src/operation.ts";

type Create = Handler<"createTranslation">;

const create: Create = async (context, { form }, ask) => {
  const { fields, file } = form!;
  return translationAnswer(await transcribe(context, ask, translationRequest(fields, { kind: "file", ...file })));
};

export const createTranslation: Create = Object.assign(create, {
  checkFile: async ({ media }: Parameters<Create>[0], { path }: { path: string }) => void (await readAudioKind(media, path, "file")),
});
