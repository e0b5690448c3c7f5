// Reads a form's body as it streams in: its files go to disk, its texts into memory. Bounded by bytes, by time and by the total
// of all requests, on disk and in memory. parse-form.ts parses the form; read-parameters.ts types its texts.
import { type FileHandle, open } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import type { Form, Operation } from "../../generated/operations.ts";
import { onSilence } from "../clock.ts";
import { fail } from "../errors/fail.ts";
import type { FormFile } from "../operation.ts";
import { countTransferred } from "../transfer-garbage.ts";
import { isCompressed } from "./content-coding.ts";
import type { Edge, Exchange } from "./edge.ts";
import { boundaryOf, failForm, type FormParser, openFormParser } from "./parse-form.ts";
import { awaitsContinue, failTooLarge, hasBody, keepPatience } from "./read-body.ts";

/** A form as it was sent. */
export interface SentForm {
  /** By name, in the order received. */
  texts: ReadonlyMap<string, readonly string[]>;
  /** In the order received. */
  files: readonly FormFile[];
}

/** What a form may have beside its files: texts, headers of parts, preamble and epilogue. */
const besideFileBytes = 1024 * 1024;

export function takesForm({ bodies }: Operation, headers: IncomingHttpHeaders): boolean {
  return bodies.includes("multipart/form-data") && /^\s*multipart\/form-data\s*(;|$)/i.test(headers["content-type"] ?? "");
}

/** Writes each file to a path that the caller makes; it must not exist, and the caller removes it, also after a failure. */
export async function readForm(edge: Edge, exchange: Exchange, form: Form, newPath: () => string): Promise<SentForm> {
  const { headers } = exchange.req;
  const boundary = boundaryOf(headers);
  if (isCompressed(headers)) failForm("compressed bodies are not supported, send it without content-encoding");
  if (!hasBody(exchange)) failForm("it is empty");
  const bytesMax = form.fileMax + besideFileBytes;
  if (Number(headers["content-length"] ?? 0) > bytesMax) failTooLarge(form.fileMax, form.files[0]!.name);
  if (!edge.files.fits(exchange.holder, Number(headers["content-length"] ?? 1))) fail("overloaded");
  const files: FormFile[] = [];
  const handles: Promise<FileHandle>[] = [];
  let fileBytes = 0;
  const openFile = (field: string, name: string) => {
    const file = { field, path: newPath(), bytes: 0, name };
    files.push(file);
    const handle = open(file.path, "wx", 0o600);
    handle.catch(() => undefined); // awaited with its first chunk, at the latest at the end
    handles.push(handle);
    return async (chunk: Buffer) => {
      fileBytes += chunk.length;
      file.bytes += chunk.length;
      if (fileBytes > form.fileMax) failTooLarge(form.fileMax, field);
      if (!edge.files.take(exchange.holder, chunk.length)) fail("overloaded");
      exchange.fileBytes += chunk.length;
      countTransferred(chunk.length);
      await (await handle).appendFile(chunk);
    };
  };
  const takeText = (bytes: number) => {
    if (exchange.gone) return; // closed: nothing is made of it
    if (!edge.bodies.take(exchange.holder, bytes)) fail("overloaded");
    exchange.bodyBytes += bytes;
  };
  try {
    if (awaitsContinue(exchange)) exchange.res.writeContinue();
    const parser = openFormParser(boundary, form, { textBytesMax: besideFileBytes, takeText, openFile });
    await feed(edge, exchange, parser, bytesMax, () => failTooLarge(form.fileMax, form.files[0]!.name));
    const texts = await parser.done;
    await Promise.all(handles);
    return { texts, files };
  } finally {
    // Waits for a pending write: nothing may be written once a file is removed.
    await Promise.allSettled(handles.map(async (handle) => (await handle).close()));
  }
}

/**
 * Pipes the request's bytes into the parser, as fast as the disk takes them. Resolves when all are consumed, rejects with the parser's own
 * failure.
 */
function feed({ limits }: Edge, exchange: Exchange, parser: FormParser, bytesMax: number, tooLarge: () => never): Promise<void> {
  const { req } = exchange;
  return new Promise((resolve, reject) => {
    let bytes = 0;
    // As in read-body.ts: a stalled body ends with the connection.
    let ended = false;
    const giveUp = () => (ended ? parser.abort(() => failForm("it is malformed")) : req.destroy());
    const idle = onSilence(limits.bodyIdleMs, giveUp);
    const came = keepPatience(idle);
    const settle = (action: () => void) => {
      idle.stop();
      req.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
      action();
    };
    const onFailure = (error: unknown) => {
      req.pause();
      settle(() => reject(error as Error));
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      came(chunk.length);
      if (bytes > bytesMax) return parser.abort(tooLarge);
      if (parser.write(chunk)) return;
      req.pause();
      parser.onceDrained(() => req.resume());
    };
    const onEnd = () => {
      ended = true;
      parser.end();
      parser.done.then(
        () => settle(resolve),
        () => undefined,
      );
    };
    const onClose = () => {
      if (ended) return;
      exchange.gone = true;
      parser.abort(() => {
        throw new Error("the client disconnected before its form was complete");
      });
    };
    parser.done.catch(onFailure);
    if (req.destroyed) return onClose();
    req.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
  });
}
