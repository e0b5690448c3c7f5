// A simulator on a free port for one test file, and the few calls that every file makes.
import { request, type IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { startSimulator, type Simulator } from "../../src/simulator/simulator.ts";

/** The running simulator; fresh counters before each test. */
export function useSimulator(): { readonly current: Simulator } {
  const holder = { current: undefined as unknown as Simulator };
  beforeAll(async () => {
    holder.current = await startSimulator();
  });
  beforeEach(() => holder.current.reset());
  afterAll(() => holder.current.close());
  return holder;
}

export function userMessage(content: string): { role: "user"; content: string }[] {
  return [{ role: "user", content }];
}

export async function post(simulator: Simulator, path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(simulator.url + path, {
    method: "POST",
    body: text,
    headers: { "content-type": "application/json" },
    ...(signal && { signal }),
  });
}

export async function chat(simulator: Simulator, model: string, more: Record<string, unknown> = {}): Promise<any> {
  return (await post(simulator, "/v1/chat/completions", { model, messages: userMessage("Tell me about the sea."), ...more })).json();
}

/** What arrived until the answer ended or broke. Not by fetch, which throws away what it hadn't handed on when a socket breaks. */
export function readRaw(
  simulator: Simulator,
  body: unknown,
  path = "/v1/chat/completions",
): Promise<{ headers: IncomingHttpHeaders; text: string; broke: boolean }> {
  return new Promise((resolve, reject) => {
    const call = request(simulator.url + path, { method: "POST" }, (reply) => {
      let text = "";
      const finish = (broke: boolean) => resolve({ headers: reply.headers, text, broke });
      reply.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      reply.on("end", () => finish(false)).on("error", () => finish(true));
    });
    call.on("error", reject).end(JSON.stringify(body));
  });
}

/** A stream, taken apart. */
export async function readStream(simulator: Simulator, model: string, more: Record<string, unknown> = {}) {
  const { text, broke } = await readRaw(simulator, { model, messages: userMessage("Tell me about the sea."), stream: true, ...more });
  const data = text.split(/\r?\n\r?\n/).filter((record) => record.startsWith("data: "));
  const records = data.map((record) => record.slice("data: ".length));
  const done = records.at(-1) === "[DONE]";
  const chunks = records.filter((record) => record !== "[DONE]").map((record) => parse(record));
  return { text, broke, done, chunks };
}

function parse(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
