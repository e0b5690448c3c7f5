// Compares a recording's headers with what the file holds: one that was cut off, or that claims hours for a second, is refused. A header
// that claims less is ignored, because programs that join or stream recordings leave old values.
import { MediaFault } from "../types.ts";

export interface Promised {
  /** Seconds of this recording; 0: its headers say nothing. */
  seconds: number;
  /** How many of those are there. More than what sounds, where its packets have pauses between them. */
  held: number;
  /** Seconds that may leave out much, such as the end of other tracks: they only count where they are absurd. */
  loose: number;
  /** The file ends where a piece of it says to go on. */
  isCut: boolean;
}

export const nothingPromised: Promised = { seconds: 0, held: 0, loose: 0, isCut: false };

/** Codecs' padding and rounding are shorter; of a short recording half must be missed, too. */
const slackMax = 1;
const slackOfShort = 1 / 4;
const slackOfLong = 1 / 50;

/** Silence that isn't recorded (DTX) makes a recording sound for a twentieth of its time; nothing does for a hundredth. */
export function isAbsurd(promised: number, there: number): boolean {
  return promised > 60 + 100 * there;
}

/** `seconds`: what sounds. Throws MediaFault `invalid`. */
export function assertKept({ seconds: promised, held, loose, isCut }: Promised, seconds: number): void {
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
