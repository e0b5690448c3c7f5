// The caller's recording, uploaded or at an address: which kinds are accepted, and how its kind and length are read from its bytes
// (docs/behaviour/audio.md#recordings). Every error is the request's.
import { stat } from "node:fs/promises";
import type { Context } from "../context.ts";
import { ApiError, fail, failParameter } from "../errors/fail.ts";
import { MediaFault } from "../media/types.ts";
import type { AudioFile } from "../providers/verbs/audio.ts";
import { GatewayStopping } from "../calls/ask.ts";

type Looking = Pick<Context["media"], "audioKindOf" | "measureAudio">;

export interface Recording {
  file: AudioFile;
  /** To the millisecond. */
  seconds: number;
}

const kindsTaken = "mp3, wav, m4a, ogg, webm, flac";

/** `param` is the field it came in. Fails with unsupported_audio_type. */
export async function readAudioKind(media: Pick<Looking, "audioKindOf">, path: string, param: string) {
  const kind = await media.audioKindOf(path);
  return kind ?? fail("unsupported_audio_type", { param, text: { allowed: kindsTaken } });
}

/** `param` is the field it came in. Fails with unsupported_audio_type, invalid_parameter or request_too_large. */
export async function readRecording(media: Looking, sent: { path: string; bytes: number }, param: string, signal: AbortSignal) {
  const { extension, contentType } = await readAudioKind(media, sent.path, param);
  const file: AudioFile = { path: sent.path, bytes: sent.bytes, extension, contentType };
  const seconds = await judged(param, media.measureAudio(file, signal));
  // Rounded once, so that the length billed is the length shown.
  return { file, seconds: Math.round(seconds * 1000) / 1000 };
}

/** Saves the file at `path`. Fails as readRecording does, or with overloaded. */
export async function fetchRecording(
  media: Looking & Pick<Context["media"], "fetchAudio">,
  { url, path }: { url: string; path: string },
  signal: AbortSignal,
): Promise<Recording> {
  await judged("audio_url", media.fetchAudio(url, path, signal));
  return await readRecording(media, { path, bytes: (await stat(path)).size }, "audio_url", signal);
}

/** An address that can't be loaded is the caller's mistake, so it is never our 502. */
async function judged<T>(param: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof GatewayStopping) throw new ApiError("overloaded", { cause: error });
    if (!(error instanceof MediaFault)) throw error;
    if (error.reason === "overloaded") fail("overloaded", { cause: error });
    const reason = error.message.replace(/\.$/, "");
    if (error.reason === "too_large") fail("request_too_large", { param, text: { reason }, cause: error });
    return failParameter(param, reason);
  }
}
