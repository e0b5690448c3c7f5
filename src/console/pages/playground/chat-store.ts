// The conversation: columns of models, turns, and an answer of each column to each turn. It is held in memory, beside the page, so that it
// is still there after a look at another page or a new sign-in.
import { useSyncExternalStore } from "react";
import { onWorkspaceChange } from "../../lib/workspace.ts";

export interface Column {
  id: number;
  model: string;
}

export interface ToolCall {
  /** The stream's number of it within the answer. */
  index: number;
  id: string;
  name: string;
  /** JSON, as the model wrote it. */
  arguments: string;
  /** What the reader says came of it: JSON or text. Nothing here calls anything. */
  result: string;
}

/** As a data address: it goes with the message and is nowhere else. */
export interface Picture {
  name: string;
  url: string;
}

export interface Answer {
  id: number;
  column: number;
  model: string;
  text: string;
  reasoning: string;
  /** What the model wants to be called. */
  calls: readonly ToolCall[];
  /** Whether the results of its calls were sent. The next answer of its column in the turn goes on with them. */
  answered: boolean;
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
  /** One of each column, and those that go on with the results of tool calls. */
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
  /** Whether it was read from a link: what it says then was not heard from the gateway. */
  fromLink: boolean;
}

export const mostColumns = 4;
const exampleSchema = `{
  "type": "object",
  "properties": { "name": { "type": "string" } },
  "required": ["name"],
  "additionalProperties": false
}`;

export const settings: Settings = {
  system: "",
  temperature: "",
  topP: "",
  maxTokens: "",
  effort: "",
  format: "text",
  schema: exampleSchema,
  tools: "",
};
const empty: Chat = { columns: [], turns: [], settings, draft: "", pictures: [], fromLink: false };
let chat = empty;
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

/** Nothing was said, written or set yet. */
export function isUntouched(now: Chat): boolean {
  return now.turns.length === 0 && now.draft === "" && now.pictures.length === 0 && now.settings === settings;
}

export function newId(): number {
  return next++;
}

export function setModels(models: readonly string[]): void {
  setChat({ columns: models.slice(0, mostColumns).map((model, at) => ({ id: chat.columns[at]?.id ?? newId(), model })) });
}

export function changeAnswer(id: number, changed: (answer: Answer) => Partial<Answer>): void {
  const turns = chat.turns.map((turn) =>
    turn.answers.some((answer) => answer.id === id)
      ? { ...turn, answers: turn.answers.map((answer) => (answer.id === id ? { ...answer, ...changed(answer) } : answer)) }
      : turn,
  );
  setChat({ turns });
}

/** Whether the results of its calls may be sent: in the last turn, and nothing but failures came after it in its column. */
export function isOpen({ turns }: Pick<Chat, "turns">, answer: Answer): boolean {
  const own = turns.at(-1)?.answers.filter(({ column }) => column === answer.column) ?? [];
  const at = own.findIndex(({ id }) => id === answer.id);
  const failedSince = own.slice(at + 1).every(({ state }) => state === "failed" || state === "stopped");
  return at >= 0 && answer.state === "done" && answer.calls.length > 0 && failedSince;
}

/** The conversation with the results of an answer's calls sent. What failed after it gives way. */
export function withResults(before: Chat, { id, column }: Answer): Chat {
  const turns = before.turns.map((turn) => {
    const own = turn.answers.filter((one) => one.column === column);
    const kept = own.slice(0, own.findIndex((one) => one.id === id) + 1);
    if (kept.length === 0) return turn;
    const answers = turn.answers.filter((one) => one.column !== column || kept.includes(one));
    return { ...turn, answers: answers.map((one) => (one.id === id ? { ...one, answered: true } : one)) };
  });
  return { ...before, turns };
}

// Nothing of one workspace is shown in another.
onWorkspaceChange(() => setChat(empty));
