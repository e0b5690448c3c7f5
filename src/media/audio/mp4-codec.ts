// Reads which codec an MP4 track has and how many samples a packet holds: for AAC from its configuration, else from each packet.
import { type SamplesOf, alacSamples, opusSamples } from "./packets.ts";
import { boxIn, boxesIn } from "./mp4-boxes.ts";
import { flacPacketSamples } from "./ogg.ts";
import { mpegFrameAt } from "./mpeg-frames.ts";
import { broken } from "./tally.ts";

interface Codec {
  samplesOf: SamplesOf;
  isUniform: boolean;
}

/** Length of an entry's own fields (version 0), before its boxes. */
const entryBytes = 28;

/** `entries` is the content of `stsd`. Throws MediaFault for a codec that is not taken. */
export function samplesOfEntry(entries: Buffer): Codec {
  const all = boxesIn(entries.subarray(8));
  const [entry] = all;
  if (entry === undefined || all.length > 1 || entry.content.length < entryBytes) throw broken("Its index is damaged.");
  // QuickTime's later versions have more fields.
  const more = [0, 16, 36][entry.content.readUInt16BE(8)] ?? 0;
  const inner = entry.content.subarray(entryBytes + more);
  if (entry.name === "mp4a") return fromDescriptors(boxIn(inner, "esds") ?? boxIn(inner, "wave/esds") ?? Buffer.alloc(0));
  if (entry.name === "Opus") return { samplesOf: opusSamples, isUniform: false };
  if (entry.name === "alac") return { samplesOf: alacSamples((boxIn(inner, "alac") ?? Buffer.alloc(0)).subarray(4)), isUniform: false };
  if (entry.name === "fLaC") {
    const info = boxIn(inner, "dfLa");
    if (info === null || info.length < 21) throw broken("Its FLAC header is cut.");
    return { samplesOf: flacPacketSamples(info.readUIntBE(18, 3) >> 4), isUniform: false };
  }
  if (entry.name === ".mp3") return { samplesOf: mpegSamples, isUniform: false };
  throw broken("Its codec is not taken: AAC, ALAC, MP3, Opus and FLAC are.");
}

const mpegSamples: SamplesOf = (packet) => mpegFrameAt(packet, 0);

const decoderConfig = 4;
const decoderSpecific = 5;

/** ISO 14496-1, 7.2.6: nested descriptors. */
function fromDescriptors(content: Buffer): Codec {
  let at = 4;
  let kind = 0;
  while (at + 2 <= content.length) {
    const tag = content[at++]!;
    let length = 0;
    for (let byte = 0x80; (byte & 0x80) !== 0 && at < content.length;) {
      byte = content[at++]!;
      length = length * 128 + (byte & 127);
    }
    if (tag === 3) at += 3 + descriptorExtra(content[at + 2] ?? 0, content[at + 3] ?? 0);
    else if (tag === decoderConfig) {
      kind = content[at] ?? 0;
      at += 13;
      if (kind === 0x69 || kind === 0x6b) return { samplesOf: mpegSamples, isUniform: false };
    } else if (tag === decoderSpecific) {
      if (kind !== 0x40 && (kind < 0x66 || kind > 0x68)) break;
      return aacSamples(content.subarray(at, at + length));
    } else at += length;
  }
  throw broken("Its codec is not taken: AAC, ALAC, MP3, Opus and FLAC are.");
}

function descriptorExtra(flags: number, urlBytes: number): number {
  return ((flags & 0x80) !== 0 ? 2 : 0) + ((flags & 0x40) !== 0 ? 1 + urlBytes : 0) + ((flags & 0x20) !== 0 ? 2 : 0);
}

const rates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];

/** ISO 14496-3, 1.6.2.1. With SBR the core has half the output's rate and half the samples a packet: the same duration. */
function aacSamples(config: Buffer): Codec {
  let at = 0;
  const bits = (count: number) => {
    let value = 0;
    for (; count > 0; count--, at++) value = value * 2 + (((config[at >> 3] ?? 0) >> (7 - (at & 7))) & 1);
    return value;
  };
  const kindOf = () => {
    const kind = bits(5);
    return kind === 31 ? 32 + bits(6) : kind;
  };
  const rateOf = () => {
    const index = bits(4);
    return index === 15 ? bits(24) : (rates[index] ?? 0);
  };
  let kind = kindOf();
  const rate = rateOf();
  bits(4);
  if (kind === 5 || kind === 29) {
    rateOf();
    kind = kindOf();
  }
  if (![1, 2, 3, 4, 17, 23, 39].includes(kind)) throw broken("Its kind of AAC is not taken.");
  const short = bits(1) === 1;
  const isLow = kind === 23 || kind === 39;
  const found = { samples: isLow ? (short ? 480 : 512) : short ? 960 : 1024, rate };
  return { samplesOf: () => found, isUniform: true };
}
