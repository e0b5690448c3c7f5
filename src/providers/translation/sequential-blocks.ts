// Content blocks of a streamed message: strictly one after another, counted from 0 without gaps, however the upstream mixes
// text, thinking and parallel tool calls (WIRE.md 8.4).
import { unreadable } from "../transport/json-answer.ts";
import type { MessageRecord } from "../verbs/messages.ts";

/** Text, thinking, or the upstream's index of a tool call. */
type Target = "thinking" | "text" | number;

interface Block {
  target: Target;
  start: Record<string, unknown>;
  /** Of a tool call. */
  progress: ArgumentProgress | null;
  /** What came while another tool call was still open. */
  held: string[];
}

export interface SequentialBlocks {
  thinking(piece: string): void;
  text(piece: string): void;
  /** `start` opens the call: its id and name. */
  tool(index: number, start: { id: string; name: string } | null, piece: string): void;
  /** Closes every block. False where a tool call has half its arguments. */
  end(): boolean;
  /** The records since the last time. */
  take(): MessageRecord[];
}

/** Characters that may wait for an open tool call to end. */
const heldMax = 4_194_304;
/** What a block counts beside its characters: some thousands that say nothing are too many as well. */
const blockCharacters = 1_024;

export function openSequentialBlocks(): SequentialBlocks {
  const writer = openWriter();
  let waiting: Block[] = [];
  let heldCharacters = 0;

  /** A call's block ends when its arguments are whole: then the next that waits is played. */
  function playWaiting(): void {
    for (let open = writer.open(); open !== null && waiting.length > 0 && isComplete(open); open = writer.open()) {
      writer.close(open);
      writer.begin(waiting.shift()!);
    }
  }

  function deliver(target: Target, start: Record<string, unknown> | null, piece: string): void {
    const open = writer.open();
    if (open?.target === target) {
      writer.write(open, piece);
      return playWaiting();
    }
    if (writer.hasClosed(target)) {
      if (piece.trim() !== "") throw unreadable("a tool call goes on after its end");
      return;
    }
    if (open !== null && !isComplete(open)) return hold(target, start, piece);
    if (start === null) throw unreadable("a tool call has no beginning");
    if (open !== null) writer.close(open);
    writer.begin(newBlock(target, start, piece));
  }

  function hold(target: Target, start: Record<string, unknown> | null, piece: string): void {
    const known = typeof target === "number" ? waiting.find((block) => block.target === target) : waiting.at(-1);
    const isKnown = known?.target === target;
    heldCharacters += piece.length + (isKnown ? 0 : blockCharacters);
    if (heldCharacters > heldMax) throw unreadable("too much waits for a tool call to end");
    if (isKnown) return void (piece === "" || known.held.push(piece));
    if (start === null) throw unreadable("a tool call has no beginning");
    waiting.push(newBlock(target, start, piece));
  }

  return {
    thinking: (piece) => deliver("thinking", { type: "thinking", thinking: "", signature: "" }, piece),
    text: (piece) => deliver("text", { type: "text", text: "" }, piece),
    tool: (at, start, piece) => deliver(at, start && { type: "tool_use", ...start, input: {} }, piece),
    end() {
      const open = writer.open();
      for (const block of [...(open === null ? [] : [open]), ...waiting]) {
        if (block !== open) writer.begin(block);
        writer.close(block);
      }
      waiting = [];
      return writer.isWhole();
    },
    take: writer.take,
  };
}

/** Writes one block after another as records. */
function openWriter() {
  let records: MessageRecord[] = [];
  let index = -1;
  let open: Block | null = null;
  let whole = true;
  const closedCalls = new Set<Target>();

  const emit = (event: MessageRecord["event"], data: object) =>
    void records.push({ event, json: JSON.stringify({ type: event, ...data }) });

  function begin(block: Block): void {
    open = block;
    index += 1;
    emit("content_block_start", { index, content_block: block.start });
    for (const piece of block.held) write(block, piece);
    block.held = [];
  }

  function write(block: Block, piece: string): void {
    if (piece === "") return;
    emit("content_block_delta", { index, delta: deltaOf(block.target, piece) });
    if (block.progress) advance(block.progress, piece);
  }

  function close(block: Block): void {
    emit("content_block_stop", { index });
    if (block.progress) {
      closedCalls.add(block.target);
      whole &&= block.progress.state === "complete" || block.progress.state === "empty";
    }
    open = null;
  }

  return {
    begin,
    write,
    close,
    open: () => open,
    /** Calls of tools alone. */
    hasClosed: (target: Target) => closedCalls.has(target),
    /** False where a call was closed with half its arguments. */
    isWhole: () => whole,
    take() {
      const taken = records;
      records = [];
      return taken;
    },
  };
}

function newBlock(target: Target, start: Record<string, unknown>, piece: string): Block {
  return { target, start, progress: typeof target === "number" ? newProgress() : null, held: [piece] };
}

/** Text and thinking may end anywhere. */
function isComplete({ progress }: Block): boolean {
  return progress === null || progress.state === "complete";
}

function deltaOf(target: Target, piece: string): object {
  if (target === "text") return { type: "text_delta", text: piece };
  return target === "thinking" ? { type: "thinking_delta", thinking: piece } : { type: "input_json_delta", partial_json: piece };
}

// Whether the arguments of a tool call, as they come piece by piece, are a whole JSON object yet. Keeps nothing of them.

interface ArgumentProgress {
  depth: number;
  inString: boolean;
  escaped: boolean;
  state: "empty" | "open" | "complete" | "broken";
}

function newProgress(): ArgumentProgress {
  return { depth: 0, inString: false, escaped: false, state: "empty" };
}

/** An object closes once: anything but white space after it, or before it, is no object. */
function advance(progress: ArgumentProgress, piece: string): void {
  for (const character of piece) {
    if (progress.inString) inString(progress, character);
    else if (!isSpace(character)) outside(progress, character);
  }
}

function inString(progress: ArgumentProgress, character: string): void {
  if (progress.escaped) progress.escaped = false;
  else if (character === "\\") progress.escaped = true;
  else if (character === '"') progress.inString = false;
}

function outside(progress: ArgumentProgress, character: string): void {
  if (progress.state === "empty") progress.state = character === "{" ? "open" : "broken";
  else if (progress.state === "complete") progress.state = "broken";
  if (progress.state !== "open") return;
  if (character === '"') progress.inString = true;
  else if (character === "{" || character === "[") progress.depth += 1;
  else if ((character === "}" || character === "]") && --progress.depth === 0) progress.state = "complete";
}

function isSpace(character: string): boolean {
  return character === " " || character === "\n" || character === "\r" || character === "\t";
}
