// A generateContent request as the simulator answers it: in the words of a chat, so that both say the same to the same question.
import { readModelId } from "../directives.ts";
import type { ChatRequest } from "../openai/chat-request.ts";
import { type Fields, isFields, readFields, readWhole } from "../request-fields.ts";
import type { Schema } from "../schema-sample.ts";
import { digest } from "../seed.ts";
import { tokensByEffort } from "../words.ts";
import { checkRequest } from "./check-request.ts";

export interface GeminiRequest extends ChatRequest {
  /** Thoughts are counted whether they are shown or not. */
  showsThoughts: boolean;
  /** The member of the usage that names the tier. */
  servedTier: Fields;
}

/** `sharedType`: Vertex's header that asks for a tier; absent: the Gemini API, whose requests ask themselves. */
export function readGeminiRequest(body: Buffer, model: string, stream: boolean, sharedType?: string): GeminiRequest {
  const fields = readFields(body);
  const { name, directives } = readModelId(model);
  checkRequest(fields, directives);
  const config = fieldsOf(fields["generationConfig"]);
  const contents = fields["contents"] as Fields[];
  const system = isFields(fields["systemInstruction"]) ? messagesOf({ ...fields["systemInstruction"], role: "system" }) : [];
  const messages = [...system, ...contents.flatMap(messagesOf)];
  const thinking = fieldsOf(config["thinkingConfig"]);
  const tier = ["flex", "priority"].find((known) => known === (sharedType ?? fields["serviceTier"]));
  const spoken = [name, messages, fields["tools"], fields["toolConfig"], config["responseJsonSchema"], config["seed"]];
  return {
    fields: chatFields(fields),
    model,
    directives,
    messages,
    userText: userTextOf(messages),
    seed: digest(JSON.stringify(spoken)),
    choices: readWhole(config, "candidateCount", 1, 8) ?? 1,
    tokensMax: readWhole(config, "maxOutputTokens", 1, 1e9) ?? Number.POSITIVE_INFINITY,
    stop: Array.isArray(config["stopSequences"]) ? (config["stopSequences"] as string[]) : [],
    stream,
    serviceTier: tier ?? "default",
    servedTier:
      sharedType === undefined
        ? { serviceTier: tier ?? "standard" }
        : { trafficType: tier === undefined ? "ON_DEMAND" : `ON_DEMAND_${tier.toUpperCase()}` },
    includeUsage: true,
    topLogprobs: null,
    documentSchema: documentSchema(config),
    reasoningTokens: directives.reasoningTokens ?? thoughtTokens(name, thinking),
    searches: 0,
    showsThoughts: thinking["includeThoughts"] === true && !directives.hiddenReasoning,
  };
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** A content is a message, or one for each result of a tool. */
function messagesOf({ role, parts }: Fields): Fields[] {
  const given = parts as Fields[];
  const results = given.flatMap(({ functionResponse: result }) =>
    isFields(result) ? [{ role: "tool", name: result["name"], content: JSON.stringify(result["response"]) }] : [],
  );
  const calls = given.flatMap(({ functionCall: call }) =>
    isFields(call) ? [{ function: { name: call["name"], arguments: JSON.stringify(call["args"] ?? {}) } }] : [],
  );
  const content = given.filter((part) => !("functionResponse" in part) && !("functionCall" in part));
  const message = { role: role === "model" ? "assistant" : (role ?? "user"), content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  return content.length === 0 && calls.length === 0 ? results : [...results, message];
}

function userTextOf(messages: readonly Fields[]): string {
  const content = messages.findLast(({ role }) => role === "user")?.["content"];
  return Array.isArray(content) ? content.map((part: Fields) => (typeof part["text"] === "string" ? part["text"] : "")).join("") : "";
}

/** Tools and the choice among them, as a chat has them. */
function chatFields({ tools, toolConfig }: Fields): Fields {
  const declared = (Array.isArray(tools) ? (tools as Fields[]) : []).flatMap(({ functionDeclarations: list }) =>
    Array.isArray(list) ? (list as Fields[]) : [],
  );
  const { mode = "AUTO", allowedFunctionNames: allowed } = fieldsOf(fieldsOf(toolConfig)["functionCallingConfig"]);
  const named = Array.isArray(allowed) ? declared.filter(({ name }) => allowed.includes(name)) : declared;
  const functions = named.map(({ name, description, parameters, parametersJsonSchema }) => ({
    type: "function",
    function: { name, description, parameters: parametersJsonSchema ?? parameters },
  }));
  if (functions.length === 0) return {};
  return { tools: functions, tool_choice: mode === "NONE" ? "none" : mode === "ANY" ? "required" : "auto" };
}

function documentSchema(config: Fields): Schema | null {
  if (config["responseMimeType"] !== "application/json") return null;
  const schema = config["responseJsonSchema"] ?? config["responseSchema"];
  return isFields(schema) ? schema : { type: "object", properties: { answer: { type: "string" } } };
}

const tokensByLevel: Record<string, number> = { MINIMAL: 0, LOW: 16, MEDIUM: 32, HIGH: 64 };

/** A model whose name contains `reason` thinks unless the request forbids it; any model thinks when the request asks for it. */
function thoughtTokens(name: string, { thinkingBudget: budget, thinkingLevel: level }: Fields): number {
  if (typeof level === "string") return tokensByLevel[level]!;
  const usual = tokensByEffort["medium"]!;
  if (budget === undefined) return name.includes("reason") ? usual : 0;
  return budget === -1 ? usual : Math.min(usual, Number(budget));
}
