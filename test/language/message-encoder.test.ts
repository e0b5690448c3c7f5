// The stream encoder of messages: keep-alives, and the event of an interrupted stream.
import { expect, test } from "vitest";
import { messageEncoder } from "../../src/language/messages/reply.ts";
import { UpstreamError } from "../../src/providers/errors/upstream-error.ts";

function encoder() {
  const answer = { ask: { requestId: "req_1" }, call: {}, source: {} } as unknown as Parameters<typeof messageEncoder>[1];
  return messageEncoder({ publicUrl: "https://gw.example" }, answer);
}

test("keep-alives are comments before message_start and pings after it", () => {
  const written = encoder();
  expect(written.keepAlive).toBe(": keep-alive\n\n");
  expect(written.record({ event: "message_start", json: '{"type":"message_start"}' })).toBe(
    'event: message_start\ndata: {"type":"message_start"}\n\n',
  );
  expect(written.keepAlive).toBe('event: ping\ndata: {"type":"ping"}\n\n');
});

test.each([
  [new UpstreamError("unavailable", "x", { status: 200 }), "api_error"],
  [new UpstreamError("unavailable", "x", { status: 529 }), "overloaded_error"],
  [new UpstreamError("rate_limited", "x"), "overloaded_error"],
  [new Error("x"), "api_error"],
])("%s becomes %s: agents wait on overloaded, so only an upstream that reports it itself gets it", (error, type) => {
  const [name, data] = encoder().interrupted(error).split("\n");
  expect(name).toBe("event: error");
  expect(JSON.parse(data!.slice("data: ".length))).toMatchObject({
    type: "error",
    error: { type, code: "stream_interrupted", retryable: true, request_id: "req_1" },
    request_id: "req_1",
  });
});
