// The answer under construction: its items so far, and how each is opened, closed and addressed.
import { unreadable } from "../../providers/transport/json.ts";
import type { Callable, Logprob, OutputItem } from "./types.ts";

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

type Message = Extract<OutputItem, { type: "message" }>;
type Reasoning = Extract<OutputItem, { type: "reasoning" }>;
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

// A model's thinking and text as output items, of which one at a time is open.

export function closeCurrent(output: Output, cut: boolean): void {
  const { current } = output;
  output.current = null;
  if (current === null) return;
  if (current.type === "reasoning") closeThought(output, current);
  else {
    closePart(output, current);
    current.status = endStatus(output, current, cut);
  }
  closeItem(output, current);
}

export function think(output: Output, delta: string): void {
  const item = output.current?.type === "reasoning" ? output.current : openThought(output);
  item.summary[0]!.text += delta;
  output.last = item;
  output.emit("response.reasoning_summary_text.delta", { ...placeOf(output, item), summary_index: 0, delta });
}

function openThought(output: Output): Reasoning {
  closeCurrent(output, false);
  const item = openItem<Reasoning>(output, { id: nextId(output, "rs"), type: "reasoning", summary: [], encrypted_content: "" });
  const part = { type: "summary_text" as const, text: "" };
  output.emit("response.reasoning_summary_part.added", { ...placeOf(output, item), summary_index: 0, part });
  item.summary.push(part);
  output.current = item;
  return item;
}

function closeThought(output: Output, item: Reasoning): void {
  const place = { ...placeOf(output, item), summary_index: 0 };
  const part = item.summary[0]!;
  output.emit("response.reasoning_summary_text.done", { ...place, text: part.text });
  output.emit("response.reasoning_summary_part.done", { ...place, part });
}

export function isTextOpen({ current }: Output): boolean {
  return current?.type === "message" && current.content.at(-1)?.type === "output_text";
}

export function say(output: Output, kind: "output_text" | "refusal", delta: string, logprobs: readonly Logprob[] = []): void {
  const item = output.current?.type === "message" ? output.current : openMessage(output);
  const open = item.content.at(-1);
  const part = open?.type === kind ? open : openPart(output, item, kind);
  output.last = item;
  const place = { ...placeOf(output, item), content_index: item.content.length - 1 };
  if (part.type === "output_text") {
    part.text += delta;
    for (const entry of logprobs) part.logprobs.push(entry);
    output.emit("response.output_text.delta", { ...place, delta, logprobs });
  } else {
    part.refusal += delta;
    output.emit("response.refusal.delta", { ...place, delta });
  }
}

function openMessage(output: Output): Message {
  closeCurrent(output, false);
  const id = nextId(output, "msg");
  const item = openItem<Message>(output, { id, type: "message", role: "assistant", status: "in_progress", content: [] });
  output.current = item;
  return item;
}

function openPart(output: Output, item: Message, kind: "output_text" | "refusal"): Message["content"][number] {
  closePart(output, item);
  const part: Message["content"][number] =
    kind === "refusal" ? { type: kind, refusal: "" } : { type: kind, text: "", annotations: [], logprobs: [] };
  output.emit("response.content_part.added", { ...placeOf(output, item), content_index: item.content.length, part });
  item.content.push(part);
  return part;
}

function closePart(output: Output, item: Message): void {
  const part = item.content.at(-1);
  if (part === undefined) return;
  const place = { ...placeOf(output, item), content_index: item.content.length - 1 };
  if (part.type === "output_text") output.emit("response.output_text.done", { ...place, text: part.text, logprobs: part.logprobs });
  else output.emit("response.refusal.done", { ...place, refusal: part.refusal });
  output.emit("response.content_part.done", { ...place, part });
}
