// What Prism's proxy asks in the place of a gateway. Prism has one upstream, and the tests have hundreds of gateways: what one has answered a test
// is left here, and Prism, asked for it, judges it on the way.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connectionHeaders } from "../../spec/mock/connection-headers.ts";

/** Which answer Prism is asked for. */
export const ticketHeader = "x-test-ticket";

/** How an answer is left at `/leave`: this as JSON in the header `x-test-head`, the body as the body. */
export interface AnswerHead {
  status: number;
  headers: Record<string, string>;
}

interface Answer extends AnswerHead {
  body: Buffer;
}

export interface Desk {
  url: string;
  close(): Promise<void>;
}

export async function openDesk(): Promise<Desk> {
  const answers = new Map<string, Answer>();
  const server = createServer((request, response) => {
    serve(answers, request, response).catch((error: unknown) => response.destroy(error as Error));
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

async function serve(answers: Map<string, Answer>, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray());
  if (request.url === "/leave") {
    const ticket = randomUUID();
    answers.set(ticket, { ...(JSON.parse(String(request.headers["x-test-head"])) as AnswerHead), body });
    response.end(ticket);
    return;
  }
  const ticket = String(request.headers[ticketHeader]);
  const answer = answers.get(ticket)!;
  answers.delete(ticket);
  for (const [name, value] of Object.entries(answer.headers)) if (!connectionHeaders.has(name)) response.setHeader(name, value);
  response.writeHead(answer.status, answer.body.length === 0 ? {} : { "content-length": answer.body.length }).end(answer.body);
}

/** As a header takes it. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
