// An answer that is being made: its items so far, and how each is opened, closed and pointed at.
import { UpstreamError } from "../../providers/types.ts";
import type { Callable, OutputItem } from "./types.ts";

/** What a chat chunk adds. */
export interface Delta {
  content?: string | null;
  reasoning_content?: string | null;
  refusal?: string | null;
  tool_calls?: CallDelta[] | null;
}

export interface CallDelta {
  index: number;
  id?: string;
  function?: { name?: string | null; arguments?: string | null } | null;
}

/** Takes a record without its number. */
export type Emit = (type: string, fields: Record<string, unknown>) => void;

export type Message = Extract<OutputItem, { type: "message" }>;
export type Reasoning = Extract<OutputItem, { type: "reasoning" }>;
export type Call = Extract<OutputItem, { type: "function_call" | "custom_tool_call" }>;

export interface OpenCall {
  item: Call;
  /** Arguments so far; a custom tool's input stands in them as JSON. */
  text: string;
}

/** An answer that is being made. */
export interface Output {
  emit: Emit;
  /** Ends the ids of the items. */
  idTail: string;
  callables: ReadonlyMap<string, Callable>;
  /** As they stand. */
  items: OutputItem[];
  /** The item that text or thinking is added to. */
  current: Message | Reasoning | null;
  /** By chat's index; open until the end, because parallel ones may take turns. */
  calls: Map<number, OpenCall>;
  /** What the last piece was added to. */
  last: OutputItem | null;
  /** Characters that may still be added. */
  room: number;
}

/** The end of a stream says the whole answer again, so all of it is kept: more than any model writes is too much. */
const charactersMax = 67_108_864;
/** What a piece and an item take beside their characters. */
const pieceCharacters = 64;
const itemCharacters = 2_048;

function takeRoom(output: Output, characters: number): void {
  output.room -= characters;
  if (output.room < 0) throw new UpstreamError("unreadable", "the answer is too long", { status: 200 });
}

/** Throws UpstreamError where an answer has no end. */
export function takePiece(output: Output, piece: string): void {
  takeRoom(output, piece.length + pieceCharacters);
}

export function newOutput(rules: Pick<Output, "emit" | "idTail" | "callables">): Output {
  return { ...rules, items: [], current: null, calls: new Map(), last: null, room: charactersMax };
}

export function openItem<Item extends OutputItem>(output: Output, item: Item): Item {
  takeRoom(output, itemCharacters);
  output.emit("response.output_item.added", { output_index: output.items.length, item });
  output.items.push(item);
  return item;
}

export function closeItem(output: Output, item: OutputItem): void {
  output.emit("response.output_item.done", { output_index: output.items.indexOf(item), item });
}

export function nextId({ idTail, items }: Output, prefix: string): string {
  return `${prefix}_${idTail}_${items.length}`;
}

export function placeOf({ items }: Output, item: OutputItem): { output_index: number; item_id: string } {
  return { output_index: items.indexOf(item), item_id: item.id };
}

export function endStatus({ last }: Output, item: OutputItem, cut: boolean): Message["status"] {
  return cut && item === last ? "incomplete" : "completed";
}
