// An answer of ElevenLabs that is audio: bytes in pieces, with the headers that tell its id and its price.
import type { Steered } from "../header-knobs.ts";
import type { Plan } from "../protocol.ts";
import type { Refusal } from "../refused.ts";
import { madeUpId } from "../seed.ts";
import { makeSound, type SoundFormat } from "../sound/make-sound.ts";
import { cutIntoPieces } from "../sound/pieces.ts";

export interface AudioAnswer {
  format: SoundFormat;
  /** sim-seconds-N goes before it. */
  seconds: number;
  /** Everything that the sound follows from. */
  seed: string;
  headers: Record<string, string>;
  rewordRefusal?(refusal: Refusal): Refusal;
}

export async function planAudio({ model, knobs }: Steered, { format, seconds, seed, headers, rewordRefusal }: AudioAnswer): Promise<Plan> {
  const { bytes, contentType } = await makeSound(format, knobs.seconds ?? seconds, seed);
  const told = { "content-type": contentType, "request-id": madeUpId("", seed), ...headers };
  const reply = { kind: "pieces" as const, headers: told, pieces: () => cutIntoPieces(bytes) };
  return { model, knobs, reply, ...(rewordRefusal && { rewordRefusal }), bytes: 0 };
}
