// The body that a column sends: what was said before it in the column, the new message, the settings that are set.
import type { ChatRequest } from "svc-sdk/functions";
import type { Chat, Settings } from "./chat-store.ts";

export async function requestOf({ turns, settings }: Chat, model: string, column: number, text: string): Promise<ChatRequest> {
  const messages: ChatRequest["messages"] = settings.system.trim() === "" ? [] : [{ role: "system", content: settings.system }];
  for (const turn of turns) {
    const answer = turn.answers.find((one) => one.column === column);
    // What has no answer is not part of the conversation.
    if (answer === undefined || answer.text === "") continue;
    messages.push({ role: "user", content: turn.text }, { role: "assistant", content: answer.text });
  }
  messages.push({ role: "user", content: text });
  return { model, messages, ...(await parametersOf(settings)) };
}

async function parametersOf({ temperature, topP, maxTokens, effort, format, schema }: Settings): Promise<Partial<ChatRequest>> {
  return {
    ...(temperature === "" ? {} : { temperature: Number(temperature) }),
    ...(topP === "" ? {} : { top_p: Number(topP) }),
    ...(maxTokens === "" ? {} : { max_tokens: Number(maxTokens) }),
    ...(effort === "" ? {} : { reasoning_effort: effort as NonNullable<ChatRequest["reasoning_effort"]> }),
    ...(format === "json_object" ? { response_format: { type: format } } : {}),
    ...(format === "json_schema"
      ? { response_format: { type: format, json_schema: { name: "answer", strict: true, schema: await parsed(schema) } } }
      : {}),
  };
}

/** The schema is no JSON object. */
export class SchemaError extends Error {}

async function parsed(text: string): Promise<Record<string, unknown>> {
  try {
    const value: unknown = await new Response(text).json();
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // As below.
  }
  throw new SchemaError("The schema is no JSON object.");
}
