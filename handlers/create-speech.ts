// POST /v1/audio/speech. The story is src/audio/speech.ts.
import { say } from "../src/audio/speech.ts";
import type { Handler } from "../src/operation.ts";

export const createSpeech: Handler<"createSpeech"> = (context, request) => say(context, request, request.body);
