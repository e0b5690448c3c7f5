// A picture as a PNG file: a palette of four colours, two bits a pixel, so that sixteen megapixels cost milliseconds.
import { crc32, deflateSync } from "node:zlib";
import { pick, seededRandom, wholeBetween, type Random } from "../seed.ts";

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Sides of the tiles, in pixels; whole bytes of a row. */
const tileSides = [32, 64, 96, 128] as const;

/** Tiles in colours that follow from the seed; wholly black where it is null. */
export function makePng(width: number, height: number, seed: string | null): Buffer {
  const random = seededRandom(seed ?? "");
  const palette = Buffer.from(Array.from({ length: 12 }, () => (seed === null ? 0 : wholeBetween(random, 0, 255))));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Two bits a pixel, colours by palette; the usual compression and filters, not interlaced.
  header.set([2, 3, 0, 0, 0], 8);
  const pixels = deflateSync(drawTiles(width, height, random), { level: 1 });
  return Buffer.concat([signature, chunk("IHDR", header), chunk("PLTE", palette), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

/** The rows, each after a zero: unfiltered. */
function drawTiles(width: number, height: number, random: Random): Buffer {
  const side = pick(random, tileSides);
  const rowBytes = 1 + Math.ceil(width / 4);
  const rows = Buffer.alloc(rowBytes * height);
  for (let top = 0; top < height; top += side) {
    const first = rows.subarray(top * rowBytes, (top + 1) * rowBytes);
    for (let at = 1; at < rowBytes; at += side / 4)
      first.fill(wholeBetween(random, 0, 3) * 0b01010101, at, Math.min(at + side / 4, rowBytes));
    for (let row = top + 1; row < Math.min(top + side, height); row += 1) first.copy(rows, row * rowBytes);
  }
  return rows;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}
