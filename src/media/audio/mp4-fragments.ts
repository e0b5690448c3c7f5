// Finds the packets of an MP4. Of one fragment (moof): runs of packets, each of one track, with their own or default lengths.
import { boxesIn, boxIn, readUnits, type TrackClock } from "./mp4-boxes.ts";
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

// Finds the packets of one track by its tables: packets in each chunk (stsc), their lengths (stsz, stz2), offsets of chunks.

/** The position of one packet in the file. */
export interface Place {
  from: number;
  bytes: number;
}

/** `table` is the content of `stbl`. Ends with the shortest of the tables. */
export function* tablePackets(table: Buffer): Generator<Place> {
  const sizes = readSizes(table);
  const offsets = readOffsets(table);
  const chunks = boxIn(table, "stsc");
  if (sizes === null || offsets === null || chunks === null || chunks.length < 8) return;
  const runs = Math.min(chunks.readUInt32BE(4), Math.floor((chunks.length - 8) / 12));
  let packet = 0;
  let run = 0;
  for (let chunk = 0; chunk < offsets.count; chunk++) {
    while (run + 1 < runs && chunks.readUInt32BE(8 + (run + 1) * 12) <= chunk + 1) run += 1;
    if (run >= runs) return;
    let from = offsets.at(chunk);
    for (let left = chunks.readUInt32BE(8 + run * 12 + 4); left > 0; left--) {
      if (packet >= sizes.count) return;
      const bytes = sizes.at(packet);
      yield { from, bytes };
      from += bytes;
      packet += 1;
    }
  }
}

interface Column {
  count: number;
  at: (index: number) => number;
}

function readSizes(table: Buffer): Column | null {
  const plain = boxIn(table, "stsz");
  if (plain !== null && plain.length >= 12) {
    const all = plain.readUInt32BE(4);
    const said = plain.readUInt32BE(8);
    // With one length for all packets: a length of 0 could claim any number of packets.
    if (all > 0) return { count: said, at: () => all };
    return { count: Math.min(said, Math.floor((plain.length - 12) / 4)), at: (index) => plain.readUInt32BE(12 + index * 4) };
  }
  const compact = boxIn(table, "stz2");
  if (compact === null || compact.length < 12) return null;
  const bits = compact[7]!;
  if (bits !== 4 && bits !== 8 && bits !== 16) return null;
  const count = Math.min(compact.readUInt32BE(8), Math.floor(((compact.length - 12) * 8) / bits));
  if (bits === 4) return { count, at: (index) => (index % 2 === 0 ? compact[12 + index / 2]! >> 4 : compact[12 + (index - 1) / 2]! & 15) };
  return { count, at: (index) => compact.readUIntBE(12 + (index * bits) / 8, bits / 8) };
}

function readOffsets(table: Buffer): Column | null {
  const near = boxIn(table, "stco");
  if (near !== null && near.length >= 8)
    return { count: Math.min(near.readUInt32BE(4), Math.floor((near.length - 8) / 4)), at: (index) => near.readUInt32BE(8 + index * 4) };
  const far = boxIn(table, "co64");
  if (far === null || far.length < 8) return null;
  return {
    count: Math.min(far.readUInt32BE(4), Math.floor((far.length - 8) / 8)),
    at: (index) => Number(far.readBigUInt64BE(8 + index * 8)),
  };
}
