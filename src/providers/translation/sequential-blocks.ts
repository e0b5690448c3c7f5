// Writes the content blocks of a streamed message one after another, counted from 0 without gaps, however the upstream mixes text,
// thinking and parallel tool calls (docs/behaviour/translation.md#chat-stream-to-messages).
import { unreadable } from "../transport/json.ts";
import type { MessageRecord } from "../verbs/messages.ts";

/** Text, thinking, or the upstream's index of a tool call. */
type Target = "thinking" | "text" | number;

interface Block {
  target: Target;
  start: Record<string, unknown>;
  /** Set for a tool call. */
  progress: ArgumentProgress | null;
  /** Arguments that came while another tool call was open. */
  held: string[];
}

export interface SequentialBlocks {
  thinking(piece: string): void;
  text(piece: string): void;
  /** `start` (id and name) opens the call. */
  tool(index: number, start: { id: string; name: string } | null, piece: string): void;
  /** Closes every block. False where a tool call's arguments are incomplete. */
  end(): boolean;
  /** The records since the last call. */
  take(): MessageRecord[];
}

/** Characters that may wait for an open tool call to end. */
const heldMax = 4_194_304;
/** Added to the characters of each waiting block, so that thousands of empty blocks reach the bound too. */
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

/** Text and thinking may end at any point. */
function isComplete({ progress }: Block): boolean {
  return progress === null || progress.state === "complete";
}

function deltaOf(target: Target, piece: string): object {
  if (target === "text") return { type: "text_delta", text: piece };
  return target === "thinking" ? { type: "thinking_delta", thinking: piece } : { type: "input_json_delta", partial_json: piece };
}

// Tells whether the arguments of a tool call, received in pieces, are a complete JSON object. Keeps none of the text.

interface ArgumentProgress {
  depth: number;
  inString: boolean;
  escaped: boolean;
  state: "empty" | "open" | "complete" | "broken";
}

function newProgress(): ArgumentProgress {
  return { depth: 0, inString: false, escaped: false, state: "empty" };
}

/** An object closes once: with anything but white space before or after it, the text is not an object. */
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
