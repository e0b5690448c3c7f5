// Recognises the kinds of files that are stored by their bytes alone: what a server or a file name claims is not trusted.
import { open } from "node:fs/promises";
import { fileTypeFromBuffer } from "file-type";
import { audioFormats } from "../sound/formats.ts";

export interface Kind {
  contentType: string;
  extension: string;
  medium: "image" | "video";
}

const kinds: readonly Kind[] = [
  { contentType: "image/png", extension: "png", medium: "image" },
  { contentType: "image/jpeg", extension: "jpg", medium: "image" },
  { contentType: "image/webp", extension: "webp", medium: "image" },
  { contentType: "image/gif", extension: "gif", medium: "image" },
  { contentType: "image/avif", extension: "avif", medium: "image" },
  { contentType: "image/svg+xml", extension: "svg", medium: "image" },
  { contentType: "video/mp4", extension: "mp4", medium: "video" },
  { contentType: "video/webm", extension: "webm", medium: "video" },
  { contentType: "video/quicktime", extension: "mov", medium: "video" },
];

/** Generated audio is typed by its requested format, because raw samples have no signature. */
const audioTypes = new Map<string, string>(Object.values(audioFormats).map(({ extension, contentType }) => [extension, contentType]));

/** Finer kinds that are shown as the coarser one everywhere. */
const sameAs: Record<string, string> = { "image/apng": "image/png", "video/x-m4v": "video/mp4" };

/** Bytes that are searched for a signature: none of ours is deeper, and an SVG may open with a long comment. */
const headBytes = 65_536;

/** Null: a kind that is not stored. */
export async function kindOf(path: string): Promise<Kind | null> {
  const head = await readHead(path, headBytes);
  if (isSvg(head)) return byContentType("image/svg+xml");
  if (isPacked(head)) return null;
  const found = await fileTypeFromBuffer(head);
  return found === undefined ? null : byContentType(sameAs[found.mime] ?? found.mime);
}

const named = /^[a-z0-9][a-z0-9_-]{15,127}\.([a-z0-9]{2,5})$/;

/** Null: not a name of our files. A name that passes can't leave a folder. */
export function contentTypeOf(name: string): string | null {
  const extension = named.exec(name)?.[1];
  if (extension === undefined) return null;
  return audioTypes.get(extension) ?? kinds.find((kind) => kind.extension === extension)?.contentType ?? null;
}

export async function readHead(path: string, bytesMax: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytesMax), 0, bytesMax, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function byContentType(contentType: string): Kind | null {
  return kinds.find((kind) => kind.contentType === contentType) ?? null;
}

/** Gzip and zip, which the sniffing library would unpack to see what is inside. */
function isPacked(head: Buffer): boolean {
  return (head[0] === 0x1f && head[1] === 0x8b) || (head[0] === 0x50 && head[1] === 0x4b);
}

// Recognises SVG by its text and reads its size in pixels. Only the first tag is read; nothing is expanded or resolved.

/** What may stand before the first tag: an XML declaration, comments, a document type with or without its own subset. */
const beforeRoot = /^(?:\s+|<\?[^>]*\?>|<!--[^]*?-->|<!DOCTYPE[^>[]*(?:\[[^\]]*\]\s*)?>)/i;
const root = /^<(?:[\w.-]+:)?svg(?=[\s/>])((?:[^>"']|"[^"]*"|'[^']*')*)>/;

const closingTag = /<\/(?:[\w.-]+:)?svg\s*>/;

/** CSS pixels of one unit. */
const pixelsOf: Record<string, number> = {
  "": 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
  em: 16,
  ex: 8,
};

export function isSvg(head: Buffer): boolean {
  return rootAttributes(head) !== null;
}

/** By its first bytes and its last: its root is closed, or has nothing in it. */
export function isSvgWhole(head: Buffer, tail: Buffer): boolean {
  return closingTag.test(tail.toString("latin1")) || rootAttributes(head)?.endsWith("/") === true;
}

/**
 * As a browser draws it on its own: width and height where they are lengths, else from the view box; a side that is missing
 * follows from the other and the box. Null where there is neither.
 */
export function svgSize(head: Buffer): { width: number; height: number } | null {
  const attributes = rootAttributes(head);
  if (attributes === null) return null;
  const width = lengthOf(attributeOf(attributes, "width"));
  const height = lengthOf(attributeOf(attributes, "height"));
  if (width !== null && height !== null) return { width, height };
  const box = boxOf(attributeOf(attributes, "viewBox"));
  if (box === null) return null;
  if (width !== null) return { width, height: (width * box.height) / box.width };
  if (height !== null) return { width: (height * box.width) / box.height, height };
  return box;
}

function rootAttributes(head: Buffer): string | null {
  let text = head.toString("utf8").replace(/^\uFEFF/, "");
  if (!/^\s*</.test(text)) return null;
  for (let before = beforeRoot.exec(text); before !== null; before = beforeRoot.exec(text)) text = text.slice(before[0].length);
  return root.exec(text)?.[1] ?? null;
}

function attributeOf(attributes: string, name: string): string | null {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  return found === null ? null : (found[1] ?? found[2] ?? null);
}

/** Longer values are not a size, and matching them takes quadratic time. */
const lengthCharacters = 64;

/** Null: absent, a percentage, or not a length. */
function lengthOf(text: string | null): number | null {
  if (text === null || text.length > lengthCharacters) return null;
  const [, number, unit = ""] = /^\s*\+?(\d*\.?\d+(?:e[+-]?\d+)?)\s*([a-z]*)\s*$/i.exec(text) ?? [];
  const pixels = Number(number) * (pixelsOf[unit.toLowerCase()] ?? Number.NaN);
  return pixels > 0 && Number.isFinite(pixels) ? pixels : null;
}

function boxOf(text: string | null): { width: number; height: number } | null {
  const [, , width, height, ...more] = (text ?? "")
    .trim()
    .split(/\s*,\s*|\s+/)
    .map(Number);
  if (width === undefined || height === undefined || more.length > 0) return null;
  return width > 0 && height > 0 && Number.isFinite(width) && Number.isFinite(height) ? { width, height } : null;
}
