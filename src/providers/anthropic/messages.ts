// Messages over the `anthropic` protocol, as near to pass-through as billing allows: one call of one route, an answer or
// the fault that says what to do next.
import { systemClock, type Clock } from "../../clock.ts";
import { exchange, isJson, wholeText } from "../transport/exchange.ts";
import type { Upstream } from "../transport/http.ts";
import type { Messages } from "../types.ts";
import { messageRequest } from "./request.ts";
import { readMessage } from "./response.ts";
import { openMessageStream } from "./stream.ts";
import { streamOfMessage } from "./whole-stream.ts";

export interface MessageTimes {
  clock: Clock;
  /** How long an accepted stream may stay without a block before it counts as begun. */
  startAfterMs: number;
}

export function anthropicMessages(upstream: Upstream, change: Partial<MessageTimes> = {}): Messages {
  const { clock, startAfterMs }: MessageTimes = { clock: systemClock, startAfterMs: 3_000, ...change };
  return async (call) => {
    const answer = await exchange(upstream, messageRequest(call), clock);
    if (call.stream && !isJson(answer)) return await openMessageStream(answer, call, startAfterMs);
    const whole = readMessage(await wholeText(answer), call.publicModel, call.route.provider);
    if (!call.stream) return whole;
    return streamOfMessage(whole, call.signal, whole.usage === null ? await call.promptTokens() : 0);
  };
}
