// What a generateContent answer looks like, whole and streamed: candidates with parts, and the usage in every record.
import { parseJson } from "../../json/parse.ts";
import type { ToolCall } from "../called-tools.ts";
import type { Choice } from "../openai/chat-answer.ts";
import { type Fields } from "../request-fields.ts";
import { digest, madeUpId } from "../seed.ts";
import { widen } from "../words.ts";
import type { GeminiRequest } from "./read-request.ts";

export function wholeContent(request: GeminiRequest, promptTokens: number, choices: readonly Choice[]): Fields {
  const thought = choices.reduce((sum, { reasoning }) => sum + reasoning.length, 0);
  const written = choices.reduce((sum, { tokens }) => sum + tokens, 0) - thought;
  return {
    candidates: choices.map((choice, index) => ({
      content: { role: "model", parts: wholeParts(request, choice) },
      finishReason: finishName(request, choice),
      index,
    })),
    ...usageField(request, promptTokens, written, thought),
    ...tail(request),
  };
}

/** One record for each token; calls come whole. The last record of a candidate has its finish reason. */
export function* contentRecords(request: GeminiRequest, promptTokens: number, choices: readonly Choice[]): Iterable<string> {
  let written = 0;
  let thought = 0;
  for (const [index, choice] of choices.entries()) {
    if (!request.showsThoughts) thought += choice.reasoning.length;
    for (const { part, tokens } of steps(request, choice)) {
      if (part["thought"] === true) thought += tokens;
      else written += tokens;
      const content = { role: "model", parts: [part] };
      yield JSON.stringify({ candidates: [{ content, index }], ...usageField(request, promptTokens, written, thought), ...tail(request) });
    }
    const end = { content: { role: "model", parts: [{ text: "" }] }, finishReason: finishName(request, choice), index };
    yield JSON.stringify({ candidates: [end], ...usageField(request, promptTokens, written, thought), ...tail(request) });
  }
}

function* steps(request: GeminiRequest, { reasoning, content, toolCalls }: Choice): Iterable<{ part: Fields; tokens: number }> {
  if (request.showsThoughts) for (const text of reasoning) yield { part: { text, thought: true }, tokens: 1 };
  for (const token of content ?? []) yield { part: { text: widen(token, request.directives) }, tokens: 1 };
  for (const [at, call] of toolCalls.entries())
    yield { part: callPart(request, call, at), tokens: call.nameTokens + call.argumentTokens.length };
}

function wholeParts(request: GeminiRequest, { reasoning, content, toolCalls }: Choice): Fields[] {
  const thought = request.showsThoughts && reasoning.length > 0 ? [{ text: reasoning.join(""), thought: true }] : [];
  const text = content === null ? [] : [{ text: content.map((token) => widen(token, request.directives)).join("") }];
  return [...thought, ...text, ...toolCalls.map((call, at) => callPart(request, call, at))];
}

/** Of parallel calls the first is signed. */
function callPart({ seed }: GeminiRequest, { name, argumentTokens }: ToolCall, at: number): Fields {
  const text = argumentTokens.join("");
  return {
    functionCall: { name, args: argumentsOf(text) },
    ...(at === 0 ? { thoughtSignature: Buffer.from(digest(`signature:${seed}`)).toString("base64") } : {}),
  };
}

/** Arguments that the limit cut are not JSON any more. */
function argumentsOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return {};
  }
}

const finishes: Record<string, string> = { length: "MAX_TOKENS", content_filter: "SAFETY", "": "FINISH_REASON_UNSPECIFIED" };

function finishName({ directives }: GeminiRequest, { finishReason }: Choice): string {
  if (directives.malformedCall) return "MALFORMED_FUNCTION_CALL";
  return finishes[finishReason] ?? "STOP";
}

/** A figure of 0 is left out. */
function usageField({ directives, servedTier }: GeminiRequest, countedPrompt: number, written: number, thought: number): Fields {
  if (directives.noUsage) return {};
  const prompt = directives.promptTokens ?? countedPrompt;
  const answered = Math.max(0, directives.completionTokens === undefined ? written : directives.completionTokens - thought);
  const cached = Math.min(directives.cachedTokens ?? 0, prompt);
  return {
    usageMetadata: {
      promptTokenCount: prompt,
      ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
      ...(answered === 0 ? {} : { candidatesTokenCount: answered }),
      ...(thought === 0 ? {} : { thoughtsTokenCount: thought }),
      totalTokenCount: prompt + answered + thought,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: prompt }],
      ...servedTier,
    },
  };
}

function tail({ model, seed }: GeminiRequest): Fields {
  return { modelVersion: model, responseId: madeUpId("", seed) };
}
