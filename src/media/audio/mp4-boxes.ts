// Reads the boxes of MP4 (length, name, content), in the file and in memory, and the durations that they claim.
import { type Bytes, bytesOf, nameAt } from "./bytes.ts";
import { isAbsurd, type Promised } from "./tally.ts";

export interface Box {
  name: string;
  at: number;
  /** Offset of its content. */
  from: number;
  end: number;
}

/** Null where there is none or it is truncated; only the last box of a file may extend to its end. */
export function boxAt(source: Bytes, at: number): Box | null {
  const head = source.read(at, 16);
  if (head.length < 8) return null;
  const name = nameAt(head, 4);
  let size = head.readUInt32BE(0);
  let from = at + 8;
  if (size === 1) {
    if (head.length < 16) return null;
    size = Number(head.readBigUInt64BE(8));
    from = at + 16;
  } else if (size === 0) size = source.size - at;
  if (at + size < from) return null;
  return { name, at, from, end: at + size };
}

/** No honest file has as many boxes inside one. */
const innerMax = 10_000;

/** The boxes in a buffer; a damaged one ends the list. */
export function boxesIn(content: Buffer): { name: string; content: Buffer }[] {
  const found: { name: string; content: Buffer }[] = [];
  const source = bytesOf(content);
  for (let at = 0; at < content.length && found.length < innerMax;) {
    const box = boxAt(source, at);
    if (box === null || box.end > content.length) break;
    found.push({ name: box.name, content: content.subarray(box.from, box.end) });
    at = box.end;
  }
  return found;
}

/** The first box at a path of names, e.g. `mdia/minf/stbl`. */
export function boxIn(content: Buffer, path: string): Buffer | null {
  let inner: Buffer | undefined = content;
  for (const name of path.split("/")) {
    inner = boxesIn(inner).find((box) => box.name === name)?.content;
    if (inner === undefined) return null;
  }
  return inner;
}

// Reads the durations that an MP4 claims: of its tracks, and of the packets that are present. They are only compared and never billed.

export interface TrackClock {
  /** Units per second. */
  scale: number;
  /** In units; 0: not given. */
  duration: number;
  times: Buffer;
  /** Seconds to the end of the last packet that is present, pauses between packets included. */
  held: number;
}

/** `content` is that of `trak`. */
export function openTrackClock(content: Buffer): TrackClock {
  const times = boxIn(content, "mdia/minf/stbl/stts") ?? Buffer.alloc(0);
  return { ...readDuration(boxIn(content, "mdia/mdhd")), times, held: 0 };
}

/** `packets`: number of packets in its table up to the last one that the file holds. */
export function holdPackets(clock: TrackClock, packets: number): void {
  const { times, scale } = clock;
  let units = 0;
  let left = packets;
  for (let at = 8; at + 8 <= times.length && left > 0; at += 8) {
    const count = Math.min(left, times.readUInt32BE(at));
    units += count * times.readUInt32BE(at + 4);
    left -= count;
  }
  if (scale > 0) clock.held = Math.max(clock.held, units / scale);
}

/** `start`: begin of a fragment, in units; `seconds`: how long its packets sound. */
export function holdFragment(clock: TrackClock, start: number, seconds: number): void {
  if (clock.scale > 0) clock.held = Math.max(clock.held, start / clock.scale + seconds);
}

interface Timed {
  clock: TrackClock;
  /** Null: not an audio track. */
  samplesOf: unknown;
}

/** `index` is the content of `moov`. The duration of the whole movie may leave out its edits and the end of its images. */
export function promiseOf(index: Buffer, tracks: readonly Timed[], isCut: boolean): Promised {
  const sounding = tracks.filter(({ samplesOf }) => samplesOf !== null).map(({ clock }) => clock);
  const film = readDuration(boxIn(index, "mvhd"));
  const filmSeconds = secondsOf(film);
  const fragments = boxIn(index, "mvex/mehd");
  const fragmentSeconds = fragments === null ? 0 : secondsOf({ scale: film.scale, duration: readUnits(fragments, 4) });
  const loose = Math.max(filmSeconds, fragmentSeconds);
  const longest = Math.max(0, ...tracks.map(({ clock }) => clock.held));
  const isSoundAlone = sounding.length === tracks.length;
  return {
    seconds: Math.max(0, ...sounding.map(secondsOf), isSoundAlone ? fragmentSeconds : 0),
    held: Math.max(0, ...sounding.map(({ held }) => held)),
    loose: isAbsurd(loose, longest) ? loose : 0,
    isCut,
  };
}

/** Of `mvhd` and `mdhd`: two dates come first. */
function readDuration(head: Buffer | null): { scale: number; duration: number } {
  if (head === null || head.length < (head[0] === 1 ? 32 : 20)) return { scale: 0, duration: 0 };
  return { scale: head.readUInt32BE(head[0] === 1 ? 20 : 12), duration: readUnits(head, head[0] === 1 ? 24 : 16) };
}

/** A number of four bytes, or of eight in version 1; all bits set: unknown. */
export function readUnits(content: Buffer, at: number): number {
  if (content[0] === 1) {
    const units = content.length < at + 8 ? 0n : content.readBigUInt64BE(at);
    return units === 0xffff_ffff_ffff_ffffn ? 0 : Number(units);
  }
  const units = content.length < at + 4 ? 0 : content.readUInt32BE(at);
  return units === 0xffffffff ? 0 : units;
}

function secondsOf({ scale, duration }: { scale: number; duration: number }): number {
  return scale === 0 ? 0 : duration / scale;
}
