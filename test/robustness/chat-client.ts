// A chat client that disconnects when it is told to and that can stop reading: node:http, because fetch buffers what it was
// given, and because thousands of calls must cost little.
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";

export interface ChatOptions {
  url: string;
  key: string;
  model: string;
  stream?: boolean;
  maxTokens?: number;
  agent?: Agent;
  requestId?: string;
  /** Leaves when nothing more has come for so long. */
  timeoutMs?: number;
  /** More fields of the body. */
  more?: Record<string, unknown>;
}

export interface Answer {
  status: number;
  text: string;
  /** Everything arrived: the body's end, and [DONE] where it streamed. */
  whole: boolean;
}

/** By the tokenizer 2 tokens with the role, and 4 more for the message itself. */
const prompt = "abcdefghijkl";
export const promptTokens = 6;

/** Sends it and hands over the request; the caller listens to it for the answer. */
export function openChat({ url, key, model, stream = false, maxTokens, agent, requestId, timeoutMs, more }: ChatOptions): ClientRequest {
  const body = JSON.stringify({
    model,
    messages: [{ role: "user", content: prompt }],
    ...(stream ? { stream } : {}),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...more,
  });
  const call = request(`${url}/v1/chat/completions`, {
    method: "POST",
    agent: agent ?? false,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      ...(requestId === undefined ? {} : { "x-request-id": requestId }),
    },
  });
  if (timeoutMs !== undefined) call.setTimeout(timeoutMs, () => call.destroy(new Error("timed out")));
  call.on("error", () => undefined); // leaving is no error here
  call.end(body);
  return call;
}

/** Never rejects: a connection that broke is an answer that is not whole, with status 0 where none came. */
export function chat(options: ChatOptions): Promise<Answer> {
  return new Promise((resolve) => {
    const call = openChat(options);
    call.once("error", () => resolve({ status: 0, text: "", whole: false }));
    call.once("response", (reply) => {
      reply.setEncoding("utf8");
      let text = "";
      reply.on("data", (piece: string) => (text += piece));
      reply.on("error", () => undefined);
      reply.once("close", () =>
        resolve({
          status: reply.statusCode!,
          text,
          whole: reply.complete && (!options.stream || reply.statusCode !== 200 || text.endsWith("data: [DONE]\n\n")),
        }),
      );
    });
  });
}

/** Leaves a stream as soon as so many of its records have come; 0: as soon as its head has. */
export function leaveAfter(call: ClientRequest, records: number): Promise<void> {
  return new Promise((resolve) => {
    call.once("close", resolve);
    call.once("response", (reply: IncomingMessage) => {
      let seen = 0;
      if (records === 0) return call.destroy();
      reply.setEncoding("utf8");
      reply.on("error", () => undefined);
      reply.on("data", (piece: string) => {
        seen += piece.split("data: ").length - 1;
        if (seen >= records) call.destroy();
      });
    });
  });
}

export function keepAliveAgent(sockets: number): Agent {
  return new Agent({ keepAlive: true, maxSockets: sockets });
}

/** Calls `work` `times` times, so many at once. */
export async function inParallel(times: number, atOnce: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(atOnce, times) }, async () => {
      while (next < times) await work(next++);
    }),
  );
}
