// Reads how many samples a packet holds from its first bytes: Opus, Vorbis, ALAC. Reads what that needs of the stream's headers (Vorbis'
// modes, ALAC's default length).
import { broken } from "./tally.ts";

/** Null: it holds no audio. */
export type SamplesOf = (packet: Buffer) => { samples: number; rate: number } | null;

/** The number of a packet's bytes that `SamplesOf` reads. */
export const packetHeadBytes = 32;

const opusRate = 48_000;
/** 120 ms: no packet is longer. */
const opusSamplesMax = 5_760;

/** RFC 6716, 3.1 and 3.2. */
export const opusSamples: SamplesOf = (packet) => {
  const first = packet[0];
  if (first === undefined) return null;
  const config = first >> 3;
  const size =
    config < 12 ? [480, 960, 1_920, 2_880][config & 3]! : config < 16 ? [480, 960][config & 1]! : [120, 240, 480, 960][config & 3]!;
  const code = first & 3;
  const frames = code === 0 ? 1 : code < 3 ? 2 : (packet[1] ?? 0) & 63;
  const samples = size * frames;
  return samples === 0 || samples > opusSamplesMax ? null : { samples, rate: opusRate };
};

/** From the identification and the setup header. Two blocks overlap by half, so the first packet yields nothing yet. */
export function vorbisSamples(identification: Buffer, setup: Buffer): SamplesOf {
  if (identification.length < 30 || identification.toString("latin1", 0, 7) !== "\x01vorbis") throw broken("Its Vorbis header is cut.");
  if (setup.toString("latin1", 0, 7) !== "\x05vorbis") throw broken("Its Vorbis header is cut.");
  const rate = identification.readUInt32LE(12);
  const sizes = [1 << (identification[28]! & 15), 1 << (identification[28]! >> 4)];
  const modes = vorbisModes(setup);
  const modeBits = 32 - Math.clz32(modes.length - 1);
  let last = 0;
  return (packet) => {
    const first = packet[0];
    if (first === undefined || (first & 1) !== 0) return null; // a header
    const mode = modes[(first >> 1) & ((1 << modeBits) - 1)];
    if (mode === undefined) return null;
    const size = sizes[mode]!;
    const samples = last === 0 ? 0 : (last + size) / 4;
    last = size;
    return { samples, rate };
  };
}

/**
 * The block size of each mode. The modes are the setup header's last entries, 41 bits each after a count of 6. To find their start from
 * the front one would have to parse all codebooks, so they are read from the end, as FFmpeg does.
 */
function vorbisModes(setup: Buffer): number[] {
  const bits = (at: number, count: number) => {
    let value = 0;
    for (let bit = count - 1; bit >= 0; bit--) value = value * 2 + ((setup[(at + bit) >> 3]! >> ((at + bit) & 7)) & 1);
    return value;
  };
  let end = setup.length * 8 - 1;
  while (end > 0 && bits(end, 1) === 0) end--; // the framing bit
  let flags: number[] = [];
  let modes: number[] = [];
  for (let start = end - 41; start >= 6 && flags.length < 64; start -= 41) {
    if (bits(start + 1, 16) !== 0 || bits(start + 17, 16) !== 0 || bits(start + 33, 8) > 63) break;
    flags = [bits(start, 1), ...flags];
    if (bits(start - 6, 6) + 1 === flags.length) modes = flags;
  }
  if (modes.length === 0) throw broken("Its Vorbis header is damaged.");
  return modes;
}

/** From the decoder's configuration; most packets leave out the default length. */
export function alacSamples(cookie: Buffer): SamplesOf {
  if (cookie.length < 24) throw broken("Its ALAC header is cut.");
  const usual = cookie.readUInt32BE(0);
  const rate = cookie.readUInt32BE(20);
  if (usual === 0 || usual > 65_536) throw broken("Its ALAC header is damaged.");
  return (packet) => {
    if (packet.length < 3) return null;
    // 3 bits of kind, 4 of number, 12 unused, then whether the length follows, 3 bits later.
    const says = (packet[2]! & 0x10) !== 0;
    if (!says) return { samples: usual, rate };
    if (packet.length < 7) return null;
    const samples = (packet[2]! & 1) * 2 ** 31 + (packet.readUInt32BE(3) >>> 1);
    return samples > usual ? null : { samples, rate };
  };
}
