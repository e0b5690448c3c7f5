// What stands between Prism's proxy and the gateways of a run. Prism has one upstream; the tests have hundreds of
// gateways. So a request is left here first, Prism is asked to fetch it, and what the gateway answered is kept as it was:
// Prism judges the answer, but its copy of it is not what the test reads (it corrupts bytes).
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connectionHeaders } from "../../spec/mock/connection-headers.ts";

/** The request that a test left, on its way through Prism. */
export const ticketHeader = "x-test-ticket";

/** How a request is left at `/leave`: what `fetch` takes, the body as the body. */
export interface LeftRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
}

/** The head of what is got back at `/collect/TICKET`, as JSON in the header `x-test-head`; null: the gateway broke off. */
export type CollectedHead = { status: number; headers: Record<string, string> } | null;

interface Errand extends LeftRequest {
  body: Buffer<ArrayBuffer>;
  head?: CollectedHead;
  answer?: Buffer<ArrayBuffer>;
}

export interface Desk {
  url: string;
  close(): Promise<void>;
}

export async function openDesk(): Promise<Desk> {
  const errands = new Map<string, Errand>();
  const server = createServer((request, response) => {
    serve(errands, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.keepAliveTimeout = 0; // none is closed while a busy process sends on it
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function serve(errands: Map<string, Errand>, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = "", headers } = request;
  if (url === "/leave") {
    const ticket = randomUUID();
    const left = JSON.parse(String(headers["x-test-request"])) as LeftRequest;
    errands.set(ticket, { ...left, body: Buffer.concat(await request.toArray()) });
    response.end(ticket);
  } else if (url.startsWith("/collect/")) {
    const ticket = url.slice("/collect/".length);
    const { head, answer } = errands.get(ticket)!;
    errands.delete(ticket);
    response.setHeader("x-test-head", asciiJson(head)).end(answer);
  } else {
    request.resume();
    await run(errands.get(String(headers[ticketHeader]))!, response);
  }
}

/** Asks the gateway and hands its answer to Prism. */
async function run(errand: Errand, response: ServerResponse): Promise<void> {
  const { url, method, headers, body } = errand;
  errand.head = null;
  const reply = await fetch(url, { method, headers, body: body.length === 0 ? null : body });
  const answer = Buffer.from(await reply.arrayBuffer());
  errand.answer = answer;
  errand.head = { status: reply.status, headers: Object.fromEntries(reply.headers) };
  for (const [name, value] of reply.headers) if (!connectionHeaders.has(name)) response.appendHeader(name, value);
  response.writeHead(reply.status, answer.length === 0 ? {} : { "content-length": answer.length }).end(answer);
}

/** As a header takes it. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
