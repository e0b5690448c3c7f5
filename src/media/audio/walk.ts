// Measures a recording of a known kind from its first to its last byte. Synchronous: measure-audio.ts runs it in a thread.
import { closeSync } from "node:fs";
import type { AudioKind } from "../types.ts";
import { type Bytes, openBytes, openFile } from "./bytes.ts";
import { walkFlac } from "./flac.ts";
import { walkMp4 } from "./mp4.ts";
import { walkMp3 } from "./mpeg-frames.ts";
import { walkOgg } from "./ogg.ts";
import { type Walked, assertExplained } from "./tally.ts";
import { walkWav } from "./wav.ts";
import { walkWebm } from "./webm.ts";

type Walk = (source: Bytes) => Walked;

const walks: Record<AudioKind["extension"], Walk> = {
  mp3: walkMp3,
  wav: walkWav,
  m4a: walkMp4,
  ogg: walkOgg,
  webm: walkWebm,
  flac: walkFlac,
};

/** In seconds. Throws MediaFault, or a RangeError where a damaged header points outside its part. */
export function walkAudio(path: string, extension: string): number {
  const walk = (walks as Partial<Record<string, Walk>>)[extension];
  if (walk === undefined) throw new Error("no kind of recording has this extension");
  const file = openFile(path);
  try {
    const source = openBytes(file);
    return assertExplained(walk(source), source.size);
  } finally {
    closeSync(file);
  }
}
