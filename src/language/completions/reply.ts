// Answers as text completions, whole and streamed (docs/behaviour/endpoints.md#completions). A completion holds text only: thinking is
// left out.
import type { components } from "../../../generated/api.d.ts";
import type { Context } from "../../context.ts";
import { parseJson } from "../../json/parse.ts";
import { arrayOf, objectOf } from "../../providers/json/read.ts";
import type { ChatCompletion, ChatRecord, ChatTally } from "../../providers/verbs/chat.ts";
import { chatUsage, dataEncoder, dataLine, type StreamedChat } from "../chat/reply.ts";
import type { StreamEncoder } from "../stream-answer.ts";
import type { TokenBill, TokenCall } from "../token-call.ts";
import type { Asked } from "./request.ts";

type Completion = components["schemas"]["Completion"];
type ChunkChoice = components["schemas"]["CompletionChunkChoice"];
type Logprobs = components["schemas"]["CompletionLogprobs"];

export function textCompletion({ id, created, choices }: ChatCompletion, call: TokenCall, bill: TokenBill, asked: Asked): Completion {
  const { model } = call.admitted;
  const { prompts, n, body } = asked;
  return {
    ...head(id, created, model.id),
    choices: choices.map(({ index, message, logprobs, finish_reason }) => {
      const prompt = prompts[Math.floor(index / n)];
      const before = body.echo !== true ? "" : (message.echoed ?? (typeof prompt === "string" ? prompt : ""));
      return { text: before + (message.content ?? ""), index, logprobs: openLogprobs(asked)(index, logprobs), finish_reason };
    }),
    usage: chatUsage(bill, model),
  };
}

export function completionEncoder(
  context: Pick<Context, "publicUrl">,
  served: StreamedChat,
  withUsage: boolean,
  asked: Asked,
): StreamEncoder<ChatRecord> {
  const { source, call } = served;
  const headOf = ({ id, created }: Pick<ChatTally, "id" | "created">) => head(id, created, call.admitted.model.id);
  const logprobsOf = openLogprobs(asked);
  return dataEncoder(context, served, withUsage, {
    head: headOf,
    record({ json }) {
      const choices = (parseJson(json) as ChatChunk).choices.flatMap((choice) => addition(choice, logprobsOf));
      return choices.length === 0 ? "" : dataLine({ ...headOf(source.tally), choices });
    },
    broken: { text: "", index: 0, logprobs: null, finish_reason: "error" },
  });
}

type ChatChunk = Pick<components["schemas"]["ChatChunk"], "choices">;

/** Nothing for a chunk without text, log probabilities or finish reason: roles, thinking. */
function addition({ index, delta, logprobs: given, finish_reason }: ChatChunk["choices"][number], logprobsOf: LogprobsOf): ChunkChoice[] {
  const { content, echoed } = delta as { content?: string | null; echoed?: string };
  const text = (echoed ?? "") + (content ?? "");
  const logprobs = logprobsOf(index, given);
  return text === "" && logprobs === null && finish_reason === null ? [] : [{ text, index, logprobs, finish_reason }];
}

/** What an answer says next of its tokens, in chat's form, becomes that of completions. */
type LogprobsOf = (index: number, given: unknown) => Logprobs | null;

function openLogprobs({ logprobs: asked, body }: Pick<Asked, "logprobs" | "body">): LogprobsOf {
  const echoes = body.echo === true; // a stream must keep nothing of its request
  /** How far the text of each answer has come, in characters. */
  const ends = new Map<number, number>();
  return (index, given) => {
    const tokens = arrayOf(objectOf(given)["content"]).map(objectOf);
    if (asked === null || tokens.length === 0) return null;
    const isFirst = (at: number) => at === 0 && echoes && !ends.has(index); // nothing is before it that it could follow from
    const shown: Logprobs = {
      tokens: tokens.map(({ token }) => String(token)),
      token_logprobs: tokens.map(({ logprob }, at) => (isFirst(at) ? null : numberOf(logprob))),
      top_logprobs: asked === 0 ? null : tokens.map(({ top_logprobs: top }, at) => (isFirst(at) ? null : alternativesIn(top))),
      text_offset: [],
    };
    let end = ends.get(index) ?? 0;
    for (const token of shown.tokens) {
      shown.text_offset.push(end);
      end += Array.from(token).length;
    }
    ends.set(index, end);
    return shown;
  };
}

function alternativesIn(top: unknown): Record<string, number> {
  return Object.fromEntries(
    arrayOf(top)
      .map(objectOf)
      .map(({ token, logprob }) => [String(token), numberOf(logprob)]),
  );
}

/** Some hosts write the logarithm of 0 as null. */
function numberOf(logprob: unknown): number {
  return typeof logprob === "number" ? logprob : -9999;
}

function head(id: string, created: number, model: string): { id: string; object: "text_completion"; created: number; model: string } {
  return { id: id.replace(/^chatcmpl-/, "cmpl-"), object: "text_completion", created, model };
}
