// Translates a chat request into Gemini's generateContent (docs/behaviour/providers.md#gemini). The history goes through the Anthropic
// dialect's translation first, which puts every tool call's result right after it; fields that Gemini doesn't know are left out.
import { arrayOf, isObject, type Json, objectOf, textOf } from "../json/read.ts";
import { plainText, refuse, shown } from "../translation/chat-to-message-content.ts";
import { messageHistory } from "../translation/chat-to-message-history.ts";
import { effortOfBudget, shareOfEffort } from "../translation/message-types.ts";
import type { Route } from "../types.ts";

interface GeminiTranslation {
  route: Pick<Route, "thinking">;
  /** The output cap where the request has none. */
  outputMax: number;
  /** The signature of a tool call of an earlier answer, by its id; null where it is unknown. */
  signatureOf: (callId: string) => string | null;
}

/** Throws UpstreamError("rejected") where Gemini can't express the request. */
export function geminiRequest(chat: Json, translation: GeminiTranslation): Json {
  if (isObject(chat["web_search_options"])) refuse("web_search_options", "This model does not search the web here.");
  const caps = [chat["max_tokens"], chat["max_completion_tokens"]].filter((cap) => typeof cap === "number");
  const cap = caps.length === 0 ? translation.outputMax : Math.min(...caps);
  const { system, messages } = messageHistory(arrayOf(chat["messages"]));
  const instruction = plainText(system);
  return {
    contents: geminiContents(messages, translation.signatureOf),
    ...(instruction === "" ? {} : { systemInstruction: { parts: [{ text: instruction }] } }),
    ...geminiTools(chat),
    generationConfig: generationConfig(chat, cap, translation.route),
  };
}

/** The most that Gemini takes. */
const stopsMax = 5;

const samplingNames = {
  temperature: "temperature",
  top_p: "topP",
  top_k: "topK",
  presence_penalty: "presencePenalty",
  frequency_penalty: "frequencyPenalty",
  seed: "seed",
} as const;

function generationConfig(chat: Json, cap: number, route: Pick<Route, "thinking">): Json {
  const sampling = Object.entries(samplingNames).filter(([key]) => typeof chat[key] === "number");
  const stop = (typeof chat["stop"] === "string" ? [chat["stop"]] : arrayOf(chat["stop"])).filter((text) => textOf(text) !== null);
  const thinking = thinkingConfig(chat, cap, route);
  return {
    maxOutputTokens: cap,
    ...Object.fromEntries(sampling.map(([key, name]) => [name, chat[key]])),
    ...(typeof chat["n"] === "number" && chat["n"] > 1 ? { candidateCount: chat["n"] } : {}),
    ...(stop.length === 0 ? {} : { stopSequences: stop.slice(0, stopsMax) }),
    ...answerForm(objectOf(chat["response_format"])),
    ...(thinking === null ? {} : { thinkingConfig: thinking }),
  };
}

function answerForm(asked: Json): Json {
  if (asked["type"] !== "json_object" && asked["type"] !== "json_schema") return {};
  const { schema } = objectOf(asked["json_schema"]);
  return { responseMimeType: "application/json", ...(isObject(schema) ? { responseJsonSchema: schema } : {}) };
}

// Reasoning controls as Gemini's thinking: a level for the newer generation, a budget for the older (docs/behaviour/translation.md#reasoning).

/** The largest budget that every model with budgets takes. */
const budgetMax = 24_576;

const levels: Readonly<Record<string, string>> = {
  minimal: "MINIMAL",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
};

/** Null leaves thinking to the model. A budget wins over an effort, the object over the plain field. */
function thinkingConfig(chat: Json, cap: number, route: Pick<Route, "thinking">): Json | null {
  const reasoning = objectOf(chat["reasoning"]);
  const budget = reasoning["max_tokens"];
  const effort = textOf(reasoning["effort"]) ?? textOf(chat["reasoning_effort"]);
  const takesLevels = route.thinking === "adaptive";
  if (typeof budget === "number" && takesLevels) return levelConfig(effortOfBudget(budget, cap));
  if (typeof budget === "number") return { thinkingBudget: Math.min(budget, cap - 1, budgetMax), includeThoughts: true };
  if (effort === "none") return takesLevels ? { thinkingLevel: "MINIMAL" } : { thinkingBudget: 0 };
  if (effort === null) return null;
  if (takesLevels) return levelConfig(effort);
  const share = effort === "minimal" ? 0.1 : shareOfEffort.get(effort);
  return share === undefined ? null : { thinkingBudget: Math.min(Math.floor(cap * share), budgetMax), includeThoughts: true };
}

function levelConfig(effort: string): Json | null {
  const level = levels[effort];
  return level === undefined ? null : { thinkingLevel: level, includeThoughts: true };
}

// Tools of a chat request and tool_choice.

/** Members for the request; empty without tools. */
function geminiTools(chat: Json): Json {
  const functions = arrayOf(chat["functions"]).map((called) => ({ type: "function", function: called })); // the older form
  const tools = [...arrayOf(chat["tools"]), ...functions].map((tool, index) => declarationOf(tool, `tools[${index}]`));
  if (tools.length === 0) return {};
  const config = callingConfig(chat["tool_choice"] ?? chat["function_call"]);
  return {
    tools: [{ functionDeclarations: tools }],
    ...(config === null ? {} : { toolConfig: { functionCallingConfig: config } }),
  };
}

