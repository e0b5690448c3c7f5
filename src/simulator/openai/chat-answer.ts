// What a chat says: reasoning, text or a document, or tool calls, each as the list of its tokens.
// Plain data for both forms of the reply (chat.ts, chunks.ts); counting and cutting happen here, once.
import { chooseTools, cutCalls, makeCalls, type Tool, type ToolCall } from "../called-tools.ts";
import type { Directives } from "../directive-list.ts";
import { type Fields, isFields, refuse } from "../request-fields.ts";
import { pick, type Random, seededRandom } from "../seed.ts";
import { stopAt, writeText, writeThought } from "../words.ts";
import { type ChatRequest, textOf } from "./chat-request.ts";

export interface Choice {
  reasoning: string[];
  /** Null where tools are called instead. */
  content: string[] | null;
  toolCalls: ToolCall[];
  finishReason: string;
  /** All of it, reasoning included. */
  tokens: number;
}

export function answerChat(request: ChatRequest): Choice[] {
  return Array.from({ length: request.choices }, (_, index) => answerOnce(request, seededRandom(`${request.seed}:${index}`), index));
}

function answerOnce(request: ChatRequest, random: Random, index: number): Choice {
  const { directives, tokensMax } = request;
  const reasoning = writeThought(random, request.reasoningTokens).slice(0, tokensMax);
  const left = tokensMax - reasoning.length;
  const calls = callTools(request, random, index);
  if (calls.length > 0) return finishCalls(reasoning, calls, left, directives);

  const whole = chooseLabel(request, random) ?? writeText(request, random);
  const cut = left < whole.length ? whole.slice(0, left) : whole;
  const { tokens: content, stoppedBy } = stopAt(cut, request.stop);
  const finishReason = stoppedBy === null && cut.length < whole.length ? "length" : "stop";
  return {
    reasoning,
    content,
    toolCalls: [],
    finishReason: finishName(finishReason, directives),
    tokens: reasoning.length + content.length,
  };
}

/** A call's name and arguments count. */
function finishCalls(reasoning: string[], called: ToolCall[], tokensMax: number, directives: Directives): Choice {
  const { calls, isCut, tokens } = cutCalls(called, tokensMax);
  const finishReason = finishName(isCut ? "length" : "tool_calls", directives);
  return { reasoning, content: null, toolCalls: calls, finishReason, tokens: reasoning.length + tokens };
}

function finishName(reason: string, directives: Directives): string {
  if (directives.finishFiltered) return "content_filter";
  if (directives.finishEos) return "eos";
  return directives.finishEmpty ? "" : reason;
}

// The tools of an OpenAI chat: which of them an answer may call, by `tool_choice` and the last message.
// After a tool's result comes text, so a client's loop ends.

function callTools(request: ChatRequest, random: Random, choice: number): ToolCall[] {
  const chosen = chooseFrom(request);
  const called = request.fields["parallel_tool_calls"] === false ? chosen.slice(0, 1) : chosen;
  return makeCalls(called, "call_", `${request.seed}:${choice}`, random);
}

function chooseFrom({ fields, messages, userText }: ChatRequest): Tool[] {
  const tools = readTools(fields["tools"]);
  const choice = fields["tool_choice"] ?? "auto";
  const lastRole = messages.at(-1)?.["role"];
  if (tools.length === 0 || choice === "none" || lastRole === "tool" || lastRole === "function") return [];
  if (isFields(choice)) return chooseNamed(tools, choice, userText);
  return chooseTools(tools, userText, choice === "required" || choice === "any");
}

/** `{type: "function", function: {name}}`, or `{type: "allowed_tools", allowed_tools: {mode, tools}}`. */
function chooseNamed(tools: Tool[], choice: Fields, userText: string): Tool[] {
  if (isFields(choice["allowed_tools"])) {
    const { mode, tools: listed } = choice["allowed_tools"];
    const names = readTools(listed).map(({ name }) => name);
    const allowed = tools.filter(({ name }) => names.includes(name));
    return chooseTools(allowed, userText, mode === "required");
  }
  const name = isFields(choice["function"]) ? choice["function"]["name"] : choice["name"];
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) refuse("tool_choice", `Tool choice '${String(name)}' isn't among 'tools'.`);
  return [tool];
}

function readTools(tools: unknown): Tool[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool) => {
    const described = isFields(tool) && isFields(tool["function"]) ? tool["function"] : null;
    if (described === null || typeof described["name"] !== "string") return [];
    const parameters = isFields(described["parameters"]) ? described["parameters"] : {};
    return [{ name: described["name"], parameters: { type: "object", ...parameters } }];
  });
}

// How a model named `decide…` answers where a message lists options under letters (`A) refund: Give the money back.`):
// with the letter of the option that shares most words with what the user said.

interface Option {
  label: string;
  text: string;
}

const optionLine = /^([A-Z])\) (.*)$/gm;

/** The letters that may be the answer; none if nothing was listed, or for another model. */
export function labelsListed({ model, messages }: Pick<ChatRequest, "model" | "messages">): string[] {
  return optionsListed({ model, messages }).map(({ label }) => label);
}

/** Null: there are no letters to choose from. */
function chooseLabel(request: ChatRequest, random: Random): string[] | null {
  const options = optionsListed(request);
  if (options.length === 0 || request.documentSchema !== null) return null;
  const userWords = wordsOf(request.userText);
  const scores = options.map(({ text }) => [...wordsOf(text)].filter((word) => userWords.has(word)).length);
  const most = Math.max(...scores);
  return [
    pick(
      random,
      options.filter((_, at) => scores[at] === most),
    ).label,
  ];
}

function optionsListed({ model, messages }: Pick<ChatRequest, "model" | "messages">): Option[] {
  const instructions = model.includes("decide") ? textOf(messages.find(({ role }) => role === "system")?.["content"]) : "";
  return [...instructions.matchAll(optionLine)].map(([, label = "", text = ""]) => ({ label, text }));
}

/** Of four letters or more: shorter ones are in every text. */
function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/\p{L}{4,}/gu) ?? []);
}
