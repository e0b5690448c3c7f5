// GET and HEAD /media/{name}: the files that jobs made, for everyone who knows their unguessable name. A name's bytes never change, so
// caches may keep them for good. Browsers must not run a file (SVG) nor guess its type.
import { addAbortSignal } from "node:stream";
import { ApiError } from "../errors/fail.ts";
import { mediaPrefix } from "../network/own-addresses.ts";
import type { Headers } from "../operation.ts";
import type { Edge, Exchange } from "./edge.ts";
import { type AnyReply, sendReply } from "./reply.ts";
import { failMethod, optionsReply } from "./unknown-path.ts";

export async function answerMedia(edge: Edge, exchange: Exchange): Promise<void> {
  const { req, path } = exchange;
  if (req.method === "OPTIONS") return sendReply(edge, exchange, optionsReply(exchange, ["get"]));
  if (req.method !== "GET" && req.method !== "HEAD") failMethod(exchange, ["get"]);
  const name = path.slice(mediaPrefix.length);
  const { media } = edge.context;
  const contentType = media.contentTypeOf(name);
  if (contentType === null) throw noFile(path);
  await sendReply(edge, exchange, await fileReply(edge, exchange, { name, contentType }));
}

interface AskedFile {
  name: string;
  contentType: string;
}

async function fileReply(edge: Edge, exchange: Exchange, asked: AskedFile): Promise<AnyReply> {
  const { method, headers } = exchange.req;
  const etag = etagOf(asked);
  if (method === "GET" && headers.range === undefined && headers["if-none-match"] === undefined)
    return partReply(edge, exchange, asked, null);
  const size = await edge.context.media.store.size(asked.name);
  if (size === null) throw noFile(exchange.path);
  if (matches(headers["if-none-match"], etag)) return { status: 304, headers: { ...shownEverywhere, etag } };
  if (method === "HEAD") return { status: 200, headers: entityHeaders(asked, size), stream: async () => undefined };
  const range = [undefined, etag].includes(headers["if-range"] as string | undefined) ? askedRange(headers.range, size) : null;
  return range === "unsatisfiable" ? unsatisfiable(exchange, size) : partReply(edge, exchange, asked, range);
}

/** The file is opened before the head is sent, so that a failing store can still be answered with an error status. */
async function partReply(edge: Edge, exchange: Exchange, asked: AskedFile, range: { from: number; to: number } | null): Promise<AnyReply> {
  const signal = exchange.signal();
  const file = await edge.context.media.store.open(asked.name, range);
  if (file === null) throw noFile(exchange.path);
  // Closed with the request, also where no reply is made because the client disconnected while the file was opened.
  const stream = addAbortSignal(signal, file.stream.on("error", ignore));
  const { size } = file;
  const part = range === null ? { status: 200, length: size } : { status: 206, length: range.to - range.from + 1 };
  return {
    status: part.status,
    headers: {
      ...entityHeaders(asked, part.length),
      ...(range !== null && { "content-range": `bytes ${range.from}-${range.to}/${size}` }),
    },
    async stream(sink) {
      try {
        let left = part.length;
        for await (const chunk of stream as AsyncIterable<Buffer>) {
          left -= chunk.length;
          if (left < 0) break;
          await sink.write(chunk);
        }
        // Its length is already sent: a byte more or less would be taken for a part of the next answer.
        if (left !== 0) throw new Error(`the store gave ${asked.name} with another length than it had told`);
      } catch (error) {
        if (!signal.aborted) throw error;
        exchange.res.destroy();
      }
    },
  };
}

function ignore(): void {}

function etagOf({ name }: AskedFile): string {
  return `"${name}"`;
}

const shownEverywhere: Headers = {
  "cache-control": "public, max-age=31536000, immutable",
  "accept-ranges": "bytes",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "accept-ranges, content-length, content-range, etag, x-request-id",
  "cross-origin-resource-policy": "cross-origin",
};

/** An SVG that is opened as a page of its own would otherwise run its scripts in the gateway's name. */
const svgPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";

function entityHeaders(asked: AskedFile, length: number): Headers {
  const { contentType } = asked;
  return {
    ...shownEverywhere,
    etag: etagOf(asked),
    "content-type": contentType,
    "content-length": String(length),
    ...(contentType === "image/svg+xml" && { "content-security-policy": svgPolicy }),
  };
}

function noFile(path: string): ApiError {
  return new ApiError("endpoint_not_found", { text: { path: path.slice(0, 200), hint: "No file of a job has this name." } });
}

/** Players ask past the end and read the size from the answer; no code of the contract has this status. */
function unsatisfiable({ requestId }: Exchange, size: number): AnyReply {
  const message = `The file has ${size} bytes; the range asked for lies past its end.`;
  return {
    status: 416,
    headers: { ...shownEverywhere, "cache-control": "no-store", "content-range": `bytes */${size}` },
    body: { error: { message, type: "invalid_request_error", request_id: requestId } },
  };
}

function matches(asked: string | undefined, etag: string): boolean {
  if (asked === undefined) return false;
  return asked.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
}

// The Range header of one part (RFC 9110, 14.1.2). Several parts, other units and nonsense are answered with the whole file, as
// the RFC allows.

/** Both ends included and within the file; null: the whole file. */
type ByteRange = { from: number; to: number } | null | "unsatisfiable";

function askedRange(header: string | undefined, size: number): ByteRange {
  const [, first = "", last = ""] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header ?? "") ?? [];
  if (first === "" && last === "") return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { from: size - length, to: size - 1 };
  }
  const [from, to] = [Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1)];
  if (last !== "" && Number(last) < from) return null;
  return from >= size ? "unsatisfiable" : { from, to };
}