function declarationOf(tool: unknown, where: string): Json {
  const { type, function: called } = objectOf(tool);
  if (type !== "function" || !isObject(called)) refuse(where, `This model cannot use tools of type ${shown(type)}.`);
  const description = textOf(called["description"]);
  const { parameters } = called;
  return {
    name: called["name"],
    ...(description === null ? {} : { description }),
    ...(isObject(parameters) && Object.keys(parameters).length > 0 ? { parametersJsonSchema: { type: "object", ...parameters } } : {}),
  };
}

const modes: Readonly<Record<string, string>> = { auto: "AUTO", none: "NONE", required: "ANY", any: "ANY" };

/** Null: the model decides. */
function callingConfig(choice: unknown): Json | null {
  if (typeof choice === "string") return { mode: modes[choice] ?? refuse("tool_choice", "tool_choice must be auto, none or required.") };
  if (!isObject(choice)) return null;
  if (choice["type"] === "allowed_tools") {
    const { mode, tools } = objectOf(choice["allowed_tools"] ?? choice);
    const names = arrayOf(tools).map((tool) => nameIn(objectOf(tool)));
    // VALIDATED is AUTO for a part of the tools: names go with ANY and VALIDATED only.
    return { mode: mode === "required" ? "ANY" : "VALIDATED", allowedFunctionNames: names.filter((name) => name !== null) };
  }
  const name = nameIn(choice);
  if (name === null) refuse("tool_choice", "tool_choice names no function.");
  return { mode: "ANY", allowedFunctionNames: [name] };
}

function nameIn(choice: Json): string | null {
  return textOf(objectOf(choice["function"])["name"]) ?? textOf(choice["name"]);
}

// The conversation as Gemini's contents: roles `user` and `model`, each with parts.

/** Google's own word for a call whose signature is not known: models that require one take it. */
const unsigned = "skip_thought_signature_validator";

function geminiContents(messages: readonly Json[], signatureOf: GeminiTranslation["signatureOf"]): Json[] {
  const names = new Map<string, string>();
  return messages.flatMap(({ role, content }) => {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : arrayOf(content).map(objectOf);
    if (role === "assistant") return turn("model", modelParts(blocks, names, signatureOf));
    const results = blocks.filter(({ type }) => type === "tool_result");
    // Results stand alone in the turn after their calls, as many as there are calls.
    return [
      ...turn(
        "user",
        results.map((block) => resultPart(block, names)),
      ),
      ...turn("user", [...results.flatMap(mediaOf), ...blocks.flatMap(partsOf)]),
    ];
  });
}

function turn(role: "user" | "model", parts: Json[]): Json[] {
  return parts.length === 0 ? [] : [{ role, parts }];
}

/** Of parallel calls only the first is signed. */
function modelParts(blocks: readonly Json[], names: Map<string, string>, signatureOf: GeminiTranslation["signatureOf"]): Json[] {
  let isFirst = true;
  return blocks.flatMap((block) => {
    if (block["type"] !== "tool_use") return partsOf(block);
    const id = String(block["id"]);
    names.set(id, String(block["name"]));
    const signature = signatureOf(id) ?? (isFirst ? unsigned : null);
    isFirst = false;
    return [
      {
        functionCall: { name: block["name"], args: block["input"] },
        ...(signature === null ? {} : { thoughtSignature: signature }),
      },
    ];
  });
}

function resultPart({ tool_use_id: id, content, is_error: isError }: Json, names: ReadonlyMap<string, string>): Json {
  const said = plainText(content);
  return {
    functionResponse: { name: names.get(String(id)) ?? "tool", response: isError === true ? { error: said } : { output: said } },
  };
}

/** The images and documents of a tool's result. */
function mediaOf({ content }: Json): Json[] {
  return arrayOf(content)
    .map(objectOf)
    .filter(({ type }) => type !== "text")
    .flatMap(partsOf);
}

function partsOf(block: Json): Json[] {
  const { type, text, source } = block;
  if (type === "text") return textOf(text) === null || String(text).trim() === "" ? [] : [{ text }];
  if (type !== "image" && type !== "document") return [];
  const { type: kind, media_type: mimeType, data, url } = objectOf(source);
  if (kind === "text") return [{ text: data }];
  if (kind === "url") return [{ fileData: { fileUri: url, mimeType: typeOfAddress(String(url)) } }];
  return [{ inlineData: { mimeType, data } }];
}

const typesByEnding: Readonly<Record<string, string>> = { png: "image/png", webp: "image/webp", gif: "image/gif", heic: "image/heic" };

/** Gemini requires a type; addresses without a known ending are usually photographs. */
function typeOfAddress(url: string): string {
  const ending = /\.([a-z]{3,4})(?:[?#]|$)/i.exec(url)?.[1] ?? "";
  return typesByEnding[ending.toLowerCase()] ?? "image/jpeg";
}
