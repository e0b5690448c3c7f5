// POST /messages and /messages/count_tokens: from a request's bytes to a plan.
import { jsonReply, type Plan, planAnswer } from "../protocol.ts";
import { answerMessage } from "./answer.ts";
import { messageEvents, messageStop, wholeMessage } from "./message.ts";
import { readMessageRequest } from "./read-request.ts";
import { countPrompt } from "./usage.ts";

export function planMessage(body: Buffer, version: string): Plan {
  const request = readMessageRequest(body, version, "answer");
  const { model, knobs, stream } = request;
  const promptTokens = countPrompt(request);
  const answer = answerMessage(request);
  return planAnswer({
    model,
    knobs,
    stream,
    tokens: answer.tokens,
    extraBytesPerToken: 0,
    whole: () => JSON.stringify(wholeMessage(request, promptTokens, answer)),
    records: () => messageEvents(request, promptTokens, answer),
    terminator: messageStop,
    inputTokens: promptTokens,
    hiddenTokens: request.hidesThinking ? answer.thinkingTokens : 0,
    tokensIn: (record) => (/"type":"(?:text|thinking|input_json)_delta"/.test(record) ? 1 : 0),
  });
}

export function planCount(body: Buffer, version: string): Plan {
  const request = readMessageRequest(body, version, "count");
  const { model, knobs } = request;
  const reply = jsonReply(200, JSON.stringify({ input_tokens: knobs.promptTokens ?? countPrompt(request) }));
  return { model, knobs, reply, bytes: reply.body.length };
}
