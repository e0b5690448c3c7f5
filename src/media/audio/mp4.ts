// Measures MP4 (m4a): tables or fragments locate the packets. A packet counts if its bytes are present, with the duration that its codec
// gives it. The tables' own times only show what is missing (mp4-boxes.ts).
import { type Box, boxAt, boxesIn, boxIn, holdFragment, holdPackets, openTrackClock, promiseOf } from "./mp4-boxes.ts";
import type { Bytes } from "./bytes.ts";
import { samplesOfEntry } from "./mp4-codec.ts";
import { fragmentPackets, fragmentStarts, type Mp4Track, type Place, tablePackets } from "./mp4-fragments.ts";
import { packetHeadBytes } from "./packets.ts";
import { broken, openTally, type Walked } from "./tally.ts";

/** The index of a day of the smallest packets takes less, and so does a fragment of one second. */
const indexBytesMax = 32 * 1024 * 1024;
const fragmentIndexBytesMax = 4 * 1024 * 1024;
/** Far above any real recording; tables can name any number of packets that aren't there. */
const packetsMax = 16_000_000;
const boxesMax = 500_000;
const tracksMax = 64;
const described = new Set([
  "ftyp",
  "styp",
  "free",
  "skip",
  "wide",
  "uuid",
  "udta",
  "meta",
  "sidx",
  "ssix",
  "mfra",
  "emsg",
  "prft",
  "pdin",
  "pnot",
]);
const describedBytesMax = 8 * 1024 * 1024;

export function walkMp4(source: Bytes): Walked {
  const boxes = topBoxes(source);
  const index = boxes.filter(({ name }) => name === "moov");
  if (index.length !== 1) throw broken(index.length === 0 ? "Its index is missing." : "It has two indexes.");
  const head = readBox(source, index[0]!, indexBytesMax);
  const tracks = readTracks(head);
  if (tracks.every(({ samplesOf }) => samplesOf === null)) throw broken("It has no sound.");
  const room = boxes.filter(({ name }) => name === "mdat").reduce((sum, { from, end }) => sum + Math.min(end, source.size) - from, 0);
  let packetBytes = 0;
  let packets = 0;
  let isMissing = false;
  /** Number of packets up to the last one that the file holds. */
  const count = (track: Mp4Track, places: Iterable<Place>) => {
    let named = 0;
    let held = 0;
    for (const place of places) {
      packets += 1;
      named += 1;
      if (packets > packetsMax) throw broken("Its index is damaged.");
      if (place.from + place.bytes > source.size) {
        isMissing = true;
        continue;
      }
      held = named;
      if (place.bytes === 0) continue;
      packetBytes += place.bytes;
      // Overlapping packets would be counted without end.
      if (packetBytes > room) throw broken("Its index is damaged.");
      if (track.samplesOf === null) continue;
      const head = track.isUniform ? nothing : source.read(place.from, Math.min(place.bytes, packetHeadBytes));
      const found = track.samplesOf(head);
      if (found !== null) track.tally.add(found.samples, found.rate);
    }
    return held;
  };
  for (const track of tracks) holdPackets(track.clock, count(track, tablePackets(track.table)));
  for (const box of boxes.filter(({ name }) => name === "moof")) {
    const content = readBox(source, box, fragmentIndexBytesMax);
    const starts = fragmentStarts(content);
    for (const track of tracks) {
      const start = starts.get(track.id);
      if (start === undefined) continue;
      const before = track.tally.seconds();
      if (count(track, fragmentPackets(content, box.at, track)) > 0) holdFragment(track.clock, start, track.tally.seconds() - before);
    }
  }
  const seconds = Math.max(0, ...tracks.map(({ tally }) => tally.seconds()));
  const isCut = isMissing && boxes.some(({ name, end }) => name === "mdat" && end > source.size);
  return { seconds, explained: packetBytes + headBytes(boxes, source.size), promise: promiseOf(head, tracks, isCut) };
}

const nothing = Buffer.alloc(1);

/** All top-level boxes, as long as each follows the one before. */
function topBoxes(source: Bytes): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at < source.size;) {
    const box = boxAt(source, at);
    if (box === null) break;
    boxes.push(box);
    if (boxes.length > boxesMax) throw broken("Its index is damaged.");
    at = box.end;
  }
  return boxes;
}

/** All boxes except those of packets. */
function headBytes(boxes: readonly Box[], size: number): number {
  let index = 0;
  let descriptions = 0;
  for (const { name, at, from, end } of boxes) {
    if (name === "moov" || name === "moof") index += Math.min(end, size) - at;
    else if (name === "mdat") index += from - at;
    else if (described.has(name)) descriptions += Math.min(end, size) - at;
  }
  return index + Math.min(descriptions, describedBytesMax);
}

function readBox(source: Bytes, { from, end }: Box, bytesMax: number): Buffer {
  if (end > source.size) throw broken("Its index is cut.");
  if (end - from > bytesMax) throw broken("Its index is too large.");
  const content = Buffer.alloc(end - from);
  for (let at = 0; at < content.length;) at += source.read(from + at, content.length - at).copy(content, at);
  return content;
}

function readTracks(index: Buffer): Mp4Track[] {
  const usual = new Map<number, number>();
  for (const { name, content } of boxesIn(boxIn(index, "mvex") ?? Buffer.alloc(0)))
    if (name === "trex" && content.length >= 24) usual.set(content.readUInt32BE(4), content.readUInt32BE(16));
  const tracks = boxesIn(index).filter(({ name }) => name === "trak");
  if (tracks.length > tracksMax) throw broken("It has too many tracks.");
  return tracks.map(({ content }) => readTrack(content, usual));
}

function readTrack(content: Buffer, usual: ReadonlyMap<number, number>): Mp4Track {
  const head = boxIn(content, "tkhd");
  const handler = boxIn(content, "mdia/hdlr");
  const table = boxIn(content, "mdia/minf/stbl");
  if (head === null || head.length < 24 || handler === null || handler.length < 12 || table === null) throw broken("Its index is damaged.");
  const id = head.readUInt32BE(head[0] === 1 ? 20 : 12);
  const isSound = handler.toString("latin1", 8, 12) === "soun";
  const codec = isSound ? samplesOfEntry(boxIn(table, "stsd") ?? Buffer.alloc(0)) : { samplesOf: null, isUniform: true };
  return { id, ...codec, table, usualBytes: usual.get(id) ?? 0, tally: openTally(), clock: openTrackClock(content) };
}
