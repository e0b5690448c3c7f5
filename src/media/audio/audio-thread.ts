// The worker thread that measures recordings for measure-audio.ts, one after another; it is terminated where one takes too long.
import { closeSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { type AudioKind, MediaFault } from "../types.ts";
import { type Bytes, openBytes, openFile } from "./bytes.ts";
import { walkFlac } from "./flac.ts";
import type { Measured, MeasureOrder } from "./measure-audio.ts";
import { walkMp4 } from "./mp4.ts";
import { walkMp3 } from "./mpeg-frames.ts";
import { walkOgg } from "./ogg.ts";
import { assertExplained, type Walked } from "./tally.ts";
import { walkWav } from "./wav.ts";
import { walkWebm } from "./webm.ts";

function measured({ path, extension }: MeasureOrder): Measured {
  try {
    return { seconds: walkAudio(path, extension) };
  } catch (error) {
    if (error instanceof MediaFault) return { fault: { reason: error.reason, sentence: error.message } };
    // A reader ran past the end of a damaged part; a file that can't be opened is our own fault.
    if (error instanceof RangeError) return { fault: { reason: "invalid", sentence: "The audio file cannot be read. It is damaged." } };
    throw error;
  }
}

parentPort!.on("message", (order: MeasureOrder) => parentPort!.postMessage(measured(order)));

// Measures a recording of a known kind from its first to its last byte. Synchronous.

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
function walkAudio(path: string, extension: string): number {
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
