// Messages over the `bedrock` protocol: Converse and ConverseStream, translated to the Anthropic dialect, whose readers and rules for
// streams apply (anthropic/messages.ts). Chat is translated from there.
import { type MessageTimes, messagesOver } from "../anthropic/messages.ts";
import { fitBody } from "../anthropic/request.ts";
import { readMessage } from "../anthropic/response.ts";
import { objectOf, parseLong } from "../json/read.ts";
import { wholeOf } from "../json/splice.ts";
import { openToolNames, type ToolNames } from "../translation/tool-names.ts";
import { jsonRequest, readAnswer } from "../transport/json.ts";
import type { Upstream, UpstreamRequest } from "../transport/types.ts";
import type { MessageCall, Messages } from "../verbs/messages.ts";
import { messageOfConverse } from "./answer.ts";
import { readBedrockError } from "./errors.ts";
import { openConverseParser } from "./events.ts";
import { converseRequest, modelPath } from "./request.ts";

export function bedrockMessages(upstream: Upstream, change: Partial<MessageTimes> = {}): Messages {
  return messagesOver(
    upstream,
    (call) => {
      const names = openToolNames();
      return {
        request: converseCall(call, names),
        readError: readBedrockError,
        read: (text) => readConverse(text, call, names),
        parser: () => openConverseParser(names),
      };
    },
    change,
  );
}

function converseCall(call: MessageCall, names: ToolNames): UpstreamRequest {
  const { model } = call.route;
  const body = converseRequest(objectOf(parseLong(wholeOf(fitBody(call)))), model, names);
  const path = modelPath(model, call.stream ? "converse-stream" : "converse");
  return {
    ...jsonRequest(call, path, JSON.stringify(body)),
    accept: call.stream ? "application/vnd.amazon.eventstream" : "application/json",
  };
}

function readConverse(text: string, { publicModel, route }: MessageCall, names: ToolNames) {
  const message = messageOfConverse(readAnswer(text, route.provider, parseLong), names);
  return readMessage(JSON.stringify(message), publicModel, route.provider);
}
