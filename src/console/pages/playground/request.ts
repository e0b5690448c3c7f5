// The body that a column sends: what was said before it in the column, the new message, the settings that are set.
import type { ChatRequest } from "svc-sdk/functions";
import { type Answer, type Chat, type Column, isOpen, type Picture, type Settings, type Turn, withResults } from "./chat-store.ts";

interface Message {
  text: string;
  pictures: readonly Picture[];
}

type Messages = ChatRequest["messages"];
type Content = Messages[number]["content"];
type Asker = Pick<Column, "id" | "model">;

/** Without a message it ends with the results of tool calls. */
export async function requestOf({ turns, settings }: Chat, { id, model }: Asker, message: Message | null): Promise<ChatRequest> {
  const messages: Messages = settings.system.trim() === "" ? [] : [{ role: "system", content: settings.system }];
  for (const turn of turns) messages.push(...messagesOf(turn, id));
  if (message !== null) messages.push({ role: "user", content: contentOf(message) });
  return { model, messages, ...(await parametersOf(settings)) };
}

/** What the column sends next, the message or the results that are written; where nothing is, what it sent last. */
export async function nextRequest(chat: Chat, column: Asker): Promise<ChatRequest> {
  const { draft, pictures, turns } = chat;
  const turn = turns.at(-1);
  const answers = turn?.answers.filter((one) => one.column === column.id) ?? [];
  const last = answers.at(-1);
  if (turn === undefined || last === undefined || draft.trim() !== "")
    return requestOf(chat, column, { text: draft.trim() === "" ? "Hello" : draft, pictures });
  if (isOpen(chat, last) && last.calls.every(({ result }) => result.trim() !== "")) return requestOf(withResults(chat, last), column, null);
  const before = turns.slice(0, -1);
  if (answers.length === 1) return requestOf({ ...chat, turns: before }, column, turn);
  return requestOf({ ...chat, turns: [...before, { ...turn, answers: answers.slice(0, -1) }] }, column, null);
}

/** What has no answer is not part of the conversation. */
function messagesOf(turn: Turn, column: number): Messages {
  const said = turn.answers.filter((one) => one.column === column).flatMap(saidBy);
  return said.length === 0 ? [] : [{ role: "user", content: contentOf(turn) }, ...said];
}

/** Hosts refuse calls without their results: those that have none are left out. */
function saidBy({ text, calls, answered }: Answer): Messages {
  if (!answered) return text === "" ? [] : [{ role: "assistant", content: text }];
  const made = calls.map(({ id, name, arguments: given }) => ({ id, type: "function" as const, function: { name, arguments: given } }));
  return [
    { role: "assistant", content: text === "" ? null : text, tool_calls: made },
    ...calls.map(({ id, result }) => ({ role: "tool" as const, tool_call_id: id, content: result })),
  ];
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
  throw new InputError("The schema is not a JSON object.");
}

async function toolsOf(text: string): Promise<unknown[]> {
  const value = await parsed(text);
  if (Array.isArray(value)) return value as unknown[];
  throw new InputError("The tools are not a JSON array.");
}

/** Undefined: it is no JSON. */
async function parsed(text: string): Promise<unknown> {
  return new Response(text).json().catch(() => undefined);
}
