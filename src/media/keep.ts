// Keeps a file that a provider made: loaded, told by its bytes, measured, put into the store. Nothing stays on the way.
import { rm, stat, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { imageSize } from "image-size";
import { providerPolicy } from "./fetch-policy.ts";
import { type FetchLimits, fetchToFile } from "./fetch-to-file.ts";
import { contentTypeOf, type Kind, kindOf, readHead } from "./kinds.ts";
import { measureClip } from "./measure-video.ts";
import type { ResolveName } from "./resolve-name.ts";
import { svgSize } from "./svg.ts";
import type { WithTempFile } from "./temp-files.ts";
import { type KeepOrder, type KeptFile, MediaFault, type Store } from "./types.ts";
import { isWhole } from "./whole.ts";

export interface KeepParts {
  store: Store;
  withTempFile: WithTempFile;
  resolve: ResolveName;
  /** See FetchOrder. */
  ca?: string;
  limits: Record<KeepOrder["kind"], FetchLimits>;
  /** Before a file that could not be reached is asked for again: as many tries more as there are pauses. */
  pausesMs: readonly number[];
}

const megabyte = 1024 * 1024;
const patience = { connectMs: 10_000, headMs: 30_000, idleMs: 30_000 };

export const keepLimits: KeepParts["limits"] = {
  image: { ...patience, bytesMax: 64 * megabyte, wholeMs: 120_000 },
  video: { ...patience, bytesMax: 512 * megabyte, wholeMs: 600_000 },
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
      await rm(path, { force: true }); // one that was cut off on its way
      await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** Throws MediaFault: `invalid` where it is nothing that was ordered, `unreachable` where its end is missing, which may come the next time. */
async function tell(path: string, medium: KeepOrder["kind"]): Promise<Kind> {
  const kind = await kindOf(path);
  if (kind?.medium !== medium) throw new MediaFault("invalid", `What was made is no ${medium} of a known kind.`);
  if (!(await isWhole(path, kind))) throw new MediaFault("unreachable", "What was made has no end: it was cut off.");
  return kind;
}

// Width, height, duration and pictures a second, read from a file's headers: nothing is decoded, so a small file that
// would unpack to a huge picture costs as little as any. A file that can't be measured is no fault.

type Measures = Pick<KeptFile, "width" | "height" | "seconds" | "fps">;

const unknown: Measures = { width: null, height: null, seconds: null, fps: null };

/** A photograph's colour profile and thumbnail may stand before its size; the other kinds tell theirs at once. */
const photographHeadBytes = 512 * 1024;
const pictureHeadBytes = 64 * 1024;

async function measure(path: string, kind: Kind): Promise<Measures> {
  try {
    if (kind.medium === "image") {
      const headBytes = kind.extension === "jpg" ? photographHeadBytes : pictureHeadBytes;
      return measurePicture(await readHead(path, headBytes), kind);
    }
    const found = await measureClip(path);
    if (found === null) return unknown;
    const { width, height, seconds, fps } = found;
    return { width: sideOf(width), height: sideOf(height), seconds: thousandths(seconds), fps: thousandths(fps) };
  } catch {
    return unknown;
  }
}

function measurePicture(head: Buffer, kind: Kind): Measures {
  if (kind.extension === "svg") {
    const size = svgSize(head);
    return size === null ? unknown : { ...unknown, width: sideOf(size.width), height: sideOf(size.height) };
  }
  const { width, height, orientation = 1 } = imageSize(head);
  // 5 to 8: the camera was held upright, and the sides are exchanged when it is shown.
  const sides = orientation >= 5 ? { width: height, height: width } : { width, height };
  return { ...unknown, width: sideOf(sides.width), height: sideOf(sides.height) };
}

/** Whole pixels; nothing that lies outside of what any picture has. */
function sideOf(pixels: number): number | null {
  const side = Math.round(pixels);
  return side >= 1 && side <= 1_000_000 ? side : null;
}

function thousandths(value: number): number | null {
  return value > 0 && Number.isFinite(value) ? Math.round(value * 1_000) / 1_000 : null;
}
