// Finds the packets of one fragment (moof): runs of packets, each of one track, with their own or default lengths.
import { boxesIn, boxIn } from "./boxes.ts";
import { readUnits, type TrackClock } from "./mp4-clock.ts";
import type { Place } from "./mp4-tables.ts";
import type { SamplesOf } from "./packets.ts";
import type { Tally } from "./tally.ts";

export interface Mp4Track {
  id: number;
  /** Null: not audio. */
  samplesOf: SamplesOf | null;
  /** Whether the codec tells a packet's samples without reading the packet. */
  isUniform: boolean;
  table: Buffer;
  /** Defaults for fragments. */
  usualBytes: number;
  tally: Tally;
  clock: TrackClock;
}

/** The tracks with packets in the fragment, and its start in each, in that track's units; 0 where it isn't given. */
export function fragmentStarts(fragment: Buffer): Map<number, number> {
  return new Map(
    partsOf(fragment).map(({ head, content }) => {
      const time = boxIn(content, "tfdt");
      return [head.track, time === null ? 0 : readUnits(time, 4)];
    }),
  );
}

/** `at`: offset of the fragment in the file. */
export function* fragmentPackets(fragment: Buffer, at: number, { id, usualBytes }: Pick<Mp4Track, "id" | "usualBytes">): Generator<Place> {
  for (const { head, content } of partsOf(fragment)) {
    if (head.track !== id) continue;
    const base = head.base ?? at;
    let from = base;
    for (const { name, content: run } of boxesIn(content)) {
      if (name !== "trun" || run.length < 8) continue;
      const flags = run.readUIntBE(1, 3);
      let field = 8;
      if ((flags & 1) !== 0 && run.length >= field + 4) from = base + run.readInt32BE(field);
      if ((flags & 1) !== 0) field += 4;
      if ((flags & 4) !== 0) field += 4;
      const width = 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length;
      const sizeAt = (flags & 0x100) !== 0 ? 4 : 0;
      const hasSizes = (flags & 0x200) !== 0;
      const usual = head.usualBytes ?? usualBytes;
      if (!hasSizes && usual === 0) continue;
      for (let left = run.readUInt32BE(4); left > 0 && (width === 0 || field + width <= run.length); left--, field += width) {
        const bytes = hasSizes ? run.readUInt32BE(field + sizeAt) : usual;
        yield { from, bytes };
        from += bytes;
      }
    }
  }
}

interface PartHead {
  track: number;
  /** Null: the fragment's own offset. */
  base: number | null;
  usualBytes: number | null;
}

function partsOf(fragment: Buffer): { head: PartHead; content: Buffer }[] {
  return boxesIn(fragment)
    .filter(({ name }) => name === "traf")
    .flatMap(({ content }) => {
      const head = readHead(boxesIn(content).find(({ name }) => name === "tfhd")?.content ?? Buffer.alloc(0));
      return head === null ? [] : [{ head, content }];
    });
}

function readHead(content: Buffer): PartHead | null {
  if (content.length < 8) return null;
  const flags = content.readUIntBE(1, 3);
  let field = 8;
  const take = (flag: number, bytes: number) => {
    if ((flags & flag) === 0) return null;
    const at = field;
    field += bytes;
    return field <= content.length ? at : null;
  };
  const base = take(0x1, 8);
  take(0x2, 4);
  take(0x8, 4);
  const usual = take(0x10, 4);
  return {
    track: content.readUInt32BE(4),
    base: base === null ? null : Number(content.readBigUInt64BE(base)),
    usualBytes: usual === null ? null : content.readUInt32BE(usual),
  };
}
