// The conversation: columns of models, turns, and an answer of each column to each turn. It is held in memory, beside the page, so that it
// is still there after a look at another page or a new sign-in.
import { useSyncExternalStore } from "react";

export interface Column {
  id: number;
  model: string;
}

export interface ToolCall {
  name: string;
  /** JSON, as the model wrote it. */
  arguments: string;
}

/** As a data address: it goes with the message and is nowhere else. */
export interface Picture {
  name: string;
  url: string;
}

export interface Answer {
  column: number;
  model: string;
  text: string;
  reasoning: string;
  /** What the model wants to be called. Nothing calls it. */
  calls: readonly ToolCall[];
  state: "running" | "done" | "stopped" | "failed";
  error: unknown;
  /** USD; null until the gateway has said it. */
  cost: number | null;
  requestId: string | null;
  startedAt: number;
  firstMs: number | null;
  wholeMs: number | null;
}

export interface Turn {
  id: number;
  text: string;
  pictures: readonly Picture[];
  answers: readonly Answer[];
}

export interface Settings {
  system: string;
  temperature: string;
  topP: string;
  maxTokens: string;
  effort: string;
  format: "text" | "json_object" | "json_schema";
  schema: string;
  /** JSON, as the API takes them; empty: none. */
  tools: string;
}

export interface Chat {
  columns: readonly Column[];
  turns: readonly Turn[];
  settings: Settings;
  draft: string;
  pictures: readonly Picture[];
}

export const mostColumns = 4;
const exampleSchema = `{
  "type": "object",
  "properties": { "name": { "type": "string" } },
  "required": ["name"],
  "additionalProperties": false
}`;

const settings: Settings = {
  system: "",
  temperature: "",
  topP: "",
  maxTokens: "",
  effort: "",
  format: "text",
  schema: exampleSchema,
  tools: "",
};
let chat: Chat = { columns: [], turns: [], settings, draft: "", pictures: [] };
let next = 1;
const listeners = new Set<() => void>();

export function useChat(): Chat {
  return useSyncExternalStore(
    (listener) => (listeners.add(listener), () => void listeners.delete(listener)),
    () => chat,
  );
}

export function readChat(): Chat {
  return chat;
}

export function setChat(changed: Partial<Chat>): void {
  chat = { ...chat, ...changed };
  for (const listener of listeners) listener();
}

export function newId(): number {
  return next++;
}

export function setModels(models: readonly string[]): void {
  setChat({ columns: models.slice(0, mostColumns).map((model, at) => ({ id: chat.columns[at]?.id ?? newId(), model })) });
}

export function changeAnswer(turn: number, column: number, changed: (answer: Answer) => Partial<Answer>): void {
  const turns = chat.turns.map((one) =>
    one.id !== turn
      ? one
      : { ...one, answers: one.answers.map((answer) => (answer.column === column ? { ...answer, ...changed(answer) } : answer)) },
  );
  setChat({ turns });
}
