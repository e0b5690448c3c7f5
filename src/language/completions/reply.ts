// Chat answers as text completions, whole and streamed (docs/behaviour/endpoints.md#completions). A completion holds text only:
// thinking is left out.
import type { components } from "../../../generated/api.d.ts";
import type { Context } from "../../context.ts";
import { parseJson } from "../../json/parse.ts";
import type { ChatCompletion, ChatRecord, ChatTally } from "../../providers/verbs/chat.ts";
import { chatUsage, dataEncoder, dataLine, type StreamedChat } from "../chat/reply.ts";
import type { StreamEncoder } from "../stream-answer.ts";
import type { TokenBill, TokenCall } from "../token-call.ts";

type Completion = components["schemas"]["Completion"];
type ChunkChoice = components["schemas"]["CompletionChunkChoice"];

/** `before` is the text that `echo` repeats. */
export function textCompletion({ id, created, choices }: ChatCompletion, call: TokenCall, bill: TokenBill, before: string): Completion {
  const { model } = call.admitted;
  return {
    ...head(id, created, model.id),
    choices: choices.map(({ index, message, finish_reason }) => ({
      text: before + (message.content ?? ""),
      index,
      logprobs: null,
      finish_reason,
    })),
    usage: chatUsage(bill, model),
  };
}

export function completionEncoder(
  context: Pick<Context, "publicUrl">,
  served: StreamedChat,
  usageAsked: boolean,
): StreamEncoder<ChatRecord> {
  const { source, call } = served;
  const headOf = ({ id, created }: Pick<ChatTally, "id" | "created">) => head(id, created, call.admitted.model.id);
  return dataEncoder(context, served, usageAsked, {
    head: headOf,
    record({ json }) {
      const choices = (parseJson(json) as ChatChunk).choices.flatMap(addition);
      return choices.length === 0 ? "" : dataLine({ ...headOf(source.tally), choices });
    },
    broken: { text: "", index: 0, logprobs: null, finish_reason: "error" },
  });
}

type ChatChunk = Pick<components["schemas"]["ChatChunk"], "choices">;

/** Nothing for a chunk without text or finish reason: roles, thinking. */
function addition({ index, delta, finish_reason }: ChatChunk["choices"][number]): ChunkChoice[] {
  const text = delta.content ?? "";
  return text === "" && finish_reason === null ? [] : [{ text, index, logprobs: null, finish_reason }];
}

function head(id: string, created: number, model: string): { id: string; object: "text_completion"; created: number; model: string } {
  return { id: id.replace(/^chatcmpl-/, "cmpl-"), object: "text_completion", created, model };
}
