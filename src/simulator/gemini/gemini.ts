// The Gemini protocol: its paths, which name the model and the method, and the plans of its operations.
import { answerChat } from "../openai/chat-answer.ts";
import { countPrompt } from "../openai/chat-usage.ts";
import { type Plan, planAnswer, type SimulatorProtocol } from "../protocol.ts";
import { contentRecords, wholeContent } from "./answer.ts";
import { planBatch } from "./embeddings.ts";
import { renderRefusal, rewordRefusal } from "./errors.ts";
import { readGeminiRequest } from "./read-request.ts";

export const gemini: SimulatorProtocol = {
  name: "gemini",
  prefixes: ["/gemini/v1beta"],
  findOperation(method, path) {
    const [, id, verb] = /^\/models\/([^/]+):(\w+)$/.exec(path) ?? [];
    if (method !== "POST" || id === undefined) return null;
    const model = decodeURIComponent(id);
    if (verb === "generateContent") return (body) => planContent(body, model, false);
    if (verb === "streamGenerateContent") return (body) => planContent(body, model, true);
    return verb === "batchEmbedContents" ? (body) => planBatch(body, model) : null;
  },
  rewordRefusal,
  renderRefusal,
  errorEndsStream: true,
};

/** Also for Vertex, which serves the same models: `sharedType` is its header for tiers, empty where it was not sent. */
export function planContent(body: Buffer, model: string, stream: boolean, sharedType?: string): Plan {
  const request = readGeminiRequest(body, model, stream, sharedType);
  const { directives } = request;
  const promptTokens = countPrompt(request);
  const choices = answerChat(request);
  const thought = choices.reduce((sum, { reasoning }) => sum + reasoning.length, 0);
  return planAnswer({
    model,
    directives,
    stream,
    tokens: choices.reduce((sum, { tokens }) => sum + tokens, 0),
    extraBytesPerToken: 0,
    whole: () => JSON.stringify(wholeContent(request, promptTokens, choices)),
    records: () => contentRecords(request, promptTokens, choices),
    terminator: null,
    inputTokens: promptTokens,
    hiddenTokens: request.showsThoughts ? 0 : thought,
    tokensIn: (record) => (/"parts":\[\{"(?:text":"[^"]|functionCall")/.test(record) ? 1 : 0),
  });
}
