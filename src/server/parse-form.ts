// Parses a form (multipart/form-data): files, passed on chunk by chunk, and texts. @fastify/busboy finds the parts; this file refuses
// what it would skip silently (a second file of one name, a truncated part, a part without a name).
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
  /** Settles once, when all parts are read or one is refused; nothing is written afterwards. */
  done: Promise<Map<string, string[]>>;
}

interface Sinks {
  /** Of all texts together. */
  textBytesMax: number;
  /** Called with each chunk of a text before it is stored; throws if there is no room for it. */
  takeText: (bytes: number) => void;
  /** Begins a file; takes its chunks, and rejects if it can't. */
  openFile: (field: string, name: string) => (chunk: Buffer) => Promise<void>;
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

/** Runs work until a piece of it fails; later work is skipped. */
function openOutcome(failed: (error: unknown) => void) {
  const outcome = {
    over: false,
    attempt<T>(work: () => T): T | undefined {
      try {
        return outcome.over ? undefined : work();
      } catch (error) {
        if (outcome.over) return undefined;
        outcome.over = true;
        failed(error);
        return undefined;
      }
    },
  };
  return outcome;
}

type Outcome = ReturnType<typeof openOutcome>;

interface TextLimits extends Pick<Sinks, "textBytesMax" | "takeText"> {
  /** Of all texts so far. */
  textBytes: number;
}

/** Keeps a text, once it is whole. */
function takeText(name: string, part: BusboyFileStream, texts: Map<string, string[]>, limits: TextLimits, { attempt }: Outcome): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  part.on("data", (chunk: Buffer) =>
    attempt(() => {
      bytes += chunk.length;
      limits.textBytes += chunk.length;
      if (bytes > textBytesMax) failParameter(name, `it must have at most ${textBytesMax / 1024} KB`);
      if (limits.textBytes > limits.textBytesMax) failTooLarge(limits.textBytesMax);
      limits.takeText(chunk.length);
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
}

/** Passes a file on piece by piece: the next piece is read when the last one is written. */
function takeFile(
  part: BusboyFileStream,
  write: (chunk: Buffer) => Promise<void>,
  outcome: Outcome,
  writing: { last: Promise<unknown> },
): void {
  part.on("data", (chunk: Buffer) => {
    part.pause();
    writing.last = outcome.over ? writing.last : write(chunk);
    writing.last.then(
      () => part.resume(),
      (error: unknown) =>
        outcome.attempt(() => {
          throw error;
        }),
    );
  });
}

/** Texts under names that aren't in `fields` are ignored, like unknown fields of JSON. */
export function openFormParser(boundary: string, { fields, files }: Pick<Form, "fields" | "files">, sinks: Sinks): FormParser {
  const texts = new Map<string, string[]>();
  const known = new Set(fields.map(({ name }) => name));
  const { promise, resolve, reject } = Promise.withResolvers<Map<string, string[]>>();
  const limits: TextLimits = { textBytesMax: sinks.textBytesMax, takeText: (bytes) => sinks.takeText(bytes), textBytes: 0 };
  const writing = { last: Promise.resolve() as Promise<unknown> };
  const begun = new Set<string>();
  const parser = new Busboy({
    headers: { "content-type": `multipart/form-data; boundary="${boundary}"` },
    // Every part is read as a stream, so that a text's bytes can be checked and no part is buffered before it is known.
    isPartAFile: () => true,
    limits: { parts: partsMax, headerPairs: 32, headerSize: partHeaderBytes },
  });

  const outcome = openOutcome((error) => {
    parser.destroy();
    // Waits for a piece on its way to the disk, because the file is closed next.
    void writing.last.catch(() => undefined).then(() => reject(error as Error));
  });
  const { attempt } = outcome;

  const takePart = (name: string | undefined, part: BusboyFileStream, filename: string | undefined) => {
    part.on("error", () => attempt(() => failForm("it ends in the middle of a part")));
    attempt(() => {
      if (name === undefined) failForm("a part has no name");
      const file = files.find((one) => one.name === name || (one.many && `${one.name}[]` === name));
      if (file !== undefined) {
        if (filename === undefined) failParameter(file.name, "it must be a file: a part with a filename");
        if (begun.has(file.name) && !file.many) failParameter(file.name, "it may be given once only");
        begun.add(file.name);
        takeFile(part, sinks.openFile(file.name, filename), outcome, writing);
      } else if (!known.has(name)) part.resume();
      else if (filename !== undefined) failParameter(name, "it must be a text: a part without a filename");
      else takeText(name, part, texts, limits, outcome);
    });
    if (outcome.over) part.resume();
  };

  // busboy gives undefined if there is no filename, despite its types.
  parser.on("file", (name: string | undefined, part: BusboyFileStream, filename: string | undefined) => takePart(name, part, filename));
  parser.on("partsLimit", () => attempt(() => failForm(`it has more than ${partsMax} parts`)));
  parser.on("error", () => attempt(() => failForm("it ends too early or is malformed")));
  parser.on("finish", () => {
    // A stream may end while its last piece is still being written; the write checks whether that piece is too much.
    writing.last.then(
      () => {
        if (outcome.over) return;
        outcome.over = true;
        resolve(texts);
      },
      () => undefined,
    );
  });
  // The promise is awaited later; until then its failure must not count as unhandled.
  promise.catch(() => undefined);

  return {
    write: (chunk) => outcome.over || attempt(() => parser.write(chunk)) !== false,
    onceDrained: (resume) => void parser.once("drain", resume),
    end: () => void attempt(() => parser.end()),
    abort: (failing) => void attempt(failing),
    done: promise,
  };
}
