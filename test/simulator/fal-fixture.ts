// A client of the queue as adapters are: submits, follows the addresses it was given, and loads the files.
import type { Simulator } from "../../src/simulator/simulator.ts";

export interface Answer {
  status: number;
  headers: Headers;
  json: any;
}

export async function send(url: string, method = "GET", body?: unknown): Promise<Answer> {
  const reply = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, json: text === "" ? null : JSON.parse(text) };
}

export function submit(simulator: Simulator, model: string, input: unknown = { prompt: "A cat in a boat" }): Promise<Answer> {
  return send(`${simulator.url}/fal/${model}`, "POST", input);
}

/** Every status that was told on the way, and the result. */
export async function run(simulator: Simulator, model: string, input?: unknown): Promise<Answer & { seen: Answer[] }> {
  const { json: ticket } = await submit(simulator, model, input);
  const seen: Answer[] = [];
  do {
    if (seen.length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    seen.push(await send(ticket.status_url));
  } while (seen.at(-1)!.status !== 200 && seen.length < 500);
  return { ...(await send(ticket.response_url)), seen };
}

export async function load(
  url: string,
  method = "GET",
): Promise<{ status: number; type: string | null; length: string | null; bytes: Buffer }> {
  const reply = await fetch(url, { method, redirect: "manual" });
  const bytes = Buffer.from(await reply.arrayBuffer());
  return { status: reply.status, type: reply.headers.get("content-type"), length: reply.headers.get("content-length"), bytes };
}
