// POST /v1/audio/sfx. What is asked for is src/audio/plan-sound.ts, the story src/audio/make-audio.ts. While no model makes sounds,
// whoever is known is told so, whatever is sent (OPERATOR.md, order of refusals).
import { assertServed } from "../src/audio/admit.ts";
import { makeAudio } from "../src/audio/make-audio.ts";
import { planSound } from "../src/audio/plan-sound.ts";
import type { Handler } from "../src/operation.ts";

const make: Handler<"createSoundEffect"> = async (context, request) =>
  makeAudio(context, request, planSound(context, request.body, request.query.save_to_blob === "1"));

export const createSoundEffect: Handler<"createSoundEffect"> = Object.assign(make, {
  beforeBody: ({ catalog }: Parameters<typeof make>[0]) => assertServed(catalog, "sfx"),
});
