// Recordings for the tests of kinds and durations: those of the folder audio, variants made from them, and their measured results.
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { audioKindOf } from "../../src/media/audio/kind.ts";
import { openAudioMeter } from "../../src/media/audio/measure-audio.ts";
import { openTempFiles } from "../../src/media/temp-files.ts";
import { type AudioKind, MediaFault } from "../../src/media/types.ts";
import { newFolder } from "./file-server.ts";

export type Extension = AudioKind["extension"];

export const recording = (name: string): Buffer => readFileSync(recordingPath(name));
export const recordingPath = (name: string): string => fileURLToPath(new URL(`audio/${name}`, import.meta.url));

export const extensionOf = (name: string): Extension => (name.endsWith("mp4") ? "m4a" : (name.split(".").at(-1) as Extension));

/** Seconds as ffmpeg 7.1 decodes them. Ours may be longer by what a codec pads at both ends, and never shorter. */
export const lengths: Record<string, number> = {
  "tone.mp3": 2,
  "tone-vbr.mp3": 2,
  "tone.wav": 2,
  "tone-stream.wav": 2,
  "tone-float.wav": 0.5,
  "tone.m4a": 2.02,
  "tone-fragments.m4a": 2.04,
  "tone-alac.m4a": 2,
  "film.mp4": 2.02,
  "tone.ogg": 2,
  "tone-vorbis.ogg": 2,
  "tone-flac.ogg": 2,
  "tone.webm": 2,
  "tone-vorbis.webm": 2,
  "film-live.webm": 2,
  "tone.flac": 2,
  "silence.flac": 2,
};

export interface Lab {
  /** Seconds, or the fault's reason. */
  measure(bytes: Buffer, extension: Extension): Promise<number | string>;
  /** The fault's sentence, or null. */
  fault(bytes: Buffer, extension: Extension): Promise<string | null>;
  /** The kind's extension, or null. */
  kind(bytes: Buffer): Promise<Extension | null>;
  names: () => string[];
  close(): Promise<void>;
}

export async function openLab(options: { timeoutMs?: number } = {}): Promise<Lab> {
  const meter = openAudioMeter(options);
  const { folder, names } = newFolder();
  const withTempFile = await openTempFiles(folder);
  const withBytes = <T>(bytes: Buffer, work: (path: string) => Promise<T>) =>
    withTempFile(async (path) => {
      await writeFile(path, bytes);
      return await work(path);
    });
  const measured = (bytes: Buffer, extension: Extension): Promise<number | MediaFault> =>
    withBytes(bytes, (path) =>
      meter.measure({ path, extension }, new AbortController().signal).catch((error: unknown) => {
        if (error instanceof MediaFault) return error;
        throw error;
      }),
    );
  return {
    async measure(bytes, extension) {
      const found = await measured(bytes, extension);
      return typeof found === "number" ? found : found.reason;
    },
    async fault(bytes, extension) {
      const found = await measured(bytes, extension);
      return typeof found === "number" ? null : found.message;
    },
    kind: (bytes) => withBytes(bytes, async (path) => (await audioKindOf(path))?.extension ?? null),
    names,
    close: () => meter.close(),
  };
}

/** A copy with other bytes after each occurrence of `mark`, `skip` bytes further. */
export function patched(bytes: Buffer, mark: string, skip: number, value: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  let found = 0;
  for (let at = copy.indexOf(mark, 0, "latin1"); at >= 0; at = copy.indexOf(mark, at + 1, "latin1"), found++) value.copy(copy, at + skip);
  if (found === 0) throw new Error(`${mark} is not in the file`);
  return copy;
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function uint32le(value: number): Buffer {
  return uint32(value).reverse();
}

/** An Ogg page of whole packets. */
export function oggPage(flags: number, packets: readonly Buffer[], granule = 0n): Buffer {
  const lacing = packets.flatMap(({ length }) => [...Array<number>(Math.floor(length / 255)).fill(255), length % 255]);
  const head = Buffer.alloc(27);
  head.write("OggS");
  head[5] = flags;
  head.writeBigInt64LE(granule, 6);
  head.writeUInt32LE(7, 14);
  head[26] = lacing.length;
  return withChecksum(Buffer.concat([head, Buffer.from(lacing), ...packets]));
}

/** With the checksum that belongs to it. */
function withChecksum(page: Buffer): Buffer {
  page.writeUInt32LE(0, 22);
  let crc = 0;
  for (const byte of page) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  }
  page.writeUInt32LE(crc >>> 0, 22);
  return page;
}

/** Each page changed by `change`, its checksum made right again. */
export function withPages(file: Buffer, change: (page: Buffer, index: number) => unknown): Buffer {
  const pages: Buffer[] = [];
  for (let at = 0; at < file.length;) {
    const segments = file[at + 26]!;
    const length = file.subarray(at + 27, at + 27 + segments).reduce((sum, size) => sum + size, 27 + segments);
    const page = Buffer.from(file.subarray(at, at + length));
    change(page, pages.length);
    pages.push(withChecksum(page));
    at += length;
  }
  return Buffer.concat(pages);
}

export function box(name: string, ...content: readonly (Buffer | readonly number[])[]): Buffer {
  const inner = Buffer.concat(content.map((part) => (Buffer.isBuffer(part) ? part : Buffer.concat(part.map(uint32)))));
  return Buffer.concat([uint32(inner.length + 8), Buffer.from(name), inner]);
}

/** An AAC track with the given tables: 44.1 kHz, one run of chunks. */
export function m4a(tables: { sizes: readonly number[]; chunks: readonly number[]; perChunk: number }, samples: Buffer): Buffer {
  // AAC-LC, 44.1 kHz, one channel.
  const esds = box("esds", [0], Buffer.from("0316000100" + "04114015" + "00".repeat(11) + "05021208" + "060102", "hex"));
  const entry = box("mp4a", Buffer.alloc(28), esds);
  const table = box(
    "stbl",
    box("stsd", [0, 1], entry),
    box("stsc", [0, 1, 1, tables.perChunk, 1]),
    box("stsz", [0, ...tables.sizes]),
    box("stco", [0, tables.chunks.length, ...tables.chunks]),
  );
  const media = box("mdia", box("hdlr", [0, 0], Buffer.from("soun"), Buffer.alloc(13)), box("minf", table));
  const track = box("trak", box("tkhd", [0, 0, 0, 1], Buffer.alloc(68)), media);
  return Buffer.concat([box("ftyp", Buffer.from("M4A \0\0\0\0")), box("mdat", samples), box("moov", track)]);
}

/** Where `samples` of `m4a` begin. */
export const m4aSamplesAt = 24;
