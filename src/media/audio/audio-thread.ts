// The worker thread that measures recordings for measure-audio.ts, one after another; it is terminated where one takes too long.
import { parentPort } from "node:worker_threads";
import { MediaFault } from "../types.ts";
import type { Measured, MeasureOrder } from "./measure-audio.ts";
import { walkAudio } from "./walk.ts";

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
