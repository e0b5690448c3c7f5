// Measures WAV: chunks, one of which holds samples of fixed size. Where its length is unknown (a stream), it goes to the end of the file.
import { type Bytes, nameAt } from "./bytes.ts";
import { broken, nothingPromised, openTally, type Walked } from "./tally.ts";

interface Format {
  rate: number;
  /** Bytes of one sample of all channels. */
  frameBytes: number;
}

const pcm = 1;
const float = 3;
const alaw = 6;
const mulaw = 7;
const extensible = 0xfffe;

/** Chunks of descriptions, images and padding; any other chunk doesn't belong to this format. */
const described =
  /^(fmt |fact|ds64|LIST|id3 |ID3 |bext|iXML|_PMX|cue |smpl|inst|cart|PEAK|JUNK|junk|PAD |FLLR|axml|chna|acid|strc|minf|elm1|regn|umid|DGDA|SAUR|afsp|plst|labl|note)$/;
/** Some programs count the header, too. */
const sloppyBytes = 1_024;
/** All of them together; a cover image and a history of edits take less. */
const chunksMax = 10_000;
const describedBytesMax = 8 * 1024 * 1024;

export function walkWav(source: Bytes): Walked {
  const tally = openTally();
  let format: Format | null = null;
  let long: number | null = null;
  let seconds = 0;
  let promised = 0;
  let isCut = false;
  let explained = 12;
  let descriptions = 0;
  let at = 12;
  for (let chunks = 0; chunks < chunksMax && at + 8 <= source.size; chunks++) {
    const head = Buffer.from(source.read(at, 8));
    const name = nameAt(head, 0);
    const rest = source.size - at - 8;
    let size = head.readUInt32LE(4);
    if (name === "data") {
      if (format === null) throw broken("It has samples before it says of what kind.");
      if (size === 0xffffffff && long !== null) size = long;
      if (isUnknown(size)) size = rest;
      promised += size / format.frameBytes / format.rate;
      isCut ||= size > rest + sloppyBytes;
      size = Math.min(size, rest);
      tally.add(Math.floor(size / format.frameBytes), format.rate);
      seconds = tally.seconds();
      explained += 8 + size;
    } else {
      if (size > rest) break;
      if (name === "fmt ") format = readFormat(Buffer.from(source.read(at + 8, Math.min(size, 40))));
      if (name === "ds64" && size >= 16) long = Number(source.read(at + 8, 16).readBigUInt64LE(8));
      if (described.test(name)) descriptions += 8 + size;
    }
    at += 8 + size + (size & 1);
  }
  const promise = { ...nothingPromised, seconds: promised, isCut };
  return { seconds, explained: explained + Math.min(descriptions, describedBytesMax) + 2, promise };
}

/** Placeholders of programs that can't know the length yet: 0, all bits (FFmpeg), or about the largest signed number (SoX, arecord). */
function isUnknown(size: number): boolean {
  return size === 0 || (size >= 0x7fff0000 && size <= 0x80001000) || (size >= 0xffff0000 && size <= 0xffffffff);
}

function readFormat(chunk: Buffer): Format {
  if (chunk.length < 16) throw broken("It does not say what its samples are.");
  const tag = chunk.readUInt16LE(0);
  const kind = tag === extensible && chunk.length >= 26 ? chunk.readUInt16LE(24) : tag;
  const channels = chunk.readUInt16LE(2);
  const rate = chunk.readUInt32LE(4);
  const blockBytes = chunk.readUInt16LE(12);
  const sampleBytes = Math.ceil(chunk.readUInt16LE(14) / 8);
  if (!isTaken(kind, sampleBytes)) throw broken("Its samples are of a kind that is not taken: PCM, floating point, A-law and mu-law are.");
  if (channels === 0 || channels > 64 || blockBytes !== channels * sampleBytes) throw broken("Its header contradicts itself.");
  return { rate, frameBytes: blockBytes };
}

function isTaken(kind: number, sampleBytes: number): boolean {
  if (kind === pcm) return sampleBytes >= 1 && sampleBytes <= 4;
  if (kind === float) return sampleBytes === 4 || sampleBytes === 8;
  return (kind === alaw || kind === mulaw) && sampleBytes === 1;
}
