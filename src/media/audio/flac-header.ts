// Reads the header of one FLAC frame (RFC 9639, 9.1): its number of samples, guarded by a checksum.

export interface FlacFrame {
  samples: number;
  /** 0: as in the stream's header. */
  rate: number;
  headerBytes: number;
}

const crc8 = Uint8Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? (crc << 1) ^ 0x07 : crc << 1;
  return crc & 255;
});

const rates = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];

/** Length of the longest header. */
export const flacHeaderBytes = 16;

/** Null: no valid header. */
export function flacFrameAt(bytes: Buffer, at: number): FlacFrame | null {
  if (at + 6 > bytes.length || bytes[at] !== 0xff || (bytes[at + 1]! & 0xfe) !== 0xf8) return null;
  const sizeCode = bytes[at + 2]! >> 4;
  const rateCode = bytes[at + 2]! & 15;
  if (sizeCode === 0 || rateCode === 15 || bytes[at + 3]! >> 4 > 10 || (bytes[at + 3]! & 1) !== 0) return null;
  let next = at + 4 + codedNumberBytes(bytes[at + 4]!);
  const sizeBytes = sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0;
  const rateBytes = rateCode === 12 ? 1 : rateCode > 12 ? 2 : 0;
  if (next + sizeBytes + rateBytes >= bytes.length) return null;
  let samples = sizeCode === 1 ? 192 : sizeCode < 6 ? 576 << (sizeCode - 2) : 256 << (sizeCode - 8);
  if (sizeBytes > 0) samples = bytes.readUIntBE(next, sizeBytes) + 1;
  next += sizeBytes;
  let rate = rates[rateCode] ?? 0;
  if (rateBytes > 0) rate = bytes.readUIntBE(next, rateBytes) * (rateCode === 12 ? 1_000 : rateCode === 14 ? 10 : 1);
  next += rateBytes;
  let crc = 0;
  for (let index = at; index < next; index++) crc = crc8[crc ^ bytes[index]!]!;
  return crc === bytes[next] ? { samples, rate, headerBytes: next + 1 - at } : null;
}

/** The frame's number, coded like UTF-8. */
function codedNumberBytes(first: number): number {
  if (first < 0x80) return 1;
  return Math.min(7, Math.max(1, Math.clz32(~(first << 24))));
}
