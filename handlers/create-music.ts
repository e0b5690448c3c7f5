// POST /v1/audio/music. src/audio/plan-music-and-sound.ts reads the request, src/audio/make-audio.ts has the steps.
import { makeAudio } from "../src/audio/make-audio.ts";
import { planMusic } from "../src/audio/plan-music-and-sound.ts";
import type { Handler } from "../src/operation.ts";

export const createMusic: Handler<"createMusic"> = (context, request, ask) =>
  makeAudio(context, ask, planMusic(context, request.body, request.query.save_to_blob === "1"));
