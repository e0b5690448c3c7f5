// Text completions. A route whose provider has OpenAI's completions gets the request in that form; for any other it becomes a chat request, and
// the chat's answer a completion. What no route of the model can do is refused, and the refusal names chat's endpoint.
import type { components } from "../../../generated/api.d.ts";
import type { Context } from "../../context.ts";
import { fail, failParameter } from "../../errors/fail.ts";
import type { Route } from "../../providers/types.ts";
import type { ChatStream, ChatWhole } from "../../providers/verbs/chat.ts";
import { recordCharactersMax } from "../../providers/transport/read-stream.ts";
import { adapterOf } from "../../routing/candidates.ts";
import { chatAdapter } from "../chat/request.ts";
import { outputMaxOf, upstreamBody } from "../chat/upstream-body.ts";
import { prefixOf } from "../prefix.ts";
import { inputSize, type PromptSize, tokensSize } from "../prompt-size.ts";
import type { RequestAdapter } from "../serve.ts";

type CompletionRequest = components["schemas"]["CompletionRequest"];

const instead = "use POST /v1/chat/completions";
const stopsMax = 4;
/** All of one request: the openai client's helper takes no index above. */
const answersMax = 128;
/** As many as any host gives. */
const logprobsMax = 20;

/** A completion that was asked for, its fields checked. */
export interface Asked {
  body: CompletionRequest;
  /** All texts, or all lists of tokens. */
  prompts: string[] | number[][];
  /** Answers to each prompt that are returned, and that are made. */
  n: number;
  bestOf: number;
  stop: string[] | string | null;
  suffix: string | null;
  /** How many of the likeliest tokens are shown at each position; null: log probabilities are not asked for. */
  logprobs: number | null;
}

/** Throws missing_parameter or invalid_parameter; each message names the chat endpoint. */
export function askedCompletion(body: CompletionRequest): Asked {
  const prompts = promptsOf(body.prompt);
  const n = body.n ?? 1;
  const bestOf = body.best_of ?? n;
  if (bestOf < n) failParameter("best_of", `it is how many answers are made, so at least n; for several answers ${instead} with n`);
  if (bestOf > n && body.stream === true)
    failParameter("best_of", `the best is known at the end, so it must be n in a stream; for several answers ${instead} with n`);
  if (prompts.length * bestOf > answersMax)
    failParameter(prompts.length > 1 ? "prompt" : "best_of", `one request makes at most ${answersMax} answers; for more ${instead}`);
  if (body.suffix != null && typeof body.suffix !== "string") failParameter("suffix", `it must be a text; for anything else ${instead}`);
  const logprobs = logprobsAsked(body.logprobs);
  // Hosts send those of a prompt as one record. One that is too large interrupts the stream, and what came before would be free.
  const tokens = Math.max(...prompts.map((prompt) => (typeof prompt === "string" ? Buffer.byteLength(prompt) : prompt.length)));
  if (logprobs !== null && body.echo === true && body.stream === true && tokens * (logprobs + 1) * 36 > recordCharactersMax)
    failParameter("logprobs", `those of so long a prompt are too many for a streamed echo; for an answer's alone ${instead}`);
  return { body, prompts, n, bestOf, stop: stopOf(body.stop), suffix: body.suffix ?? null, logprobs };
}

function promptsOf(prompt: CompletionRequest["prompt"]): Asked["prompts"] {
  if (prompt == null)
    return fail("missing_parameter", { param: "prompt", text: { param: "prompt", reason: `for a conversation ${instead}` } });
  if (typeof prompt === "string") return [prompt];
  if (isTokens(prompt)) return [prompt];
  const isFilled = prompt.length > 0;
  if (isFilled && prompt.every((one) => typeof one === "string")) return prompt;
  if (isFilled && prompt.every(isTokens)) return prompt;
  failParameter("prompt", `it must be a text, texts, token ids or lists of them, and not empty; for anything else ${instead}`);
}

function isTokens(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((token) => Number.isSafeInteger(token) && token >= 0);
}

function logprobsAsked(asked: CompletionRequest["logprobs"]): number | null {
  if (asked == null || asked === false) return null;
  if (asked === true || asked < 0 || asked > logprobsMax)
    failParameter("logprobs", `it must be an integer from 0 to ${logprobsMax}; for anything else ${instead}`);
  return asked;
}

function stopOf(stop: CompletionRequest["stop"]): string[] | string | null {
  if (stop == null || stop.length === 0) return null;
  if (Array.isArray(stop) && stop.length > stopsMax)
    failParameter("stop", `it may hold at most ${stopsMax} sequences; for more ${instead}`);
  return stop;
}

// The request, in both forms.

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

function sharedOf({ body, stop }: Asked) {
  return {
    model: body.model,
    ...Object.fromEntries(sharedFields.filter((name) => body[name] != null).map((name) => [name, body[name]])),
    ...(stop === null ? {} : { stop }),
    ...(body.stream === true && body.stream_options != null ? { stream_options: body.stream_options } : {}),
  };
}

