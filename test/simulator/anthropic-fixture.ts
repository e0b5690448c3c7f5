// Calls of the simulator's anthropic protocol, and its streams taken apart.
import type { Simulator } from "../../src/simulator/simulator.ts";
import { userMessage } from "./simulator-fixture.ts";

export const weatherTool = {
  name: "get_weather",
  description: "The weather of a city",
  input_schema: {
    type: "object" as const,
    properties: { city: { type: "string" }, days: { type: "integer", minimum: 1, maximum: 3 } },
    required: ["city", "days"],
  },
};

export const timeTool = { name: "get_time", input_schema: { type: "object" as const, properties: { zone: { type: "string" } } } };

/** The body of a request: a question about the sea, and what the test adds. */
export function ask(model: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { model, max_tokens: 2000, messages: userMessage("Tell me about the sea."), ...more };
}

export async function postMessages(simulator: Simulator, body: unknown, path = "/messages", version = "2023-06-01"): Promise<Response> {
  return fetch(`${simulator.url}/anthropic/v1${path}`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": "application/json", ...(version === "" ? {} : { "anthropic-version": version }) },
  });
}

export async function message(simulator: Simulator, model: string, more: Record<string, unknown> = {}): Promise<any> {
  return (await postMessages(simulator, ask(model, more))).json();
}

/** The events of a stream with their names; null data where it isn't JSON. `broke`: the socket died. */
export async function readEvents(simulator: Simulator, model: string, more: Record<string, unknown> = {}) {
  const reply = await postMessages(simulator, ask(model, { stream: true, ...more }));
  const decoder = new TextDecoder();
  let text = "";
  let broke = false;
  try {
    for await (const piece of reply.body!) text += decoder.decode(piece as Uint8Array, { stream: true });
  } catch {
    broke = true;
  }
  const events = text
    .split(/\r?\n\r?\n/)
    .filter((record) => record.startsWith("event: "))
    .map((record) => {
      const [name, data] = record.split(/\r?\n/) as [string, string];
      return { name: name.slice("event: ".length), data: parse(data.slice("data: ".length)) };
    });
  return { text, broke, events, names: events.map(({ name }) => name) };
}

function parse(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
