// Measures Ogg: pages with a checksum that carry packets of one or more streams. Opus, Vorbis and FLAC are counted by their packets;
// pages' positions, which skip what a call's recording lost, only reveal absurd files.
import { type Bytes, nameAt } from "./bytes.ts";
import { flacFrameAt } from "./flac.ts";
import { opusSamples, packetHeadBytes, type SamplesOf, vorbisSamples } from "./packets.ts";
import { assertOwn, broken, foreignMax, nothingPromised, openSearch, openTally, type Tally, type Walked } from "./tally.ts";

const crc32 = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc >>> 0;
});

interface Stream {
  /** Null: not known yet. */
  samplesOf: SamplesOf | null;
  kind: "opus" | "vorbis" | "flac" | "other";
  identification: Buffer;
  tally: Tally;
  /** The position at which it began, and its last one, in samples of `rate`; null: none was given. */
  positions: { first: number; last: number } | null;
  rate: number;
  packets: number;
  /** The start of a packet that continues, and its length so far. */
  pending: Buffer[];
  pendingBytes: number;
}

/** Vorbis' codebooks take some kilobytes; comments may hold an image, and are skipped. */
const setupBytesMax = 1024 * 1024;
const streamsMax = 64;
const pageBytesMax = 27 + 255 + 255 * 255;

export function walkOgg(source: Bytes): Walked {
  const search = openSearch(source.size);
  let explained = 0;
  let seconds = 0;
  let loose = 0;
  let isCut = false;
  let streams = new Map<number, Stream>();
  let isHead = true;
  const endLink = () => {
    // Parallel streams sound at once; chained ones one after another.
    seconds += Math.max(0, ...[...streams.values()].map(({ tally }) => tally.seconds()));
    loose += Math.max(0, ...[...streams.values()].map(lengthSaid));
    isCut ||= [...streams.values()].some(({ samplesOf, pendingBytes }) => samplesOf !== null && pendingBytes > 0);
    streams = new Map();
  };
  for (let at = 0; at < source.size;) {
    const page = readPage(source, at, search);
    if (page === null) {
      isCut ||= endsInPage(source, at);
      at = nextPage(source, at + 1);
      assertOwn(at - explained, source.size);
      continue;
    }
    at += page.length;
    explained += page.length;
    const begins = (page[5]! & 2) !== 0;
    if (begins && !isHead) endLink();
    isHead = begins;
    const serial = page.readUInt32LE(14);
    if (begins && streams.size < streamsMax && !streams.has(serial)) streams.set(serial, openStream());
    const stream = streams.get(serial);
    if (stream !== undefined) takePage(stream, page);
  }
  endLink();
  return { seconds, explained, promise: { ...nothingPromised, loose, isCut } };
}

function lengthSaid({ positions, rate }: Stream): number {
  return positions === null || rate === 0 ? 0 : (positions.last - Math.max(0, positions.first)) / rate;
}

/** A page whose rest is missing. The end-of-stream flag isn't required: recorders that write into a pipe can't know the last page. */
function endsInPage(source: Bytes, at: number): boolean {
  if (at + pageBytesMax <= source.size) return false;
  const bytes = source.read(at, pageBytesMax);
  if (nameAt(bytes, 0) !== "OggS") return false;
  const segments = bytes[26] ?? 0;
  const length = bytes.subarray(27, 27 + segments).reduce((sum, size) => sum + size, 27 + segments);
  return at + Math.max(length, 28) > source.size;
}

function openStream(): Stream {
  const empty = Buffer.alloc(0);
  const none = { samplesOf: null, kind: "other", identification: empty, positions: null } as const;
  return { ...none, tally: openTally(), rate: 0, packets: 0, pending: [], pendingBytes: 0 };
}

/** A complete page with a valid checksum, or null. A view into the file's window. */
function readPage(source: Bytes, at: number, search: (bytes: number) => void): Buffer | null {
  const bytes = source.read(at, pageBytesMax);
  if (bytes.length < 28 || nameAt(bytes, 0) !== "OggS" || bytes[4] !== 0) return null;
  const segments = bytes[26]!;
  if (bytes.length < 27 + segments) return null;
  let length = 27 + segments;
  for (let index = 27; index < 27 + segments; index++) length += bytes[index]!;
  if (bytes.length < length) return null;
  const page = bytes.subarray(0, length);
  if (checksum(page) === page.readUInt32LE(22)) return page;
  search(length);
  return null;
}

