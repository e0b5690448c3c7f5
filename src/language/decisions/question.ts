// One question on one route: asked under labels where odds can be had, else as a document (OPERATOR.md, decisions).
import type { components } from "../../../generated/api.d.ts";
import { parseJson } from "../../json/parse.ts";
import { unreadable } from "../../providers/transport/json-answer.ts";
import { type Chat, type ChatWhole, type UpstreamCall, UpstreamError } from "../../providers/types.ts";
import { isObject } from "../../providers/json/read.ts";
import { type Usage, sumOfUsages } from "../../usage.ts";
import { documentFields, documentPrompt, labelFields, labelPrompt, labels } from "./prompts.ts";
import type { Question } from "./request.ts";
import { labelOdds } from "./label-odds.ts";

export interface Decided {
  answer: components["schemas"]["DecisionAnswer"];
  /** Of every call that the question took; null where one didn't say. */
  usage: Usage | null;
}

/** One attempt at one route, shared by all questions of a request. */
export interface DecisionRoute {
  chat: Chat;
  upstream: UpstreamCall;
  state: string;
  /** Set as soon as the route shows that it tells no odds; later questions then don't ask for them. */
  tellsNoOdds: boolean;
}

export async function decideQuestion(route: DecisionRoute, question: Question, signal: AbortSignal): Promise<Decided> {
  if (question.options.length > labels.length || route.tellsNoOdds) return decideByDocument(route, question, signal, []);
  const labelled = await askLabels(route, question, signal);
  const shares = labelled === null ? null : labelOdds(labelled.completion, labels.slice(0, question.options.length));
  if (labelled === null || shares === null) {
    // A model that answers with none of the labels may do better next time; one without alternatives will not.
    if (labelled === null || !hasLogprobs(labelled)) route.tellsNoOdds = true;
    return decideByDocument(route, question, signal, labelled === null ? [] : [labelled]);
  }
  const best = shares.indexOf(Math.max(...shares));
  const named = question.options.map(({ id }, at) => [id, shares[at] as number] as const);
  const [choice, confidence] = named[best] as (typeof named)[number];
  return {
    answer: { type: "choice", choice, confidence, probabilities: Object.fromEntries(named) },
    usage: sumOfUsages([labelled.usage]),
  };
}

/** Null where the host refuses the parameter. */
async function askLabels(route: DecisionRoute, question: Question, signal: AbortSignal): Promise<ChatWhole | null> {
  try {
    return await call(route, labelPrompt(question), labelFields, signal);
  } catch (error) {
    if (error instanceof UpstreamError && error.fault === "rejected" && /logprobs/i.test(`${error.param} ${error.reason}`)) return null;
    throw error;
  }
}

async function decideByDocument(
  route: DecisionRoute,
  question: Question,
  signal: AbortSignal,
  before: readonly ChatWhole[],
): Promise<Decided> {
  const whole = await call(route, documentPrompt(question), documentFields(question), signal);
  return { answer: documentAnswer(whole, question), usage: sumOfUsages([...before, whole].map(({ usage }) => usage)) };
}

async function call(
  { chat, upstream, state }: DecisionRoute,
  system: string,
  fields: { max_tokens: number; [key: string]: unknown },
  signal: AbortSignal,
): Promise<ChatWhole> {
  const messages = [
    { role: "system", content: system },
    { role: "user", content: state },
  ];
  const body = JSON.stringify({ model: upstream.route.model, messages, ...fields });
  const answer = await chat({ ...upstream, signal, body, stream: false, outputMax: fields.max_tokens });
  if (answer.kind === "stream") throw new Error("a whole answer was asked for");
  const { message, finish_reason: finish } = answer.completion.choices[0]!; // adapters let no answer through without one
  if (finish === "content_filter" || message.refusal != null)
    throw new UpstreamError("refused", message.refusal ?? "a safety filter cut the answer off", { status: 200 });
  return answer;
}

function hasLogprobs({ completion }: ChatWhole): boolean {
  const { logprobs } = completion.choices[0]!;
  return isObject(logprobs) && Array.isArray(logprobs["content"]) && logprobs["content"].length > 0;
}

/** WIRE.md 10.4: prompted confidence and no probabilities. A choice that was not offered is no answer; one without confidence is as good as a guess. */
function documentAnswer({ completion }: ChatWhole, { options }: Question): Decided["answer"] {
  const text = completion.choices[0]!.message.content ?? "";
  const { choice = text.trim(), confidence } = documentIn(text); // a host that ignores the form may still name the option
  if (typeof choice !== "string" || !options.some(({ id }) => id === choice)) throw unreadable("the answer names none of the options");
  const told = typeof confidence === "number" && Number.isFinite(confidence) ? confidence : 1 / options.length;
  return { type: "choice", choice, confidence: Math.min(1, Math.max(0, told)) };
}

/** Some hosts put a document into a fence. */
function documentIn(text: string): Record<string, unknown> {
  try {
    const value = parseJson(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
