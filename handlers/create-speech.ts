// POST /v1/audio/speech. The steps are in src/audio/speech.ts.
import { makeSpeech } from "../src/audio/speech.ts";
import type { Handler } from "../src/operation.ts";

export const createSpeech: Handler<"createSpeech"> = (context, request, ask) => makeSpeech(context, ask, request.body);