/** Of its first prompt. Only a request without needs of its own (`needOf`) is sent in this form. */
function chatOf(asked: Asked) {
  const { body, prompts, logprobs } = asked;
  const [first] = prompts;
  const logprobsFields = logprobs === null ? {} : { logprobs: true, ...(logprobs === 0 ? {} : { top_logprobs: logprobs }) };
  const chat = { ...sharedOf(asked), messages: [{ role: "user", content: typeof first === "string" ? first : "" }], ...logprobsFields };
  return { text: JSON.stringify(chat), body: { ...chat, stream: body.stream ?? null, routing: body.routing } };
}

function completionOf(asked: Asked) {
  const { body, prompts, suffix, logprobs, bestOf, n } = asked;
  return {
    ...sharedOf(asked),
    prompt: prompts.length === 1 ? prompts[0] : prompts,
    ...(suffix === null ? {} : { suffix }),
    ...(body.echo === true ? { echo: true } : {}),
    ...(logprobs === null ? {} : { logprobs }),
    ...(bestOf === n ? {} : { best_of: bestOf }),
  };
}

/** What only a provider's own completions do. */
function needOf({ body, prompts, suffix, n, bestOf, logprobs }: Asked): { param: string; reason: string } | null {
  if (prompts.length > 1) return { param: "prompt", reason: "it must be one text, or an array of one" };
  if (typeof prompts[0] !== "string") return { param: "prompt", reason: "it must be one text: token ids are not taken" };
  if (suffix !== null) return { param: "suffix", reason: "a text after the answer is not taken" };
  if (body.echo === true && body.stream === true) return { param: "echo", reason: "it can't be combined with stream" };
  if (body.echo === true && logprobs !== null) return { param: "echo", reason: "a prompt has no log probabilities" };
  if (bestOf !== n) return { param: "best_of", reason: "every answer that is made is returned, so it must be n" };
  return null;
}

/** Chats of other protocols have no log probabilities. */
export const logprobsProtocols: ReadonlySet<string> = new Set(["openai", "azure-openai"]);

export function completionAdapter({ providers }: Pick<Context, "providers">, asked: Asked): RequestAdapter<ChatWhole, ChatStream> {
  const { body, prompts, n, bestOf, logprobs } = asked;
  const overChat = chatAdapter({ providers }, chatOf(asked));
  const need = needOf(asked);
  const takes = ({ completions, provider }: Route) =>
    completions === true || (need === null && (logprobs === null || logprobsProtocols.has(provider.protocol)));
  const sent = completionOf(asked);
  const text = JSON.stringify(sent);
  return {
    ...overChat,
    assertFits(model) {
      if (!model.routes.some(takes)) {
        const { param, reason } = need ?? { param: "logprobs", reason: "log probabilities are not given here" };
        failParameter(param, `${model.id} can't do this: ${reason}; ${instead}`);
      }
      overChat.assertFits(model);
    },
    fits: (other) => other.routes.some(takes) && overChat.fits(other),
    takes,
    measure: () => sizeOf(asked, overChat),
    cap: { asked: overChat.cap.asked, choices: prompts.length * bestOf },
    largeBy: logprobs !== null ? "logprobs" : prompts.length > 1 ? "prompt" : bestOf > 1 ? (bestOf > n ? "best_of" : "n") : null,
    prefix: () => (need === null ? overChat.prefix!() : prefixOf(prompts)),
    call(tried) {
      const { candidate, hold, upstream } = tried;
      if (candidate.route.completions !== true) return overChat.call(tried);
      return adapterOf(
        providers.complete,
        candidate,
      )({
        ...upstream,
        body: upstreamBody(text, sent, candidate, hold),
        stream: overChat.stream,
        outputMax: outputMaxOf(candidate, hold),
        // Whether a host repeats tokens as text, and how long that is, can't be known: nothing that it generates may pass for it.
        echoes: body.echo === true && areTexts(prompts) ? prompts : [],
        perPrompt: n,
      });
    },
    charactersOf: (answer) => Math.ceil((overChat.charactersOf(answer) * bestOf) / n),
  };
}

/** Hosts read prompts one by one, each with the suffix. Answers that are made and not returned are billed unseen. */
function sizeOf({ prompts, suffix, n, bestOf }: Asked, overChat: Pick<RequestAdapter<ChatWhole>, "measure">): PromptSize {
  const unseen = bestOf > n ? { billsUnseen: true } : {};
  if (prompts.length === 1 && typeof prompts[0] === "string" && suffix === null) return { ...overChat.measure(), ...unseen };
  const after = suffix ?? "";
  if (areTexts(prompts)) return { ...inputSize(prompts.map((prompt) => prompt + after)), ...unseen };
  return { ...tokensSize(prompts, { bytes: Buffer.byteLength(after) * prompts.length }), ...unseen };
}

function areTexts(prompts: Asked["prompts"]): prompts is string[] {
  return typeof prompts[0] === "string";
}
