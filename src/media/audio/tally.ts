// Adds up a walk through a recording: how long its packets sound, and how many bytes of the file they and their headers account for.
import { MediaFault } from "../types.ts";
import { type Promised, assertKept } from "./promised.ts";

export interface Tally {
  /** Throws MediaFault: `too_large` above a day, `invalid` for a rate that no recording has. */
  add(samples: number, rate: number): void;
  seconds(): number;
}

/** Far above any real recording. */
const secondsMax = 24 * 3_600;
const rateMin = 1_000;
const rateMax = 768_000;

/** Samples are added as integers, so that a million packets are rounded only once. */
export function openTally(): Tally {
  let whole = 0;
  let samples = 0;
  let rate = 0;
  return {
    add(more, at) {
      if (at !== rate) {
        if (!(at >= rateMin && at <= rateMax)) throw broken("Its sample rate is not one of audio.");
        whole += rate === 0 ? 0 : samples / rate;
        samples = 0;
        rate = at;
      }
      samples += more;
      if (whole + samples / rate > secondsMax) throw tooLong();
    },
    seconds: () => whole + (rate === 0 ? 0 : samples / rate),
  };
}

/** A recording's measured duration, and how many bytes of the file belong to it: packets, headers, tags, other tracks. */
export interface Walked {
  seconds: number;
  explained: number;
  promise: Promised;
}

/** Players skip some damage; a file that is mostly something else would be billed for its smaller half. */
export function assertExplained({ seconds, explained, promise }: Walked, size: number): number {
  if (!(seconds > 0)) throw broken("Nothing in it can be decoded.");
  if (seconds > secondsMax) throw tooLong();
  assertKept(promise, seconds);
  assertOwn(size - explained, size);
  return seconds;
}

/** `foreign` bytes of a file of `size`; checked while a walk searches for the next packet, so that noise ends it early. */
export function assertOwn(foreign: number, size: number): void {
  if (foreign > foreignMax(size)) throw broken("Too much of it does not belong to the recording.");
}

/** Bytes that are searched for the next packet before a walk gives up. */
export function foreignMax(size: number): number {
  return 4_096 + Math.floor(size / 10);
}

/** Bytes that all searches of one file may read in vain: false headers could make it many times the file. */
export function openSearch(size: number): (bytes: number) => void {
  let left = 64 * 1024 * 1024 + size;
  return (bytes) => {
    left -= bytes;
    if (left < 0) throw broken("Too much of it does not belong to the recording.");
  };
}

function tooLong(): MediaFault {
  return new MediaFault("too_large", "The recording is longer than 24 hours.");
}

export function broken(reason: string): MediaFault {
  return new MediaFault("invalid", `The audio file cannot be read. ${reason}`);
}
