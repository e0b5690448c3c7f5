// Stores a file that a provider made: downloads it, recognises it by its bytes, measures it, puts it into the store. Leaves no temporary
// files.
import { type FileHandle, open, rm, stat, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { imageSize } from "image-size";
import { providerPolicy, type ResolveName } from "./fetch-policy.ts";
import { type FetchLimits, fetchToFile } from "./fetch-to-file.ts";
import { contentTypeOf, isSvgWhole, type Kind, kindOf, readHead, svgSize } from "./kinds.ts";
import { measureVideo } from "./measure-video.ts";
import type { WithTempFile } from "./temp-files.ts";
import { type KeepOrder, type KeptFile, MediaFault, type Store } from "./types.ts";

export interface KeepParts {
  store: Store;
  withTempFile: WithTempFile;
  resolve: ResolveName;
  /** See FetchOrder. */
  ca?: string;
  limits: Record<KeepOrder["kind"], FetchLimits>;
  /** Pauses before the next attempts at an unreachable file: one more attempt for each. */
  pausesMs: readonly number[];
}

const megabyte = 1024 * 1024;
const timeouts = { connectMs: 10_000, headMs: 30_000, idleMs: 30_000 };

export const keepLimits: KeepParts["limits"] = {
  image: { ...timeouts, bytesMax: 64 * megabyte, wholeMs: 120_000 },
  video: { ...timeouts, bytesMax: 512 * megabyte, wholeMs: 600_000 },
};

export function keepFile(parts: KeepParts, order: KeepOrder): Promise<KeptFile> {
  const { file, kind, signal } = order;
  return parts.withTempFile(async (path) => {
    const { source } = file;
    const found = "bytes" in source ? await writeBytes(parts, kind, source.bytes, path) : await loadFile(parts, order, source.url, path);
    signal.throwIfAborted();
    return await putFile(parts.store, order, path, found);
  });
}

async function putFile(store: Store, order: KeepOrder, path: string, kind: Kind): Promise<KeptFile> {
  const { size } = await stat(path);
  const measures = await measure(path, kind);
  const name = `${order.name}.${kind.extension}`;
  if (contentTypeOf(name) === null) throw new Error("a file's name breaks the rule of KeepOrder");
  await store.put(name, path, kind.contentType);
  return { name, contentType: kind.contentType, bytes: size, ...measures };
}

async function writeBytes({ limits }: KeepParts, kind: KeepOrder["kind"], bytes: Buffer, path: string): Promise<Kind> {
  const { bytesMax } = limits[kind];
  if (bytes.length > bytesMax) throw new MediaFault("too_large", `What was made has more than ${bytesMax / megabyte} MB.`);
  await writeFile(path, bytes, { flag: "wx", mode: 0o600 });
  return await tell(path, kind);
}

async function loadFile(parts: KeepParts, { provider, kind, signal }: KeepOrder, url: string, path: string): Promise<Kind> {
  const { limits, ca, resolve } = parts;
  const order = {
    url,
    path,
    policy: await providerPolicy(provider, resolve),
    limits: limits[kind],
    signal,
    ...(ca !== undefined && { ca }),
  };
  for (let tried = 0; ; tried++) {
    try {
      await fetchToFile(order);
      return await tell(path, kind);
    } catch (error) {
      const pauseMs = parts.pausesMs[tried];
      if (!(error instanceof MediaFault) || error.reason !== "unreachable" || pauseMs === undefined) throw error;
      await rm(path, { force: true }); // a partial download
      await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** Throws MediaFault: `invalid` if it is not what was requested, `unreachable` if its end is missing, which a new attempt may fix. */
async function tell(path: string, medium: KeepOrder["kind"]): Promise<Kind> {
  const kind = await kindOf(path);
  if (kind?.medium !== medium) throw new MediaFault("invalid", `What was made is no ${medium} of a known kind.`);
  if (!(await isWhole(path, kind))) throw new MediaFault("unreachable", "What was made has no end: it was cut off.");
  return kind;
}

// Reads width, height, duration and frame rate from a file's headers. Nothing is decoded, so a small file that would unpack to a huge
// image costs no more than any other. A file that can't be measured is not an error.

type Measures = Pick<KeptFile, "width" | "height" | "seconds" | "fps">;

const unknown: Measures = { width: null, height: null, seconds: null, fps: null };

/** A photograph's colour profile and thumbnail may come before its size. */
const photographHeadBytes = 512 * 1024;
const imageHeadBytes = 64 * 1024;

async function measure(path: string, kind: Kind): Promise<Measures> {
  try {
    if (kind.medium === "image") {
      const headBytes = kind.extension === "jpg" ? photographHeadBytes : imageHeadBytes;
      return measureImage(await readHead(path, headBytes), kind);
    }
    const found = await measureVideo(path);
    if (found === null) return unknown;
    const { width, height, seconds, fps } = found;
    return { width: sideOf(width), height: sideOf(height), seconds: thousandths(seconds), fps: thousandths(fps) };
  } catch {
    return unknown;
  }
}

function measureImage(head: Buffer, kind: Kind): Measures {
  if (kind.extension === "svg") {
    const size = svgSize(head);
    return size === null ? unknown : { ...unknown, width: sideOf(size.width), height: sideOf(size.height) };
  }
  const { width, height, orientation = 1 } = imageSize(head);
  // 5 to 8: the camera was held upright, so width and height are swapped when shown.
  const sides = orientation >= 5 ? { width: height, height: width } : { width, height };
  return { ...unknown, width: sideOf(sides.width), height: sideOf(sides.height) };
}

/** Whole pixels; null for anything outside an image's range. */
function sideOf(pixels: number): number | null {
  const side = Math.round(pixels);
  return side >= 1 && side <= 1_000_000 ? side : null;
}

function thousandths(value: number): number | null {
  return value > 0 && Number.isFinite(value) ? Math.round(value * 1_000) / 1_000 : null;
}

// Checks whether a file has its end: one that the provider itself truncated looks complete to HTTP and to the measurement, which reads only
// headers. Nothing is decoded. GIF and WebM have no recognisable end mark and count as complete.

/** How far from the end of the file an image's end mark may be: cameras and editors write behind it. */
const tailBytes = 65_536;
/** A fragmented video has two boxes per fragment; the check stops after this many. */
const boxesMax = 10_000;

const pngEnd = Buffer.from("IEND\xae\x42\x60\x82", "latin1");
const jpegEnd = Buffer.from([0xff, 0xd9]);
type HasEnd = (file: FileHandle, size: number) => Promise<boolean>;

const ends: Record<string, HasEnd> = {
  png: async (file, size) => (await readTail(file, size)).includes(pngEnd),
  jpg: async (file, size) => (await readTail(file, size)).includes(jpegEnd),
  webp: async (file, size) => (await readAt(file, 4, 4)).readUInt32LE() + 8 <= size,
  svg: async (file, size) => isSvgWhole(await readAt(file, 0, Math.min(size, tailBytes)), await readTail(file, size)),
  avif: (file, size) => boxesFit(file, size, "meta"),
  mp4: (file, size) => boxesFit(file, size, "moov"),
  mov: (file, size) => boxesFit(file, size, "moov"),
};

async function isWhole(path: string, { extension }: Kind): Promise<boolean> {
  const hasEnd = ends[extension];
  if (hasEnd === undefined) return true;
  const file = await open(path);
  try {
    return await hasEnd(file, (await file.stat()).size);
  } finally {
    await file.close();
  }
}

/**
 * ISO 14496-12: boxes one after another, each with its length and type; a length of 0 means to the end of the file, for the last box.
 * Without its index a video can't be played.
 */
async function boxesFit(file: FileHandle, size: number, index: string): Promise<boolean> {
  let hasIndex = false;
  let at = 0;
  for (let boxes = 0; at + 8 <= size && boxes < boxesMax; boxes++) {
    const head = await readAt(file, at, 16);
    hasIndex ||= head.toString("latin1", 4, 8) === index;
    const short = head.readUInt32BE();
    const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short;
    if (length < 8) break; // the last box, or a damaged one
    at += length;
  }
  return at <= size && hasIndex;
}

function readTail(file: FileHandle, size: number): Promise<Buffer> {
  const length = Math.min(size, tailBytes);
  return readAt(file, size - length, length);
}

/** Zeros stand for bytes past the end. */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer;
}
