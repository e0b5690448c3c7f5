// The body that a column sends: what was said before it in the column, the new message, the settings that are set.
import type { ChatRequest } from "svc-sdk/functions";
import type { Chat, Picture, Settings } from "./chat-store.ts";

interface Message {
  text: string;
  pictures: readonly Picture[];
}

type Content = ChatRequest["messages"][number]["content"];

export async function requestOf({ turns, settings }: Chat, model: string, column: number, message: Message): Promise<ChatRequest> {
  const messages: ChatRequest["messages"] = settings.system.trim() === "" ? [] : [{ role: "system", content: settings.system }];
  for (const turn of turns) {
    const answer = turn.answers.find((one) => one.column === column);
    // What has no answer is not part of the conversation.
    if (answer === undefined || answer.text === "") continue;
    messages.push({ role: "user", content: contentOf(turn) }, { role: "assistant", content: answer.text });
  }
  messages.push({ role: "user", content: contentOf(message) });
  return { model, messages, ...(await parametersOf(settings)) };
}

function contentOf({ text, pictures }: Message): Content {
  if (pictures.length === 0) return text;
  return [{ type: "text", text }, ...pictures.map(({ url }) => ({ type: "image_url" as const, image_url: { url } }))];
}

async function parametersOf({ temperature, topP, maxTokens, effort, format, schema, tools }: Settings): Promise<Partial<ChatRequest>> {
  return {
    ...(temperature === "" ? {} : { temperature: Number(temperature) }),
    ...(topP === "" ? {} : { top_p: Number(topP) }),
    ...(maxTokens === "" ? {} : { max_tokens: Number(maxTokens) }),
    ...(effort === "" ? {} : { reasoning_effort: effort as NonNullable<ChatRequest["reasoning_effort"]> }),
    ...(format === "json_object" ? { response_format: { type: format } } : {}),
    ...(format === "json_schema"
      ? { response_format: { type: format, json_schema: { name: "answer", strict: true, schema: await objectOf(schema) } } }
      : {}),
    ...(tools.trim() === "" ? {} : { tools: (await toolsOf(tools)) as NonNullable<ChatRequest["tools"]> }),
  };
}

/** What was typed is not JSON of the expected kind: said before anything is sent. */
export class InputError extends Error {}

async function objectOf(text: string): Promise<Record<string, unknown>> {
  const value = await parsed(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new InputError("The schema is no JSON object.");
}

async function toolsOf(text: string): Promise<unknown[]> {
  const value = await parsed(text);
  if (Array.isArray(value)) return value as unknown[];
  throw new InputError("The tools are no JSON array.");
}

/** Undefined: it is no JSON. */
async function parsed(text: string): Promise<unknown> {
  return new Response(text).json().catch(() => undefined);
}
