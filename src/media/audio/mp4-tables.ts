// Finds the packets of one track by its tables: packets in each chunk (stsc), their lengths (stsz, stz2), offsets of chunks.
import { boxIn } from "./boxes.ts";

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
