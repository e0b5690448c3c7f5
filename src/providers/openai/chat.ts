// Chat over the `openai` protocol: one call of one route, an answer or the fault that says what to do next.
// Which route to call, and what an answer costs, is for others to say.
import { systemClock, type Clock } from "../../clock.ts";
import { exchange, isJson, wholeText } from "../transport/exchange.ts";
import type { Upstream } from "../transport/http.ts";
import { jsonRequest } from "../transport/json-request.ts";
import type { Chat } from "../types.ts";
import { readCompletion } from "./response.ts";
import { openChatStream } from "./stream.ts";
import { streamOfWhole } from "./whole-stream.ts";

export interface ChatTimes {
  clock: Clock;
  /** How long an accepted stream may stay without a record before it counts as begun. */
  startAfterMs: number;
}

export function openaiChat(upstream: Upstream, change: Partial<ChatTimes> = {}): Chat {
  const { clock, startAfterMs }: ChatTimes = { clock: systemClock, startAfterMs: 3_000, ...change };
  return async (call) => {
    const answer = await exchange(upstream, jsonRequest(call, "/chat/completions", call.body, call.stream), clock);
    if (call.stream && !isJson(answer)) return await openChatStream(answer, call, clock, startAfterMs);
    const whole = readCompletion(await wholeText(answer), call.publicModel, clock(), call.route.provider);
    return call.stream ? streamOfWhole(whole, call.signal) : whole;
  };
}
