// The times of a stream, on a clock of the test's own: comments while the upstream is silent, none while it speaks.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Ask } from "../../src/calls/ask.ts";
import { lookEveryMs } from "../../src/clock.ts";
import type { Context } from "../../src/context.ts";
import type { TokenCall } from "../../src/language/token-call.ts";
import { streamAnswer, type StreamEncoder } from "../../src/language/stream-answer.ts";
import type { AnswerStream } from "../../src/providers/types.ts";
import type { ChatRecord } from "../../src/providers/verbs/chat.ts";
import { createBreakers } from "../../src/routing/breaker.ts";
import { createRouteFigures } from "../../src/routing/figures.ts";
import { noUsage } from "../../src/usage.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  await vi.advanceTimersByTimeAsync(lookEveryMs); // the timer that all streams share ends at its next look
  vi.useRealTimers();
});

const comment = ": keep-alive\n\n";
const encoder: StreamEncoder<ChatRecord> = {
  record: ({ json }) => `data: ${json}\n\n`,
  keepAlive: comment,
  end: () => "data: [DONE]\n\n",
  interrupted: () => "broken",
};

/** Streams what `produce` sends, and returns what was written until then. */
async function stream(produce: (send: (json: string) => void) => Promise<void>): Promise<string> {
  let written = "";
  const source = {
    tally: { usage: noUsage, deltas: 0, characters: 0, prompt: null },
    forEach: (onRecord: (record: ChatRecord) => unknown) => produce((json) => void onRecord({ json })),
  } as unknown as AnswerStream<ChatRecord>;
  const attempts = [{ candidate: { routeId: "a", model: { routes: [] } }, outcome: "ok" }];
  const call = { attempts, complete: async () => ({ usage: noUsage, cost: 0n, cacheDiscount: 0n }) } as unknown as TokenCall;
  const ask = { requestId: "req_1", signal: new AbortController().signal } as unknown as Ask;
  await streamAnswer({ breakers: createBreakers(), routeFigures: createRouteFigures() } as Context, { ask, call, source }, encoder, {
    write: (chunk) => void (written += String(chunk)),
  });
  return written;
}

test("an upstream silent for 25 s: a comment every 10 s, then the record", async () => {
  const written = await stream(async (send) => {
    await vi.advanceTimersByTimeAsync(25_000);
    send("{}");
  });
  expect(written).toBe(`${comment}${comment}data: {}\n\ndata: [DONE]\n\n`);
});

test("an upstream that speaks every 9 s needs none", async () => {
  const written = await stream(async (send) => {
    for (let record = 0; record < 3; record += 1) {
      await vi.advanceTimersByTimeAsync(9_000);
      send("{}");
    }
  });
  expect(written).not.toContain(comment);
});

test("no timer is left when the stream has ended", async () => {
  await stream(async (send) => send("{}"));
  await vi.advanceTimersByTimeAsync(lookEveryMs);
  expect(vi.getTimerCount()).toBe(0);
});
