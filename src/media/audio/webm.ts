// Measures WebM: clusters of blocks, read in file order. The times of clusters and blocks are only compared with the duration that the
// header claims.
import type { Bytes } from "./bytes.ts";
import { opusSamples, packetHeadBytes, type SamplesOf, vorbisSamples } from "./packets.ts";
import { broken, isAbsurd, nothingPromised, openTally, type Promised, type Tally, type Walked } from "./tally.ts";
import { blockPackets, elementAt, elementsIn, unsigned } from "./ebml.ts";

const ids = {
  head: 0x1a45dfa3,
  segment: 0x18538067,
  cluster: 0x1f43b675,
  tracks: 0x1654ae6b,
  track: 0xae,
  number: 0xd7,
  type: 0x83,
  codec: 0x86,
  codecPrivate: 0x63a2,
  encodings: 0x6d80,
  blockGroup: 0xa0,
  block: 0xa1,
  simpleBlock: 0xa3,
  info: 0x1549a966,
  unit: 0x2ad7b1,
  duration: 0x4489,
  clusterTime: 0xe7,
};

/** Elements besides blocks: seek head, info, cues, tags, chapters, attachments (images), void, checksum, a cluster's time and sizes. */
const described = new Set([0x114d9b74, 0x1549a966, 0x1c53bb6b, 0x1254c367, 0x1043a770, 0x1941a469, 0xec, 0xbf, 0xe7, 0xa7, 0xab, 0x5854]);
const describedBytesMax = 8 * 1024 * 1024;
/** Elements in a row without a block: the longest such row is an index, with a few for each cluster. */
const smallMax = 1_000_000;
const tracksBytesMax = 1024 * 1024;
const infoBytesMax = 65_536;
const audioType = 2;

interface Track {
  samplesOf: SamplesOf;
  tally: Tally;
}

interface Clock {
  /** Nanoseconds. */
  unit: number;
  /** In units; 0: not given. */
  duration: number;
  cluster: number;
  /** The latest time of a block, in units. */
  latest: number;
}

export function walkWebm(source: Bytes): Walked {
  const audio = new Map<number, Track>();
  const others = new Set<number>();
  let explained = 0;
  let descriptions = 0;
  let small = 0;
  let isCut = false;
  const clock: Clock = { unit: 1_000_000, duration: 0, cluster: 0, latest: 0 };
  for (let at = 0; at < source.size;) {
    const element = elementAt(source, at);
    if (element === null) break;
    const { id, from } = element;
    if (++small > smallMax) throw broken("It does not go on.");
    // Containers are entered, so their length doesn't matter; nothing is read twice.
    if (id === ids.segment || id === ids.cluster || id === ids.blockGroup) {
      explained += from - at;
      isCut ||= element.size !== null && from + element.size > source.size;
      at = from;
      continue;
    }
    if (element.size === null) break;
    const end = from + element.size;
    if (end > source.size) {
      isCut ||= id === ids.simpleBlock || id === ids.block || described.has(id);
      break;
    }
    if (id === ids.info) readInfo(Buffer.from(source.read(from, Math.min(element.size, infoBytesMax))), clock);
    if (id === ids.clusterTime) clock.cluster = unsigned(source.read(from, element.size));
    if (id === ids.tracks) {
      if (element.size > tracksBytesMax) throw broken("Its list of tracks is too long.");
      readTracks(Buffer.from(source.read(from, element.size)), audio, others);
    }
    if (id === ids.simpleBlock || id === ids.block) {
      if (takeBlock(source, from, end, { audio, others, clock })) explained += end - at;
      small = 0;
    } else if (id === ids.head || id === ids.tracks) explained += end - at;
    else if (described.has(id)) descriptions += end - at;
    else explained += Math.min(end - at, 64); // the small elements in a group of blocks
    at = end;
  }
  const seconds = Math.max(0, ...[...audio.values()].map(({ tally }) => tally.seconds()));
  const promise = promiseOf(clock, others.size > 0, isCut);
  return { seconds, explained: explained + Math.min(descriptions, describedBytesMax), promise };
}

/** The duration of its longest track: an image or a text may come long after the end of the audio. */
function promiseOf({ unit, duration, latest }: Clock, hasOthers: boolean, isCut: boolean): Promised {
  const seconds = (duration * unit) / 1e9;
  const held = (latest * unit) / 1e9;
  if (!hasOthers) return { seconds, held, loose: 0, isCut };
  return { ...nothingPromised, loose: isAbsurd(seconds, held) ? seconds : 0, isCut };
}

function readInfo(content: Buffer, clock: Clock): void {
  for (const { id, content: value } of elementsIn(content)) {
    if (id === ids.unit) clock.unit = unsigned(value) || clock.unit;
    if (id === ids.duration && (value.length === 4 || value.length === 8)) {
      const duration = value.length === 4 ? value.readFloatBE(0) : value.readDoubleBE(0);
      clock.duration = Number.isFinite(duration) ? Math.max(0, duration) : 0;
    }
  }
}

function readTracks(content: Buffer, audio: Map<number, Track>, others: Set<number>): void {
  for (const entry of elementsIn(content).filter(({ id }) => id === ids.track)) {
    const fields = new Map(elementsIn(entry.content).map(({ id, content: value }) => [id, value]));
    const field = (id: number) => fields.get(id) ?? Buffer.alloc(0);
    const number = unsigned(field(ids.number));
    if (audio.has(number) || others.has(number)) throw broken("Two of its tracks have one number.");
    if (unsigned(field(ids.type)) !== audioType) others.add(number);
    else if (fields.has(ids.encodings)) throw broken("Its packets are compressed or encrypted.");
    else audio.set(number, { samplesOf: samplesOfCodec(field(ids.codec).toString("latin1"), field(ids.codecPrivate)), tally: openTally() });
  }
}

function samplesOfCodec(codec: string, header: Buffer): SamplesOf {
  if (codec === "A_OPUS") return opusSamples;
  if (codec !== "A_VORBIS") throw broken("Its codec is not taken: Opus and Vorbis are.");
  const [identification, , setup] = laced(header);
  if (identification === undefined || setup === undefined) throw broken("Its Vorbis header is cut.");
  return vorbisSamples(identification, setup);
}

/** Vorbis' three headers, preceded by the lengths of the first two. */
function laced(header: Buffer): Buffer[] {
  let at = 1;
  const lengths = [0, 1].map(() => {
    let length = 0;
    for (; header[at] === 255; at++) length += 255;
    return length + (header[at++] ?? 0);
  });
  const [first = 0, second = 0] = lengths;
  return [header.subarray(at, at + first), header.subarray(at + first, at + first + second), header.subarray(at + first + second)];
}

interface Found {
  audio: ReadonlyMap<number, Track>;
  others: ReadonlySet<number>;
  clock: Clock;
}

/** False: it belongs to no track. */
function takeBlock(source: Bytes, from: number, end: number, { audio, others, clock }: Found): boolean {
  const head = blockPackets(source, from, end);
  if (head === null) return false;
  clock.latest = Math.max(clock.latest, clock.cluster + head.time);
  const track = audio.get(head.track);
  if (track === undefined) return others.has(head.track);
  for (const packet of head.packets) {
    const found = packet.bytes === 0 ? null : track.samplesOf(source.read(packet.from, Math.min(packet.bytes, packetHeadBytes)));
    if (found !== null) track.tally.add(found.samples, found.rate);
  }
  return true;
}
