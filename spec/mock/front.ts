// Stands before Prism for what it can't do itself: it chooses among media types by `Accept` alone, where
// the gateway and its clients go by the body; it has no bytes; it takes a slash in a model's id for another path; a body
// that is no JSON ends its connection; and its own 404 and 405 are not the gateway's.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connectionHeaders } from "./connection-headers.ts";
import { soundOf } from "./sounds.ts";
import { unknownPathBody } from "./unknown-path.ts";

/** Returns its address. */
export async function startFront(prismUrl: string, port: number): Promise<string> {
  const server = createServer((request, response) => {
    answer(prismUrl, request, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answer(prismUrl: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const received = Buffer.concat(await request.toArray());
  const { url = "/", method = "GET" } = request;
  const { accept, body } = readable(received, request);
  const headers: Record<string, string> = { ...(request.headers as Record<string, string>), accept };
  for (const name of ["host", "connection", "content-length", "transfer-encoding", "expect"]) delete headers[name];
  const reply = await fetch(prismUrl + withoutSlashes(url), { method, headers, ...(body.length === 0 ? {} : { body }) });
  const prismType = reply.headers.get("content-type") ?? "";
  const isUnknown = prismType.startsWith("application/problem+json") && (reply.status === 404 || reply.status === 405);
  const type = isUnknown ? "application/json" : prismType;
  const sent = isUnknown
    ? Buffer.from(JSON.stringify(unknownPathBody(reply.status, method, url.replace(/\?.*/s, ""))))
    : (soundOf(type) ?? Buffer.from(await reply.arrayBuffer()));
  for (const [name, value] of reply.headers) if (!connectionHeaders.has(name)) response.setHeader(name, value);
  if (isUnknown) response.setHeader("content-type", type);
  response.writeHead(reply.status, reply.status === 204 ? {} : { "content-length": sent.length }).end(sent);
  console.log(`${method} ${url} ${reply.status} ${type}`);
}

/** What Prism is to read, and the media type that the gateway would answer this with. */
function readable(received: Buffer<ArrayBuffer>, { headers }: IncomingMessage): { accept: string; body: Buffer<ArrayBuffer> } {
  const type = headers["content-type"] ?? "";
  // What is named here comes first where an operation has it, anything else it has after that.
  const accepting = (first: string | undefined) => [first, headers.accept, "*/*;q=0.1"].filter(Boolean).join(", ");
  if (type.startsWith("multipart/form-data")) {
    const text = received.toString("latin1");
    const fieldOf = (name: string) => new RegExp(`name="${name}"\\r\\n(?:[^\\r]+\\r\\n)*\\r\\n(\\w+)`).exec(text)?.[1];
    const streams = fieldOf("stream") === "true";
    return { accept: accepting(streams ? "text/event-stream" : typeOf(fieldOf("response_format"))), body: received };
  }
  if (received.length === 0) return { accept: accepting(undefined), body: received };
  try {
    const body = JSON.parse(received.toString()) as { stream?: unknown; response_format?: unknown } | null;
    return { accept: accepting(body?.stream === true ? "text/event-stream" : typeOf(body?.response_format)), body: received };
  } catch {
    return { accept: accepting(undefined), body: Buffer.from("[]") }; // refused as well
  }
}

function typeOf(format: unknown): string | undefined {
  if (typeof format !== "string") return undefined;
  if (format.startsWith("pcm")) return "audio/pcm";
  if (format.startsWith("ulaw")) return "audio/basic";
  const texts: Record<string, string> = { text: "text/plain", srt: "application/x-subrip", vtt: "text/vtt" };
  return texts[format] && `${texts[format]}; charset=utf-8`;
}

function withoutSlashes(url: string): string {
  const [, id, query = ""] = /^\/v1\/models\/([^?]+)(\?.*)?$/.exec(url) ?? [];
  return id === undefined ? url : `/v1/models/${id.replaceAll("/", "%2F")}${query}`;
}
