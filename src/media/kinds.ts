// Recognises the kinds of files that are stored by their bytes alone: what a server or a file name claims is not trusted.
import { open } from "node:fs/promises";
import { fileTypeFromBuffer } from "file-type";
import { audioFormats } from "../sound/formats.ts";
import { isSvg } from "./svg.ts";

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

/** Generated audio is typed by its ordered format, because raw samples have no signature. */
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
