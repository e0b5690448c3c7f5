// Adds up a walk through a recording: how long its packets sound, and how many bytes of the file they and their headers account for.
import { MediaFault } from "../types.ts";

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

// Compares a recording's headers with what the file holds: one that was cut off, or that claims hours for a second, is refused. A header
// that claims less is ignored, because programs that join or stream recordings leave old values.

export interface Promised {
  /** Claimed seconds of this recording; 0: its headers claim nothing. */
  seconds: number;
  /** How many of those are present. More than what sounds, where its packets have pauses between them. */
  held: number;
  /** Claimed seconds that may leave out much, such as the end of other tracks: only absurd values count. */
  loose: number;
  /** The file ends inside one of its parts. */
  isCut: boolean;
}

export const nothingPromised: Promised = { seconds: 0, held: 0, loose: 0, isCut: false };

/** Codecs' padding and rounding are shorter; of a short recording half must be missing, too. */
const slackMax = 1;
const slackOfShort = 1 / 4;
const slackOfLong = 1 / 50;

/** With silence left out (DTX) a recording may sound for a twentieth of its time, but never for a hundredth. */
export function isAbsurd(promised: number, there: number): boolean {
  return promised > 60 + 100 * there;
}

/** `seconds`: what sounds. Throws MediaFault `invalid`. */
function assertKept({ seconds: promised, held, loose, isCut }: Promised, seconds: number): void {
  const slack = Math.max(promised * slackOfLong, Math.min(slackMax, promised * slackOfShort));
  const there = Math.max(held, seconds);
  if (there + slack < promised) throw cutOff(there, promised);
  const most = Math.max(promised, loose);
  if (isAbsurd(most, seconds)) throw cutOff(seconds, most);
  if (isCut) throw new MediaFault("invalid", "The recording is cut off: its file ends in the middle of it.");
}

function cutOff(there: number, promised: number): MediaFault {
  return new MediaFault("invalid", `The recording is cut off: it holds ${said(there)} s of the ${said(promised)} s that it promises.`);
}

function said(seconds: number): string {
  return String(seconds < 100 ? Math.round(seconds * 10) / 10 : Math.round(seconds));
}
