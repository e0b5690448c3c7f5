// What a message says, as blocks of tokens: thinking, text or a document, calls of tools.
// Plain data for both forms of the reply (message.ts); counting and cutting happen here, once.
import { countTokens, splitTokens } from "../prose.ts";
import { chooseTools, cutCalls, makeCalls, type Tool, type ToolCall } from "../called-tools.ts";
import { isFields, type Fields } from "../request-fields.ts";
import { madeUpId, seededRandom, type Random } from "../seed.ts";
import { stopAt, writeText, writeThought } from "../words.ts";
import type { MessageRequest } from "./read-request.ts";

export type AnswerBlock =
  | { type: "thinking" | "redacted_thinking" | "text"; tokens: string[] }
  | { type: "tool_use" | "server_tool_use"; call: ToolCall; tokens: string[] }
  /** What the search of that id found, or the fetch brought. */
  | { type: "web_search_tool_result" | "web_fetch_tool_result"; id: string; tokens: string[] };

export interface Answer {
  blocks: AnswerBlock[];
  stopReason: string;
  stopSequence: string | null;
  /** All of it, thinking included. */
  tokens: number;
  thinkingTokens: number;
}

export function answerMessage(request: MessageRequest): Answer {
  const { directives, tokensMax } = request;
  const random = seededRandom(`${request.seed}:0`);
  const blocks = preamble(request, random);
  const thinkingTokens = () => blocks.reduce((sum, { type, tokens }) => sum + (type.endsWith("thinking") ? tokens.length : 0), 0);
  blocks.push(...searchTheWeb(request), ...fetchFromTheWeb(request));
  const before = cutBlocks(blocks, tokensMax);
  const left = tokensMax - before;
  const called = callTools(request, random);
  let stopReason = "end_turn";
  let stopSequence: string | null = null;
  if (called.length > 0) {
    const { calls, isCut } = cutCalls(called, left);
    stopReason = isCut ? "max_tokens" : "tool_use";
    for (const call of calls) blocks.push({ type: "tool_use", call, tokens: call.argumentTokens });
  } else {
    const whole = writeText(request, random);
    const cut = left < whole.length ? whole.slice(0, left) : whole;
    const { tokens, stoppedBy } = stopAt(cut, request.stop);
    if (stoppedBy !== null) [stopReason, stopSequence] = ["stop_sequence", stoppedBy];
    else if (cut.length < whole.length) stopReason = "max_tokens";
    if (tokens.length > 0) blocks.push({ type: "text", tokens });
  }
  const tokens = blocks.reduce((sum, block) => sum + block.tokens.length + ("call" in block ? block.call.nameTokens : 0), 0);
  if (directives.finishFiltered) [stopReason, stopSequence] = ["refusal", null];
  if (directives.finishPause) stopReason = "pause_turn";
  if (directives.finishWindow) stopReason = "model_context_window_exceeded";
  return { blocks, stopReason, stopSequence, tokens, thinkingTokens: thinkingTokens() };
}

/** Thinking ahead of the answer; with sim-interleaved a word in between and a second thought. */
function preamble({ directives, thinkingTokens }: MessageRequest, random: Random): AnswerBlock[] {
  const thought = writeThought(random, thinkingTokens);
  const blocks: AnswerBlock[] = thought.length > 0 ? [{ type: "thinking", tokens: thought }] : [];
  if (directives.redacted) blocks.push({ type: "redacted_thinking", tokens: writeThought(random, 8) });
  if (!directives.interleaved) return blocks;
  blocks.push({ type: "text", tokens: writeThought(random, 6) });
  if (thought.length > 0) blocks.push({ type: "thinking", tokens: writeThought(random, 8) });
  return blocks;
}

/** Asks for what the user said, as often as it searches. */
function searchTheWeb({ searches, userText, seed }: MessageRequest): AnswerBlock[] {
  return Array.from({ length: searches }, (_, index) => index).flatMap((index): AnswerBlock[] => {
    return ranTool("web_search", `${seed}:${index}`, { query: userText.slice(0, 40) });
  });
}

function fetchFromTheWeb({ fetches, seed }: MessageRequest): AnswerBlock[] {
  return Array.from({ length: fetches }, (_, index) => index).flatMap((index) =>
    ranTool("web_fetch", `${seed}:fetch:${index}`, { url: `https://example.org/lighthouse/${index}` }),
  );
}

function ranTool(name: "web_search" | "web_fetch", seed: string, input: Fields): AnswerBlock[] {
  const id = madeUpId("srvtoolu_", seed);
  const argumentTokens = splitTokens(JSON.stringify(input));
  const call = { id, name, nameTokens: countTokens(name), argumentTokens };
  return [
    { type: "server_tool_use", call, tokens: argumentTokens },
    { type: `${name}_tool_result`, id, tokens: [] },
  ];
}

/** Cuts the list in place to so many tokens; how many it has then. */
function cutBlocks(blocks: AnswerBlock[], tokensMax: number): number {
  let used = 0;
  for (const [index, block] of blocks.entries()) {
    if (used >= tokensMax) blocks.length = index;
    else block.tokens = block.tokens.slice(0, tokensMax - used);
    used += index < blocks.length ? block.tokens.length : 0;
  }
  return used;
}

/** None after a tool's result, so that a client's loop ends; server tools are never called. */
function callTools({ fields, hasResults, userText, seed }: MessageRequest, random: Random): ToolCall[] {
  const choice = isFields(fields["tool_choice"]) ? fields["tool_choice"] : { type: "auto" };
  if (hasResults || choice["type"] === "none" || !Array.isArray(fields["tools"])) return [];
  const tools = fields["tools"].filter((tool): tool is Fields => isFields(tool) && isFields(tool["input_schema"])).map(toTool);
  const chosen =
    choice["type"] === "tool"
      ? tools.filter(({ name }) => name === choice["name"])
      : chooseTools(tools, userText, choice["type"] === "any");
  return makeCalls(choice["disable_parallel_tool_use"] === true ? chosen.slice(0, 1) : chosen, "toolu_", seed, random);
}

function toTool(tool: Fields): Tool {
  return { name: String(tool["name"]), parameters: { type: "object", ...(tool["input_schema"] as Fields) } };
}