function checksum(page: Buffer): number {
  let crc = 0;
  for (let index = 0; index < page.length; index++) {
    const byte = index >= 22 && index < 26 ? 0 : page[index]!;
    crc = (crc << 8) ^ crc32[(crc >>> 24) ^ byte]!;
  }
  return crc >>> 0;
}

function nextPage(source: Bytes, from: number): number {
  const end = Math.min(source.size, from + foreignMax(source.size) + 1);
  for (let at = from; at < end;) {
    const piece = source.read(at, pageBytesMax);
    const found = piece.indexOf("OggS");
    if (found >= 0) return at + found;
    at += Math.max(1, piece.length - 3);
  }
  return end;
}

function takePage(stream: Stream, page: Buffer): void {
  const segments = page[26]!;
  let at = 27 + segments;
  // A continuation without a start, or a start without its continuation: a page is lost, and the begun packet with it.
  const goesOn = (page[5]! & 1) !== 0;
  let lost = goesOn && stream.pendingBytes === 0;
  if (!goesOn) forget(stream);
  for (let index = 0; index < segments; index++) {
    const size = page[27 + index]!;
    const isSetup = stream.packets === 2 && stream.kind === "vorbis";
    const kept = isSetup || stream.packets === 0 ? setupBytesMax : packetHeadBytes;
    if (stream.pendingBytes < kept) stream.pending.push(Buffer.from(page.subarray(at, at + size)));
    stream.pendingBytes += size;
    at += size;
    if (size === 255) continue;
    if (!lost) takePacket(stream, Buffer.concat(stream.pending));
    lost = false;
    forget(stream);
  }
  takePosition(stream, Number(page.readBigInt64LE(6)));
}

/** -1: no packet ends on the page. A recording of a radio station begins at any position. */
function takePosition(stream: Stream, position: number): void {
  if (position === -1 || stream.rate === 0) return;
  stream.positions ??= { first: position - stream.tally.seconds() * stream.rate, last: position };
  stream.positions.last = position;
}

function forget(stream: Stream): void {
  stream.pending = [];
  stream.pendingBytes = 0;
}

function takePacket(stream: Stream, packet: Buffer): void {
  stream.packets += 1;
  if (stream.packets === 1) begin(stream, packet);
  else if (stream.kind === "vorbis" && stream.packets === 3) stream.samplesOf = vorbisSamples(stream.identification, packet);
  else if (stream.kind === "opus" && stream.packets === 2)
    return; // comments
  else {
    const found = stream.samplesOf?.(packet);
    if (found) {
      stream.tally.add(found.samples, found.rate);
      stream.rate = found.rate;
    }
  }
}

function begin(stream: Stream, packet: Buffer): void {
  const head = packet.toString("latin1", 0, 8);
  if (head === "OpusHead") {
    stream.kind = "opus";
    stream.samplesOf = opusSamples;
  } else if (head.startsWith("\x01vorbis")) {
    stream.kind = "vorbis";
    stream.identification = packet;
  } else if (head.startsWith("\x7fFLAC") && packet.length >= 30) {
    stream.kind = "flac";
    const rate = packet.readUIntBE(27, 3) >> 4;
    stream.samplesOf = flacPacketSamples(rate);
  } else if (!silentKinds.test(head)) throw broken("Its codec is not taken: Opus, Vorbis and FLAC are.");
}

/** Images, subtitles and indexes. */
const silentKinds = /^(\x80theora|\x80kate|OVP80|BBCD|fishead|CMML)/;

/** Each packet is a frame, except the headers, which come first. */
export function flacPacketSamples(streamRate: number): SamplesOf {
  return (packet) => {
    const frame = flacFrameAt(packet, 0);
    return frame === null ? null : { samples: frame.samples, rate: frame.rate || streamRate };
  };
}
