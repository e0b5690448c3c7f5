// A conversation as the part of a link behind its #: compressed, bounded, and checked field by field when it is read, since anyone can write a link.
import {
  type Answer,
  type Chat,
  type Column,
  mostColumns,
  newId,
  type Settings,
  settings as ownSettings,
  type ToolCall,
  type Turn,
} from "./chat-store.ts";

/** Of the part behind the #. Mail programs and chats cut longer ones. */
export const longestCode = 32_000;
/** Of what it holds, in bytes: a small part could hold a huge one. */
const mostBytes = 1_000_000;
/** Of each list: turns, answers of a turn, calls of an answer. */
const mostRows = 500;

export interface Share {
  workspace: string;
  columns: readonly Column[];
  turns: readonly Turn[];
  settings: Settings;
}

/** Pictures are left out: one alone would be longer than a link may be. */
export async function codeOfChat({ columns, turns, settings }: Chat, workspace: string): Promise<string> {
  const told = turns.map(({ text, answers }) => ({ text, answers: answers.filter(isSaid).map(shownAnswer) }));
  const json = JSON.stringify({ version: 1, workspace, columns, turns: told, settings });
  const packed = new Blob([json]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

const isSaid = ({ text, calls }: Answer) => text !== "" || calls.length > 0;

function shownAnswer({ column, model, text, reasoning, calls, answered, state, cost, requestId, firstMs, wholeMs }: Answer) {
  return { column, model, text, reasoning, calls, answered, whole: state === "done", cost, requestId, firstMs, wholeMs };
}

/** Fails for what no console wrote. */
export async function chatOfCode(code: string): Promise<Share> {
  if (code.length > longestCode) throw new Error("the link is too long.");
  const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).pipeThrough(bounded());
  const found = recordOf(await new Response(stream).json());
  const columns = listOf(found["columns"]).slice(0, mostColumns).map(recordOf);
  const ids = new Map(columns.map(({ id }) => [id, newId()]));
  return {
    workspace: textOf(found["workspace"]),
    columns: columns.map(({ id, model }) => ({ id: ids.get(id) ?? newId(), model: textOf(model) })),
    turns: listOf(found["turns"]).map((turn) => turnOf(recordOf(turn), ids)),
    settings: settingsOf(recordOf(found["settings"])),
  };
}

function bounded(): TransformStream<BufferSource, BufferSource> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > mostBytes) throw new Error("the conversation is too long.");
      controller.enqueue(chunk);
    },
  });
}

function turnOf({ text, answers }: Fields, ids: Map<unknown, number>): Turn {
  return { id: newId(), text: textOf(text), pictures: [], answers: listOf(answers).map((answer) => answerOf(recordOf(answer), ids)) };
}

/** A column that was taken away since keeps its answers. */
function answerOf(answer: Fields, ids: Map<unknown, number>): Answer {
  const { column, requestId, whole } = answer;
  if (!ids.has(column)) ids.set(column, newId());
  return {
    ...{ id: newId(), column: ids.get(column) ?? 0, model: textOf(answer["model"]) },
    ...{ text: textOf(answer["text"]), reasoning: textOf(answer["reasoning"]) },
    ...{ calls: listOf(answer["calls"]).map((call, index) => callOf(recordOf(call), index)), answered: answer["answered"] === true },
    ...{ state: whole === true ? "done" : "stopped", error: null, startedAt: 0 },
    ...{ cost: numberOf(answer["cost"]), firstMs: numberOf(answer["firstMs"]), wholeMs: numberOf(answer["wholeMs"]) },
    requestId: typeof requestId === "string" && /^req_[0-9a-f]{1,64}$/.test(requestId) ? requestId : null,
  };
}

function callOf({ id, name, arguments: given, result }: Fields, index: number): ToolCall {
  return { index, id: textOf(id), name: textOf(name), arguments: textOf(given), result: textOf(result) };
}

const formats: readonly Settings["format"][] = ["text", "json_object", "json_schema"];

function settingsOf(fields: Fields): Settings {
  const names = Object.keys(ownSettings) as (keyof Settings)[];
  const texts = Object.fromEntries(names.map((name) => [name, textOf(fields[name])])) as Record<keyof Settings, string>;
  return { ...texts, format: formats.find((one) => one === texts.format) ?? "text" };
}

type Fields = Record<string, unknown>;

const listOf = (value: unknown): unknown[] => (Array.isArray(value) && value.length <= mostRows ? value : wrong());
const textOf = (value: unknown): string => (typeof value === "string" ? value : wrong());
const numberOf = (value: unknown): number | null => (typeof value === "number" || value === null ? value : wrong());

function recordOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : wrong();
}

function wrong(): never {
  throw new Error("the link holds no conversation.");
}
