// What an adapter of chat takes and returns, in the OpenAI dialect. Types only.
import type { JsonText } from "../json/splice.ts";
import type { AnswerStream, Tally, UpstreamCall, Whole } from "../types.ts";

/** A chat request in the OpenAI dialect, as JSON text: the caller's bytes with only our edits spliced in. */
export interface ChatCall extends UpstreamCall {
  body: JsonText;
  stream: boolean;
  /** The reserved output tokens: the cap for an upstream that requires one, where the body has none. */
  outputMax: number;
}

/** A whole answer, normalised to the OpenAI dialect (docs/behaviour/providers.md#hosts); `completion.usage` is left out. */
export interface ChatWhole extends Whole {
  completion: ChatCompletion;
}

/** One streamed record: the JSON text of a chunk in the OpenAI dialect, normalised, with the public model's id and without usage. */
export interface ChatRecord {
  json: string;
}

export interface ChatTally extends Tally {
  /** id and created of the chunks, for the records that the gateway adds. */
  id: string;
  created: number;
}

export type ChatStream = AnswerStream<ChatRecord, ChatTally>;

export type Chat = (call: ChatCall) => Promise<ChatWhole | ChatStream>;

/** A text completion's request, as JSON text. It is answered in chat's form. */
export interface CompletionCall extends ChatCall {
  /** What the answers to each prompt begin with before they go on. Empty: nothing that is known, as the text of a prompt that came as tokens. */
  echoes: readonly string[];
  /** Answers to each prompt. */
  perPrompt: number;
}

/** The part of an answer that repeats its prompt stands in `echoed` of the message or delta: it was not generated. */
export type Complete = (call: CompletionCall) => Promise<ChatWhole | ChatStream>;

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "function_call";

export interface ChatChoice {
  index: number;
  message: AssistantMessage & { [key: string]: unknown };
  finish_reason: FinishReason;
}

interface AssistantMessage {
  role: "assistant";
  content: string | null;
  refusal?: string | null;
  reasoning_content?: string | null;
  /** Of a text completion (`Complete`). */
  echoed?: string;
  tool_calls?: ({ id?: string; type?: string; function?: { name: string; arguments: string } & { [key: string]: unknown } } & {
    [key: string]: unknown;
  })[];
}

/** A chat completion in the OpenAI dialect; unknown keys are kept. */
export interface ChatCompletion {
  id: string;
  object: "chat.completion";
  created: number;
  model: string;
  choices: (ChatChoice & { [key: string]: unknown })[];
  [key: string]: unknown;
}
