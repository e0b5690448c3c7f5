// The answer under construction: its items so far, and how each is opened, closed and addressed.
import { unreadable } from "../../providers/transport/json-answer.ts";
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

/** Takes a record without its sequence number. */
export type Emit = (type: string, fields: Record<string, unknown>) => void;

export type Message = Extract<OutputItem, { type: "message" }>;
export type Reasoning = Extract<OutputItem, { type: "reasoning" }>;
export type Call = Extract<OutputItem, { type: "function_call" | "custom_tool_call" }>;

export interface OpenCall {
  item: Call;
  /** Arguments so far; a custom tool's input is inside them, as JSON. */
  text: string;
}

/** An answer under construction. */
export interface Output {
  emit: Emit;
  /** The end of the items' ids. */
  idTail: string;
  callables: ReadonlyMap<string, Callable>;
  /** In their current state. */
  items: OutputItem[];
  /** The item that text or thinking is appended to. */
  current: Message | Reasoning | null;
  /** By chat's index; all stay open until the end, because parallel calls may alternate. */
  calls: Map<number, OpenCall>;
  /** The item that was last appended to. */
  last: OutputItem | null;
  /** Written so far. The end of a stream repeats the whole answer, so it is kept and bounded. */
  characters: number;
}

export function newOutput(rules: Pick<Output, "emit" | "idTail" | "callables">): Output {
  return { ...rules, items: [], current: null, calls: new Map(), last: null, characters: 0 };
}

/** Far more switches between thinking, text and calls than any model makes; each item is looked up in the list of all. */
const itemsMax = 16_384;

export function openItem<Item extends OutputItem>(output: Output, item: Item): Item {
  if (output.items.length >= itemsMax) throw unreadable("the answer has too many items");
  output.emit("response.output_item.added", { output_index: output.items.length, item });
  output.items.push(item);
  return item;
}

export function closeItem(output: Output, item: OutputItem): void {
  output.emit("response.output_item.done", { output_index: indexOf(output, item), item });
}

export function nextId({ idTail, items }: Output, prefix: string): string {
  return `${prefix}_${idTail}_${items.length}`;
}

export function placeOf(output: Output, item: OutputItem): { output_index: number; item_id: string } {
  return { output_index: indexOf(output, item), item_id: item.id };
}

/** Searches from the end: it is nearly always the last item. */
function indexOf({ items }: Output, item: OutputItem): number {
  return items.lastIndexOf(item);
}

export function endStatus({ last }: Output, item: OutputItem, cut: boolean): Message["status"] {
  return cut && item === last ? "incomplete" : "completed";
}
