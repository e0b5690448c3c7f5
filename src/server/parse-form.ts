// Parses a form (multipart/form-data): one file, passed on chunk by chunk, and texts. @fastify/busboy finds the parts; this file refuses
// what it would skip in silence (a second file, a truncated part, a part without a name).
import { isUtf8 } from "node:buffer";
import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import type { IncomingHttpHeaders } from "node:http";
import type { Form } from "../../generated/operations.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { failTooLarge } from "./read-body.ts";

export interface FormParser {
  /** False: wait for `onceDrained` before writing on. */
  write(chunk: Buffer): boolean;
  onceDrained(resume: () => void): void;
  /** All has been written. */
  end(): void;
  /** Ends the work with what `failing` throws. */
  abort(failing: () => never): void;
  /** Settles once, when all parts are taken or one is refused; nothing is written away afterwards. */
  done: Promise<{ texts: Map<string, string[]>; hasFile: boolean }>;
}

interface Sinks {
  /** Of all texts together. */
  textBytesMax: number;
  /** Called with each chunk of a text before it is kept; throws where there is no room for it. */
  takeText: (bytes: number) => void;
  /** Takes the file; throws where it can't be taken. */
  write: (chunk: Buffer) => Promise<void>;
}

/** A prompt primes a model; a long one has some hundred words. */
const textBytesMax = 100 * 1024;
/** Far above any client's: every field of ours, repeated ones included. */
const partsMax = 100;
const partHeaderBytes = 16 * 1024;

/** Throws invalid_parameter about the whole body. */
export function failForm(reason: string): never {
  return fail("invalid_parameter", { text: { param: "The form", reason } });
}

/** What separates the parts, as the content type says. */
export function boundaryOf(headers: IncomingHttpHeaders): string {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200})(?=\s*(?:;|$)))/i.exec(headers["content-type"] ?? "") ?? [];
  return quoted ?? bare ?? failForm("its content-type names no boundary");
}

/** Texts under names that aren't in `fields` are passed over, like unknown fields of JSON. */
export function openFormParser(boundary: string, fields: Form["fields"], sinks: Sinks): FormParser {
  const texts = new Map<string, string[]>();
  const known = new Set(fields.map(({ name }) => name));
  const { promise, resolve, reject } = Promise.withResolvers<{ texts: Map<string, string[]>; hasFile: boolean }>();
  let over = false;
  let textBytes = 0;
  let hasFile = false;
  let lastPiece: Promise<unknown> = Promise.resolve();
  const parser = new Busboy({
    headers: { "content-type": `multipart/form-data; boundary="${boundary}"` },
    // Every part is read as a stream, so that a text's bytes can be checked and no part is buffered before it is known.
    isPartAFile: () => true,
    limits: { parts: partsMax, headerPairs: 32, headerSize: partHeaderBytes },
  });

  const abort = (failing: () => never) => {
    try {
      failing();
    } catch (error) {
      if (over) return;
      over = true;
      parser.destroy();
      // A piece on its way to the disk comes first: the file is closed next.
      void lastPiece.catch(() => undefined).then(() => reject(error as Error));
    }
  };
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return over ? undefined : work();
    } catch (error) {
      abort(() => {
        throw error;
      });
      return undefined;
    }
  };

  const takeFile = (part: BusboyFileStream) => {
    if (hasFile) failParameter("file", "it may be given once only");
    hasFile = true;
    part.on("data", (chunk: Buffer) => {
      part.pause();
      lastPiece = over ? lastPiece : sinks.write(chunk);
      lastPiece.then(
        () => part.resume(),
        (error: unknown) =>
          abort(() => {
            throw error;
          }),
      );
    });
  };
  const takeText = (name: string, part: BusboyFileStream) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    part.on("data", (chunk: Buffer) =>
      attempt(() => {
        bytes += chunk.length;
        textBytes += chunk.length;
        if (bytes > textBytesMax) failParameter(name, `it must have at most ${textBytesMax / 1024} KB`);
        if (textBytes > sinks.textBytesMax) failTooLarge(sinks.textBytesMax);
        sinks.takeText(chunk.length);
        chunks.push(chunk);
      }),
    );
    part.on("end", () =>
      attempt(() => {
        const text = Buffer.concat(chunks);
        if (!isUtf8(text)) failParameter(name, "it must be UTF-8");
        texts.set(name, [...(texts.get(name) ?? []), text.toString()]);
      }),
    );
  };
  const takePart = (name: string | undefined, part: BusboyFileStream, filename: string | undefined) => {
    part.on("error", () => attempt(() => failForm("it ends in the middle of a part")));
    attempt(() => {
      if (name === undefined) failForm("a part has no name");
      if (name === "file") {
        if (filename === undefined) failParameter("file", "it must be a file: a part with a filename");
        takeFile(part);
      } else if (!known.has(name)) part.resume();
      else if (filename !== undefined) failParameter(name, "it must be a text: a part without a filename");
      else takeText(name, part);
    });
    if (over) part.resume();
  };

  // An undefined filename is what busboy gives for none, whatever its types say.
  parser.on("file", (name: string | undefined, part: BusboyFileStream, filename: string | undefined) => takePart(name, part, filename));
  parser.on("partsLimit", () => attempt(() => failForm(`it has more than ${partsMax} parts`)));
  parser.on("error", () => attempt(() => failForm("it ends too early or is malformed")));
  parser.on("finish", () => {
    // A stream may end while its last piece is still being written; whether that piece is too much is judged where it is written.
    lastPiece.then(
      () => {
        if (over) return;
        over = true;
        resolve({ texts, hasFile });
      },
      () => undefined,
    );
  });
  // The promise is awaited later; until then its failure must not count as unhandled.
  promise.catch(() => undefined);

  return {
    write: (chunk) => over || attempt(() => parser.write(chunk)) !== false,
    onceDrained: (resume) => void parser.once("drain", resume),
    end: () => void attempt(() => parser.end()),
    abort,
    done: promise,
  };
}
