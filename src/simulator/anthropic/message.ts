// A message in one piece, and what both forms of it begin and end with.
import type { Fields } from "../request-fields.ts";
import { madeUpId } from "../seed.ts";
import type { Answer } from "./answer.ts";
import { wholeBlock } from "./blocks.ts";
import type { MessageRequest } from "./read-request.ts";
import { messageUsage } from "./usage.ts";

export function wholeMessage(request: MessageRequest, promptTokens: number, answer: Answer): Fields {
  return {
    ...messageHead(request),
    content: answer.blocks.map((block) => wholeBlock(block, request.knobs, request.hidesThinking)),
    ...stopFields(answer),
    container: null,
    ...(request.knobs.noUsage ? {} : { usage: messageUsage(request, promptTokens, answer) }),
  };
}

export function messageHead({ seed, model }: MessageRequest): Fields {
  return { id: madeUpId("msg_", seed), type: "message", role: "assistant", model };
}

export function stopFields({ stopReason, stopSequence }: Answer): Fields {
  const details = stopReason === "refusal" ? { type: "refusal", category: null, explanation: null } : null;
  return { stop_reason: stopReason, stop_sequence: stopSequence, stop_details: details };
}
