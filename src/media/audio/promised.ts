// Compares a recording's headers with what the file holds: one that was cut off, or that claims hours for a second, is refused. A header
// that claims less is ignored, because programs that join or stream recordings leave old values.
import { MediaFault } from "../types.ts";

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
