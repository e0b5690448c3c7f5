// Time limits of a stream: a host that only shows that it is alive is waited for long, but not for ever (http.ts, UpstreamLimits).
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { openaiChat } from "../../../src/providers/openai/chat.ts";
import type { UpstreamLimits } from "../../../src/providers/transport/types.ts";
import { until } from "../../support/eventually.ts";
import { type Answer, routeTo, startHost, useUpstream } from "../upstream-fixture.ts";
import { chunk, expectFault, publicModel, sse } from "./chat-fixture.ts";

/** Sends `first` once, then `again` every 20 ms for ever. */
function everAgain(first: string, again: string): Answer {
  return (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(first || ": here\n\n");
    const timer = setInterval(() => response.write(again), 20);
    response.on("close", () => clearInterval(timer));
  };
}

async function ask(answer: Answer, limits: Partial<UpstreamLimits>, startAfterMs = 50) {
  const host = await startHost(answer);
  const upstream = useUpstream(limits);
  const route = routeTo(`${host.url}/v1`, { timeoutMs: 1_000 });
  const signal = new AbortController().signal;
  const body = '{"model":"upstream-model"}';
  const call = { route, signal, requestId: "req_test", body, stream: true, publicModel, outputMax: 100 };
  const begun = openaiChat(upstream, { startAfterMs })(call).then((stream) => {
    if (stream.kind !== "stream") throw new Error("a stream was expected");
    return stream;
  });
  const closed = () => until(() => host.sockets.size === 0 && upstream.gauge().calls === 0);
  return { begun, closed };
}

const comment = ": keep-alive\n\n";
const words = sse(chunk({ content: "a" }));

describe("a host that sends comments for ever", () => {
  test.each([
    ["from the head on", ""],
    ["after a record", words],
  ])("%s: the stream breaks as unavailable, the socket is closed", async (_when, first) => {
    const { begun, closed } = await ask(everAgain(first, comment), { recordMs: 1_100 });
    const stream = await begun;
    const error = await expectFault(
      stream.forEach(() => undefined),
      "unavailable",
    );
    expect(error).toMatchObject({ reason: "no record within 1100 ms", status: 200 });
    await closed();
  });

  test("and has not begun: it never does, so that the next route is tried", async () => {
    const { begun, closed } = await ask(everAgain("", comment), { recordMs: 1_100 }, 60_000);
    await expectFault(begun, "unavailable");
    await closed();
  });

  test("after all of the answer: it is whole", async () => {
    const { begun, closed } = await ask(everAgain(sse(chunk({ content: "a" }), chunk({}, "stop")), comment), { recordMs: 1_100 });
    await (await begun).forEach(() => undefined);
    await closed();
  });
});

test("a host that sends records for ever: the stream breaks as unavailable once its whole time has passed", async () => {
  const { begun, closed } = await ask(everAgain(words, words), { streamMs: 1_500 });
  const stream = await begun;
  const error = await expectFault(
    stream.forEach(() => undefined),
    "unavailable",
  );
  expect(error).toMatchObject({ reason: "the stream took more than 1500 ms", status: 200 });
  await closed();
});

/** Sends each text after a pause. */
function paced(texts: readonly string[], pauseMs: number): Answer {
  const send = (response: ServerResponse, at: number) => {
    if (at === texts.length) return void response.end();
    response.write(texts[at]!);
    setTimeout(send, pauseMs, response, at + 1);
  };
  return (_request, response) => send(response.writeHead(200, { "content-type": "text/event-stream" }), 0);
}

describe("a stream that goes on", () => {
  test("for longer than the time between two records: is whole", async () => {
    const texts = [...Array.from({ length: 10 }, () => words), sse(chunk({}, "stop"), "[DONE]")];
    const { begun } = await ask(paced(texts, 250), { recordMs: 2_000 });
    let records = 0;
    await (await begun).forEach(() => void (records += 1));
    expect(records).toBeGreaterThan(10);
  });

  test("to a reader who is slower than that, and than all of it may take: his time is not the host's", async () => {
    const texts = [words, words, sse(chunk({}, "stop"), "[DONE]")];
    const { begun } = await ask(paced(texts, 50), { recordMs: 1_100, streamMs: 2_000 });
    await (await begun).forEach(() => new Promise<void>((resolve) => void setTimeout(resolve, 1_200)));
  });
});
