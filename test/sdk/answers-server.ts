// A host that answers as a test says, for what no gateway of ours would answer: every call gets the next answer, and what it sent is kept.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Svc, type ClientOptions } from "../../generated/sdk/index.js";

export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface AnswersServer {
  url: string;
  received: Received[];
  /** Connections that the client closed before their answer was over. */
  left: number;
  close(): Promise<void>;
}

/** An answer as `[status, headers, body]`, or what is to be done with the response. */
export type GivenAnswer = [number, Record<string, string>, unknown] | ((response: ServerResponse) => void);

/** The last answer is given again and again. */
async function answering(...answers: [GivenAnswer, ...GivenAnswer[]]): Promise<AnswersServer> {
  const received: Received[] = [];
  const state = { left: 0 };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString("latin1")));
    response.on("close", () => void (response.writableFinished || (state.left += 1)));
    request.on("end", () => {
      const answer = answers[Math.min(received.length, answers.length - 1)]!;
      received.push({ method: request.method!, url: request.url!, headers: request.headers, body });
      if (typeof answer === "function") answer(response);
      else {
        const [status, headers, text] = answer;
        response.writeHead(status, { "content-type": "application/json", ...headers });
        response.end(typeof text === "string" || text instanceof Uint8Array ? text : JSON.stringify(text));
      }
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    get left() {
      return state.left;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

export async function withAnswers<T>(
  answers: [GivenAnswer, ...GivenAnswer[]],
  use: (svc: Svc, server: AnswersServer) => Promise<T>,
  options: ClientOptions = {},
): Promise<T> {
  const server = await answering(...answers);
  try {
    return await use(new Svc({ apiKey: "svc_test", baseURL: server.url, ...options }), server);
  } finally {
    await server.close();
  }
}

/** An error as the gateway says it. */
export function refusal(status: number, code: string, headers: Record<string, string> = {}): GivenAnswer {
  const retryable = headers["x-should-retry"] === "true";
  const error = { message: "No.", type: "t", code, param: null, retryable, request_id: "req_1", doc_url: `http://h/docs/errors#${code}` };
  return [status, { "x-request-id": "req_1", ...headers }, { error }];
}
