// Recognises the kinds of recordings that are taken by their bytes alone: a caller's file name or content type is not trusted.
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import type { AudioKind } from "../types.ts";
import { bytesOf, nameAt } from "./bytes.ts";
import { framesFollow, id3Bytes } from "./mpeg-frames.ts";

const kinds: Record<AudioKind["extension"], AudioKind> = {
  mp3: { extension: "mp3", contentType: "audio/mpeg" },
  wav: { extension: "wav", contentType: "audio/wav" },
  m4a: { extension: "m4a", contentType: "audio/mp4" },
  ogg: { extension: "ogg", contentType: "audio/ogg" },
  webm: { extension: "webm", contentType: "audio/webm" },
  flac: { extension: "flac", contentType: "audio/flac" },
};

/** More than three of MP3's longest frames. */
const headBytes = 8_192;
/** Tags before the audio; some programs put a second one before the first. */
const tagsMax = 8;
/** All brands of MP4 except QuickTime, images and mobile phones' own. */
const brands = /^(M4A|M4B|M4P|M4V|mp41|mp42|isom|iso[2-9a-c]|avc1|dash|msdh|MSNV|F4A|F4B|F4V|f4v|NDSC|NDSS|cmfc|cmfa|qmp4)/;

/** Null: none of them. */
export async function audioKindOf(path: string): Promise<AudioKind | null> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    let at = 0;
    for (let tags = 0; tags <= tagsMax && at < size; tags++) {
      const head = await readAt(file, at);
      const extension = kindOfHead(head, at);
      if (extension !== null) return kinds[extension];
      const tag = id3Bytes(bytesOf(head), 0);
      if (tag === 0) return null;
      at += tag;
    }
    return null;
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, at: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, at);
  return buffer.subarray(0, bytesRead);
}

/** `at`: length of the tags before it; only MP3 and FLAC may have any. */
function kindOfHead(head: Buffer, at: number): AudioKind["extension"] | null {
  const name = nameAt(head, 0);
  if (name === "fLaC") return "flac";
  if (framesFollow(bytesOf(head), 0, 2)) return "mp3";
  if (at > 0) return null;
  if ((name === "RIFF" || name === "RF64") && nameAt(head, 8) === "WAVE") return "wav";
  if (name === "OggS") return "ogg";
  if (nameAt(head, 4) === "ftyp" && brands.test(nameAt(head, 8))) return "m4a";
  // The document's type is in the first few bytes after the EBML mark.
  if (name === "\x1a\x45\xdf\xa3" && head.subarray(0, 64).includes("webm")) return "webm";
  return null;
}
