// POST /v1/audio/sfx. src/audio/plan-music-and-sound.ts reads the request, src/audio/make-audio.ts has the steps. While no model makes sounds, every
// authenticated caller gets 404 whatever the request holds (docs/behaviour/requests.md#exceptions).
import { assertServed } from "../src/audio/find-model.ts";
import { makeAudio } from "../src/audio/make-audio.ts";
import { planSound } from "../src/audio/plan-music-and-sound.ts";
import type { Handler } from "../src/operation.ts";

const make: Handler<"createSoundEffect"> = async (context, request, ask) =>
  makeAudio(context, ask, planSound(context, request.body, request.query.save_to_blob === "1"));

export const createSoundEffect: Handler<"createSoundEffect"> = Object.assign(make, {
  beforeBody: ({ catalog }: Parameters<typeof make>[0]) => assertServed(catalog, "sfx"),
});
