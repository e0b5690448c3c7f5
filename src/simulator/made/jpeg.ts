// An image as a baseline JPEG file: blocks of one colour each, so that only their means are coded (ITU-T T.81).
import { pick, seededRandom, wholeBetween } from "../seed.ts";

/** Blocks along a tile's side. */
const tileSides = [4, 8, 16] as const;
/** The standard code of the differences' lengths, as [bits, length]. */
const lengthCodes = [
  [0b00, 2],
  [0b010, 3],
  [0b011, 3],
  [0b100, 3],
  [0b101, 3],
  [0b110, 3],
  [0b1110, 4],
  [0b11110, 5],
  [0b111110, 6],
  [0b1111110, 7],
] as const;
const channels = 3;

/** Tiles in colours that follow from the seed; wholly black where it is null. */
export function makeJpeg(width: number, height: number, seed: string | null): Buffer {
  const frame = Buffer.from([8, height >> 8, height & 255, width >> 8, width & 255, channels, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]);
  // A step of 8 makes a block's coded mean its colour less 128.
  const steps = Buffer.alloc(65, 8).fill(0, 0, 1);
  const differences = Buffer.from([0, 0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, ...Array.from({ length: 12 }, (_, value) => value)]);
  // One code only: the block ends here.
  const details = Buffer.from([0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  const scan = Buffer.from([channels, 1, 0, 2, 0, 3, 0, 0, 63, 0]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, Buffer.from("JFIF\0\x01\x01\0\0\x01\0\x01\0\0", "latin1")),
    segment(0xdb, steps),
    segment(0xc0, frame),
    segment(0xc4, differences),
    segment(0xc4, details),
    segment(0xda, scan),
    drawTiles(Math.ceil(width / 8), Math.ceil(height / 8), seed),
    Buffer.from([0xff, 0xd9]),
  ]);
}

function drawTiles(across: number, down: number, seed: string | null): Buffer {
  const random = seededRandom(seed ?? "");
  const side = pick(random, tileSides);
  const level = () => wholeBetween(random, -100, 100);
  const colours = Array.from({ length: 4 }, () => (seed === null ? [-128, 0, 0] : [level(), level(), level()]));
  const tiles = Math.ceil(across / side);
  const writer = openWriter(across * down * channels * 4 + 2);
  const before = [0, 0, 0];
  let row: number[][] = [];
  for (let y = 0; y < down; y += 1) {
    if (y % side === 0) row = Array.from({ length: tiles }, () => pick(random, colours));
    for (let x = 0; x < across; x += 1) {
      const colour = row[Math.floor(x / side)]!;
      for (let channel = 0; channel < channels; channel += 1) {
        writeBlock(writer, colour[channel]! - before[channel]!);
        before[channel] = colour[channel]!;
      }
    }
  }
  return writer.finish();
}

function writeBlock(writer: Writer, difference: number): void {
  const length = 32 - Math.clz32(Math.abs(difference));
  const [code, codeLength] = lengthCodes[length]!;
  writer.put(code, codeLength);
  if (length > 0) writer.put(difference > 0 ? difference : difference + (1 << length) - 1, length);
  writer.put(0, 1);
}

interface Writer {
  put(bits: number, length: number): void;
  /** What was written, filled up with ones. */
  finish(): Buffer;
}

function openWriter(bytesMax: number): Writer {
  const bytes = Buffer.allocUnsafe(bytesMax);
  let at = 0;
  let held = 0;
  let count = 0;
  function put(bits: number, length: number): void {
    held = (held << length) | bits;
    count += length;
    while (count >= 8) {
      count -= 8;
      const byte = (held >> count) & 255;
      bytes[at++] = byte;
      // So that data never looks like a marker.
      if (byte === 255) bytes[at++] = 0;
    }
    held &= (1 << count) - 1;
  }
  return {
    put,
    finish() {
      if (count > 0) put((1 << (8 - count)) - 1, 8 - count);
      return bytes.subarray(0, at);
    },
  };
}

function segment(marker: number, content: Buffer): Buffer {
  const length = content.length + 2;
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 255]), content]);
}
