// A form with files, as RFC 7578 and the WHATWG write it: whole, or around a file that stays on disk.
import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { countTransferred } from "../../transfer-garbage.ts";
import type { AudioFile } from "../verbs/audio.ts";
import type { StreamedBody } from "./types.ts";

export interface TextPart {
  name: string;
  text: string;
}
export type FormPart = TextPart | { name: string; fileName: string; contentType: string; bytes: Buffer };

export function multipartForm(parts: readonly FormPart[]): { body: Buffer; contentType: string } {
  const form = newForm();
  const pieces = parts.flatMap((part) =>
    "text" in part ? [form.text(part)] : [form.fileHead(part.name, part.fileName, part.contentType), part.bytes, lineEnd],
  );
  return { body: Buffer.concat([...pieces, form.end]), contentType: form.contentType };
}

/** The texts first, then the file under `name`, read from disk while it is sent. */
export function fileForm(texts: readonly TextPart[], name: string, file: AudioFile): { body: StreamedBody; contentType: string } {
  const form = newForm();
  const fileName = `audio.${file.extension}`; // hosts recognise the type by the extension
  const head = Buffer.concat([...texts.map(form.text), form.fileHead(name, fileName, file.contentType)]);
  const tail = Buffer.concat([lineEnd, form.end]);
  const length = head.length + file.bytes + tail.length;
  return { body: { length, open: () => Readable.from(piecesOf(head, file, tail), { objectMode: false }) }, contentType: form.contentType };
}

async function* piecesOf(head: Buffer, { path, bytes }: AudioFile, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  let left = bytes;
  if (bytes > 0) {
    for await (const chunk of createReadStream(path, { end: bytes - 1 }) as AsyncIterable<Buffer>) {
      left -= chunk.length;
      countTransferred(chunk.length);
      yield chunk;
    }
  }
  if (left !== 0) throw new Error("the file is shorter than it was");
  yield tail;
}

const lineEnd = Buffer.from("\r\n");

function newForm() {
  const boundary = `form-${randomUUID()}`;
  const headOf = (name: string) => `--${boundary}\r\ncontent-disposition: form-data; name="${escaped(name)}"`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    text: ({ name, text }: TextPart) => Buffer.from(`${headOf(name)}\r\n\r\n${text}\r\n`),
    fileHead: (name: string, fileName: string, contentType: string) =>
      Buffer.from(`${headOf(name)}; filename="${escaped(fileName)}"\r\ncontent-type: ${contentType}\r\n\r\n`),
    end: Buffer.from(`--${boundary}--\r\n`),
  };
}

function escaped(name: string): string {
  return name.replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/"/g, "%22");
}
