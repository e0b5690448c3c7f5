// Chat over Cohere's v2: the request translated, the answer read as a chat's.
import { errorOfAnswer } from "../errors/faults.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { isObject, objectOf, parseLong } from "../json/read.ts";
import { wholeOf } from "../json/splice.ts";
import { type ChatTimes, chatTimes, readChatAnswer } from "../openai/chat.ts";
import { exchange, nameAnswer, type ReadError } from "../transport/exchange.ts";
import { jsonRequest, readAnswer, readRecordData } from "../transport/json.ts";
import type { SseRecord } from "../transport/read-stream.ts";
import type { Upstream } from "../transport/types.ts";
import type { Chat, ChatCall } from "../verbs/chat.ts";
import { cohereRequest } from "./request.ts";
import { completionOf, openChunkTranslation } from "./response.ts";

export function cohereChat(upstream: Upstream, change: Partial<ChatTimes> = {}): Chat {
  const times = chatTimes(change);
  return async (call) => {
    const { route, outputMax, stream, body, heard } = call;
    const request = cohereRequest(objectOf(parseLong(wholeOf(body))), route.model, outputMax);
    const answer = await exchange(upstream, jsonRequest(call, "/v2/chat", JSON.stringify(request), stream), times.clock, readCohereError);
    return await readChatAnswer(answer, call, times, {
      whole(text) {
        const given = readAnswer(text, route.provider, parseLong);
        nameAnswer(heard, given["id"]);
        return JSON.stringify(completionOf(given));
      },
      records: chunkRecords(heard),
    });
  };
}

/** Errors go through as they are. */
function chunkRecords(heard: ChatCall["heard"]): (record: SseRecord) => SseRecord[] {
  const chunksOf = openChunkTranslation();
  return (record) => {
    if (record.data === "" || record.data.trim() === "[DONE]") return [];
    const value = readRecordData(record.data, record.event);
    if (!isObject(value) || textOfType(value) === null) return [{ event: "error", data: record.data }];
    nameAnswer(heard, value["id"]);
    return chunksOf(value).map((chunk) => ({ event: "", data: JSON.stringify(chunk) }));
  };
}

/** An error in a stream is a bare `{message}`. */
function textOfType({ type }: Record<string, unknown>): string | null {
  return typeof type === "string" ? type : null;
}

/** 498 is Cohere's word for a text that its filter stopped. */
export const readCohereError: ReadError = ({ status, text, retryAfterMs }, provider) => {
  const error = errorOfAnswer(status, text, retryAfterMs, provider);
  return status === 498 ? new UpstreamError("refused", error.reason, { status }) : error;
};
