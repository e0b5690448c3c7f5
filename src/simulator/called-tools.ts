// Which tools an answer calls, and with which arguments; the same in every protocol.
// The rule has no state: README.md says it in words.
import { countTokens, splitTokens } from "./prose.ts";
import { sampleSchema, type Schema } from "./schema-sample.ts";
import { madeUpId, type Random } from "./seed.ts";

export interface Tool {
  name: string;
  parameters: Schema;
}

export interface ToolCall {
  id: string;
  name: string;
  nameTokens: number;
  argumentTokens: string[];
}

export function makeCalls(tools: readonly Tool[], idPrefix: string, idSeed: string, random: Random): ToolCall[] {
  return tools.map(({ name, parameters }, index) => ({
    id: madeUpId(idPrefix, `${idSeed}:${index}`),
    name,
    nameTokens: countTokens(name),
    argumentTokens: splitTokens(JSON.stringify(sampleSchema(parameters, random))),
  }));
}

/** The first calls that fit; where the limit is met, the last one's arguments end in the middle, as they do at real hosts. */
export function cutCalls(calls: readonly ToolCall[], tokensMax: number): { calls: ToolCall[]; isCut: boolean; tokens: number } {
  let left = tokensMax;
  let isCut = false;
  const kept: ToolCall[] = [];
  for (const call of calls) {
    const argumentTokens = call.argumentTokens.slice(0, Math.max(0, left - call.nameTokens));
    if (left < call.nameTokens + call.argumentTokens.length) isCut = true;
    if (left < call.nameTokens) break;
    left -= call.nameTokens + argumentTokens.length;
    kept.push({ ...call, argumentTokens });
  }
  return { calls: kept, isCut, tokens: kept.reduce((sum, call) => sum + call.nameTokens + call.argumentTokens.length, 0) };
}

/** What a message that names no tool choice, or one that forces any tool, gets called. */
export function chooseTools(tools: readonly Tool[], userText: string, isForced: boolean): Tool[] {
  const mentioned = findMentioned(tools, userText);
  return isForced && mentioned.length === 0 ? tools.slice(0, 1) : mentioned;
}

/** Every tool whose full name stands in the message; else the first that shares a word with it, or that "use tool" asks for. */
function findMentioned(tools: readonly Tool[], userText: string): Tool[] {
  const text = userText.toLowerCase();
  const named = tools.filter(({ name }) => names(text, name.toLowerCase()));
  if (named.length > 0) return named;
  const hinted =
    tools.find(({ name }) => wordsOf(name).some((word) => text.includes(word))) ??
    (/\buse (a |the )?tools?\b/.test(text) ? tools[0] : undefined);
  return hinted === undefined ? [] : [hinted];
}

/** The whole name, not a part of a longer word. */
function names(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if (!/[\w-]/.test(text[at - 1] ?? " ") && !/[\w-]/.test(text[at + name.length] ?? " ")) return true;
  }
  return false;
}

/** `get_current_weather` and `getCurrentWeather` are about "current" and "weather"; shorter words say too little. */
function wordsOf(name: string): string[] {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.filter((word) => word.length >= 4);
}
