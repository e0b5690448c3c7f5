// POST /v1/audio/transcriptions. The steps are in src/audio/transcribe.ts; either body becomes their request here.
import { readAudioKind } from "../src/audio/recording.ts";
import { hear, transcribe } from "../src/audio/transcribe.ts";
import { streamedAnswer, transcriptionAnswer } from "../src/audio/transcription-answer.ts";
import { transcriptionRequest } from "../src/audio/transcription-request.ts";
import type { Handler } from "../src/operation.ts";

type Create = Handler<"createTranscription">;

const create: Create = async (context, request, ask) => {
  const { body, form } = request;
  const asked =
    form === null
      ? transcriptionRequest(body, { kind: "address", url: body.audio_url })
      : transcriptionRequest(form.fields, { kind: "file", ...form.file });
  return asked.stream
    ? hear(context, ask, asked, (heard) => streamedAnswer(context, ask, heard))
    : transcriptionAnswer(await transcribe(context, ask, asked));
};

export const createTranscription: Create = Object.assign(create, {
  checkFile: async ({ media }: Parameters<Create>[0], { path }: { path: string }) => void (await readAudioKind(media, path, "file")),
});
