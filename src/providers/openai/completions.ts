// Text completions over the `openai` protocol: the answer is read as a chat's, so that the same rules hold for both.
import { isObject, type Json, objectOf, parseLong, textOf } from "../json/read.ts";
import { exchange, nameAnswer } from "../transport/exchange.ts";
import { jsonRequest, readAnswer, readRecordData } from "../transport/json.ts";
import type { Upstream } from "../transport/types.ts";
import type { Complete, CompletionCall } from "../verbs/chat.ts";
import { type ChatTimes, chatTimes, type ForeignAnswer, readChatAnswer } from "./chat.ts";

export function openaiCompletions(upstream: Upstream, change: Partial<ChatTimes> = {}): Complete {
  const times = chatTimes(change);
  return async (call) => {
    const answer = await exchange(upstream, jsonRequest(call, "/completions", call.body, call.stream), times.clock);
    const { heard, route, stream } = call;
    const echoOf = openEchoes(call);
    return await readChatAnswer(answer, call, times, {
      whole(text) {
        const given = readAnswer(text, route.provider, parseLong);
        nameAnswer(heard, given["id"]);
        // Sent as a stream, which has no place for an echo behind its text.
        return JSON.stringify(inChatForm(given, "message", stream ? () => "" : echoOf));
      },
      records: completionRecords(heard, echoOf),
    });
  };
}

/** Errors and the end go through as they are. */
function completionRecords(heard: CompletionCall["heard"], echoOf: EchoOf): ForeignAnswer["records"] {
  return (record) => {
    if (record.data === "" || record.event === "error" || record.data.trim() === "[DONE]") return [record];
    const value = readRecordData(record.data, record.event);
    if (!isObject(value) || !Array.isArray(value["choices"])) return [record];
    nameAnswer(heard, value["id"]);
    return [{ event: "", data: JSON.stringify(inChatForm(value, "delta", echoOf)) }];
  };
}

/** Takes the next text of an answer, and gives back its beginning that repeats the prompt. */
type EchoOf = (index: number, text: string) => string;

function inChatForm(answer: Json, holder: "message" | "delta", echoOf: EchoOf): Json {
  const choices = answer["choices"];
  if (!Array.isArray(choices)) return answer;
  return {
    ...answer,
    choices: choices.map((choice: unknown, position) => {
      const { text: given, index: shown, ...rest } = objectOf(choice);
      const index = typeof shown === "number" ? shown : position;
      const text = textOf(given) ?? "";
      const echoed = echoOf(index, text);
      const own = { content: text.slice(echoed.length), ...(echoed === "" ? {} : { echoed }) };
      return { ...rest, index, [holder]: own };
    }),
  };
}

function openEchoes({ echoes, perPrompt }: CompletionCall): EchoOf {
  const left = new Map<number, string>();
  return (index, text) => {
    const before = left.get(index) ?? echoes[Math.floor(index / perPrompt)] ?? "";
    const length = commonLength(before, text);
    left.set(index, length < text.length ? "" : before.slice(length));
    return text.slice(0, length);
  };
}

/** All of the shorter one, or nothing: an answer that differs repeats nothing. */
function commonLength(before: string, text: string): number {
  const length = Math.min(before.length, text.length);
  return before.slice(0, length) === text.slice(0, length) ? length : 0;
}
