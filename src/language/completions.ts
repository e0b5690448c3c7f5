// Text completions: a request becomes a chat request, and the chat's answer a completion. What only chat can do is refused, and every
// refusal names chat's endpoint.
import type { components } from "../../generated/api.d.ts";
import type { Context } from "../context.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { parseJson } from "../json/parse.ts";
import { chatUsage, dataEncoder, dataLine, type StreamedChat } from "./chat/reply.ts";
import type { ChatRequest } from "./chat/request.ts";
import type { ChatCompletion, ChatRecord, ChatTally } from "../providers/verbs/chat.ts";
import type { StreamEncoder } from "./stream-answer.ts";
import type { TokenBill, TokenCall } from "./token-call.ts";

type CompletionRequest = components["schemas"]["CompletionRequest"];

const instead = "use POST /v1/chat/completions";
const stopsMax = 4;

/** Fields that mean the same in chat; they are forwarded as sent. */
const sharedFields = [
  "max_tokens",
  "n",
  "temperature",
  "top_p",
  "seed",
  "presence_penalty",
  "frequency_penalty",
  "logit_bias",
  "user",
  "stream",
] as const;

/** Throws missing_parameter or invalid_parameter; each message names the chat endpoint. */
export function chatOfCompletion(body: CompletionRequest): ChatRequest & { prompt: string } {
  const prompt = promptOf(body.prompt);
  if (body.suffix != null) failParameter("suffix", `a text after the answer is not taken; ${instead}`);
  if (body.logprobs != null && body.logprobs !== false) failParameter("logprobs", `log probabilities are not given here; ${instead}`);
  if (body.best_of != null && body.best_of !== (body.n ?? 1))
    failParameter("best_of", `every answer that is made is returned, so it must be n; for several answers ${instead} with n`);
  if (body.echo === true && body.stream === true) failParameter("echo", `it does not go together with stream; ${instead}`);
  const stop = stopOf(body.stop);
  const shared = Object.fromEntries(sharedFields.filter((name) => body[name] != null).map((name) => [name, body[name]]));
  const chat = {
    model: body.model,
    messages: [{ role: "user", content: prompt }],
    ...shared,
    ...(stop === null ? {} : { stop }),
    ...(body.stream === true && body.stream_options != null ? { stream_options: body.stream_options } : {}),
  };
  return { text: JSON.stringify(chat), body: { ...chat, routing: body.routing }, prompt };
}

function promptOf(prompt: CompletionRequest["prompt"]): string {
  if (prompt == null)
    return fail("missing_parameter", { param: "prompt", text: { param: "prompt", reason: `for a conversation ${instead}` } });
  const [only, ...more] = typeof prompt === "string" ? [prompt] : prompt;
  if (typeof only !== "string" || more.length > 0)
    failParameter("prompt", `it must be one text, or an array of one; for anything else ${instead}`);
  return only;
}

function stopOf(stop: CompletionRequest["stop"]): string[] | string | null {
  if (stop == null || stop.length === 0) return null;
  if (Array.isArray(stop) && stop.length > stopsMax)
    failParameter("stop", `it may hold at most ${stopsMax} sequences; for more ${instead}`);
  return stop;
}

// Chat answers as text completions, whole and streamed (docs/behaviour/endpoints.md#completions). A completion holds text only:
// thinking is left out.

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
  withUsage: boolean,
): StreamEncoder<ChatRecord> {
  const { source, call } = served;
  const headOf = ({ id, created }: Pick<ChatTally, "id" | "created">) => head(id, created, call.admitted.model.id);
  return dataEncoder(context, served, withUsage, {
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
