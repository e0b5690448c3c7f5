// POST /v1/audio/speech. The steps are in src/audio/speech.ts.
import { makeSpeech } from "../src/audio/speech.ts";
import type { Handler } from "../src/operation.ts";

export const createSpeech: Handler<"createSpeech"> = (context, request) => makeSpeech(context, request, request.body);
