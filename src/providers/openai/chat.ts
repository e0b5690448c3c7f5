// Chat over the `openai` protocol: one call of one route, an answer or the fault that says what to do next.
// Which route to call, and what an answer costs, is for others to say.
import { systemClock, type Clock } from "../../clock.ts";
import type { Upstream, UpstreamAnswer } from "../http.ts";
import { retryAfterMs } from "../retry-after.ts";
import type { UpstreamError } from "../types.ts";
import { type Chat, type Provider } from "../types.ts";
import { errorOfAnswer } from "./errors.ts";
import { chatRequest } from "./request.ts";
import { readCompletion } from "./response.ts";
import { openChatStream } from "./stream.ts";
import { streamOfWhole } from "./whole-stream.ts";

export interface ChatTimes {
  clock: Clock;
  /** How long an accepted stream may stay without a record before it counts as begun. */
  startAfterMs: number;
}

/** A whole answer: images come in base64, several choices of them. */
const answerBytesMax = 33_554_432;
/** Of an error only a sentence is kept. */
const errorBytesMax = 65_536;
/** An error's body must not hold up the next route. */
const errorBodyMs = 5_000;

export function openaiChat(upstream: Upstream, change: Partial<ChatTimes> = {}): Chat {
  const { clock, startAfterMs }: ChatTimes = { clock: systemClock, startAfterMs: 3_000, ...change };
  return async (call) => {
    const answer = await upstream.send(chatRequest(call));
    if (answer.status < 200 || answer.status > 299) {
      const error = await readError(answer, call.route.provider, clock);
      call.signal.throwIfAborted(); // an abort while the error was read is an abort
      throw error;
    }
    if (call.stream && !isJson(answer)) return await openChatStream(answer, call, clock, startAfterMs);
    const text = (await answer.body.bytes(answerBytesMax)).toString("utf8");
    const whole = readCompletion(text, call.publicModel, clock(), call.route.provider);
    return call.stream ? streamOfWhole(whole, call.signal) : whole;
  };
}

async function readError(answer: UpstreamAnswer, provider: Provider, clock: Clock): Promise<UpstreamError> {
  const text = await errorText(answer);
  return errorOfAnswer(answer.status, text, retryAfterMs(answer.headers, clock()), provider);
}

/** What came of it before it broke, grew too large or took too long: the status alone says enough. */
async function errorText({ body }: UpstreamAnswer): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => body.cancel(), errorBodyMs);
  const reading = body.read((chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > errorBytesMax) body.cancel();
  });
  await reading.catch(() => undefined);
  clearTimeout(timer);
  return Buffer.concat(chunks).toString("utf8", 0, errorBytesMax);
}

function isJson(answer: UpstreamAnswer): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\b/i.test(String(answer.headers["content-type"] ?? ""));
}
