// The protocol of ElevenLabs (docs/behaviour/providers.md#elevenlabs): its paths. Keys aren't checked, as nowhere here.
import type { LiveOperation, SimulatorProtocol } from "../protocol.ts";
import { planMusic, planSoundEffect, planTextToSpeech } from "./audio.ts";
import { renderRefusal, rewordRefusal } from "./errors.ts";
import { planVoices } from "./voices.ts";

export const elevenlabs: SimulatorProtocol = {
  name: "elevenlabs",
  prefixes: ["/elevenlabs"],
  findOperation: () => null,
  findLive,
  rewordRefusal,
  renderRefusal,
};

function findLive(method: string, path: string): LiveOperation | null {
  if (method === "GET") return path === "/v2/voices" ? planVoices : null;
  if (method !== "POST") return null;
  if (path === "/v1/music" || path === "/v1/music/stream") return planMusic;
  if (path === "/v1/sound-generation") return planSoundEffect;
  const speech = /^\/v1\/text-to-speech\/([^/]+)(\/stream)?$/.exec(path);
  return speech === null ? null : (ask) => planTextToSpeech(decodeVoice(speech[1]!), ask);
}

/** An id that isn't encoded properly is nobody's. */
function decodeVoice(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
