// A model's thinking and text as output items, of which one at a time is open.
import { closeItem, endStatus, type Message, nextId, openItem, type Output, placeOf, type Reasoning } from "./output.ts";
import type { Logprob } from "./types.ts";

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
