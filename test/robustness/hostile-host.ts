// An upstream of any protocol that answers as a test says, by the model id that it is asked for.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseJson } from "../../src/json/parse.ts";

export type HostileAnswer = (response: ServerResponse, body: Record<string, any>, request: IncomingMessage) => void;

export interface HostileHost {
  url: string;
  /** What models answer; a model without an answer is a 404. */
  answers: Map<string, HostileAnswer>;
  asked: { path: string; body: Record<string, any>; headers: IncomingMessage["headers"] }[];
  stop(): Promise<void>;
}

export async function startHostileHost(): Promise<HostileHost> {
  const answers: HostileHost["answers"] = new Map();
  const asked: HostileHost["asked"] = [];
  // Longer than a busy test holds up this process: a socket that closes while it is taken again would be a failed call.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (piece: string) => (text += piece)).on("error", () => undefined);
    response.on("error", () => undefined);
    request.on("end", () => {
      const body = parseJson(text) as Record<string, any>;
      asked.push({ path: request.url!, body, headers: request.headers });
      const answer = answers.get((body["model"] ?? body["model_id"] ?? modelIn(request.url!)) as string);
      if (answer) answer(response, body, request);
      else response.writeHead(404).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    asked,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Of Google's, Amazon's, Azure's and fal's paths. */
function modelIn(url: string): string | undefined {
  const [, model] = /\/(?:models|model|deployments)\/([^/?]+?)(?::\w+)?(?:[/?]|$)/.exec(url) ?? /^\/([^/?]+)/.exec(url) ?? [];
  return model === undefined ? undefined : decodeURIComponent(model);
}

/** A whole answer of status 200; a text is sent as it is. */
export function json(value: unknown, status = 200): HostileAnswer {
  return (response) =>
    response.writeHead(status, { "content-type": "application/json" }).end(typeof value === "string" ? value : JSON.stringify(value));
}

/** A server-sent event of Anthropic's or OpenAI's form: what has a `type` gets its name. A text is sent as it is. */
export function eventText(record: unknown): string {
  if (typeof record === "string") return record;
  const { type } = record as { type?: string };
  return `${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(record)}\n\n`;
}
