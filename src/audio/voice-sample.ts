// The recording that a voice is cloned from: its kind and its length (gateway-api.md, voice-clone). Every fault is the request's.
import type { Context } from "../context.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { type Recording, readRecording } from "./recording.ts";

type Media = Context["media"];

const kindsTaken = ["mp3", "wav", "m4a"];
/** Seconds that a clip may last, and how much our measure may differ from the provider's: what is near an end, the provider judges. */
const [secondsMin, secondsMax, slack] = [10, 300, 0.5];

/** Fails with unsupported_audio_type. */
export async function assertClip(media: Pick<Media, "audioKindOf">, path: string): Promise<void> {
  const kind = await media.audioKindOf(path);
  if (kind === null || !kindsTaken.includes(kind.extension))
    fail("unsupported_audio_type", { param: "file", text: { allowed: kindsTaken.join(", ") } });
}

/** Fails with unsupported_audio_type, invalid_parameter or request_too_large. */
export async function readClip(
  media: Pick<Media, "audioKindOf" | "measureAudio">,
  sent: { path: string; bytes: number },
  signal: AbortSignal,
): Promise<Recording> {
  const recording = await readRecording(media, sent, "file", signal);
  const { seconds } = recording;
  if (seconds < secondsMin - slack || seconds > secondsMax + slack)
    failParameter(
      "file",
      `it lasts ${seconds.toFixed(1)} seconds; a voice is cloned from ${secondsMin} seconds to ${secondsMax / 60} minutes`,
    );
  return recording;
}
