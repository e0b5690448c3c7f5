// An image in the requested format: JPEG, SVG, and PNG for every other.
import { crc32, deflateSync } from "node:zlib";
import { pick, type Random, seededRandom, wholeBetween } from "../seed.ts";
import { makeJpeg } from "./jpeg.ts";

export type ImageFormat = "png" | "jpeg";

export interface MadeFile {
  bytes: Buffer;
  contentType: string;
  extension: string;
}

/** WebP, which the simulator doesn't write, is answered as PNG. */
export function readFormat(sent: unknown): ImageFormat {
  return sent === "jpeg" || sent === "jpg" ? "jpeg" : "png";
}

/** Wholly black without a seed. */
export function makeImage(format: ImageFormat, width: number, height: number, seed: string | null): MadeFile {
  const make = format === "jpeg" ? makeJpeg : makePng;
  return { bytes: make(width, height, seed), contentType: `image/${format}`, extension: format === "jpeg" ? "jpg" : "png" };
}

// An image as a PNG file: a palette of four colours, two bits a pixel, so that sixteen megapixels cost milliseconds.

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

// An image as an SVG file: plain shapes in colours of the seed, and the prompt's words as escaped text.

const shapes = 6;
const wordsShown = 80;

export function makeSvg(width: number, height: number, prompt: string, seed: string): Buffer {
  const random = seededRandom(seed);
  const colour = () => `hsl(${wholeBetween(random, 0, 359)} 60% ${wholeBetween(random, 35, 80)}%)`;
  const circles = Array.from({ length: shapes }, () => {
    const [x, y] = [wholeBetween(random, 0, width), wholeBetween(random, 0, height)];
    return `<circle cx="${x}" cy="${y}" r="${wholeBetween(random, 1, Math.ceil(Math.min(width, height) / 4))}" fill="${colour()}"/>`;
  });
  const ground = `<rect width="${width}" height="${height}" fill="${colour()}"/>`;
  const words = [...prompt].slice(0, wordsShown).join("");
  const text = `<text x="5%" y="95%" font-family="sans-serif" font-size="${Math.ceil(height / 24)}">${escapeText(words)}</text>`;
  const opening = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`;
  return Buffer.from(`${opening}${ground}${circles.join("")}${text}</svg>\n`);
}

/** Characters that XML forbids even when escaped are left out. */
function escapeText(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "").replace(/[&<>]/g, (sign) => entities[sign]!);
}
