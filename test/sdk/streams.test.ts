// Streams of hosts that break their word, and loops that are left: no half answer is taken for a whole one, nothing is left open.
import type { ServerResponse } from "node:http";
import { describe, expect, test, vi } from "vitest";
import type { ChatChunk, Stream } from "../../generated/sdk/index.js";
import { stream as readStream } from "../../src/sdk/stream.ts";
import { piecesOf, watch } from "../../src/sdk/watch.ts";
import { withAnswers } from "./answers-server.ts";

const body = { model: "m", messages: [{ role: "user" as const, content: "Hello" }], stream: true as const };
const chunk = (content: string) => `data: {"choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}]}\n\n`;

/** Says the text and then does what is given; by default it ends. */
function serveText(text: string, then: (response: ServerResponse) => void = (response) => void response.end()) {
  return (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "x-request-id": "req_9" });
    response.write(text, () => then(response));
  };
}

async function read(stream: Stream<ChatChunk>): Promise<string[]> {
  const texts = [];
  for await (const { choices } of stream) texts.push(choices[0]!.delta.content!);
  return texts;
}

describe("an end", () => {
  test("without [DONE] is connection_failed, also where the last event was cut", async () => {
    for (const text of [chunk("a"), `${chunk("a")}data: {"choi`, ": keep-alive\n\n"])
      await withAnswers([serveText(text)], async (svc) => {
        const reading = svc.chat.completions.create(body).then(read);
        await expect(reading).rejects.toMatchObject({ code: "connection_failed", retryable: true, requestId: "req_9", status: null });
      });
  });

  test("of the connection is connection_failed", async () => {
    await withAnswers([serveText(chunk("a"), (response) => setTimeout(() => response.destroy(), 20))], async (svc) => {
      const reading = svc.chat.completions.create(body).then(read);
      await expect(reading).rejects.toMatchObject({ code: "connection_failed", retryable: true, requestId: "req_9", httpStatus: 200 });
    });
  });

  test("after [DONE] is the end, whatever follows; the connection serves again", async () => {
    await withAnswers([serveText(`${chunk("a")}data: [DONE]\n\n: bye\n\ndata: not json\n\n`)], async (svc, server) => {
      for (let turn = 0; turn < 3; turn += 1) expect(await read(await svc.chat.completions.create(body))).toEqual(["a"]);
      expect(server.left).toBe(0);
    });
  });

  test("that broke off after [DONE] is one: who has the whole answer must not ask and pay for it again", async () => {
    const broken = serveText(`${chunk("a")}data: [DONE]\n\n`, (response) => setTimeout(() => response.destroy(), 20));
    await withAnswers([broken], async (svc) => expect(await read(await svc.chat.completions.create(body))).toEqual(["a"]));
  });

  test("of silence is timeout", async () => {
    await withAnswers([serveText(chunk("a"), () => {})], async (svc, server) => {
      const reading = svc.chat.completions.create(body, { timeout: 1000 }).then(read);
      await expect(reading).rejects.toMatchObject({ code: "timeout", requestId: "req_9" });
      await expect.poll(() => server.left).toBe(1);
    });
  });

  test("of a reader who takes his time is none: only waiting for the gateway counts", async () => {
    vi.useFakeTimers();
    const watched = watch(null, 1000);
    const pieces = piecesOf(new Response("all that was said"), watched);
    await pieces.next();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(100_000);
    expect(await pieces.next()).toMatchObject({ done: true });
    expect(watched.controller.signal.aborted).toBe(false);
    vi.useRealTimers();
  });
});

test("no part of a stream is taken for the whole, wherever it is cut", async () => {
  for (const end of ["\n", "\r\n"]) {
    const whole = `${chunk("a")}: keep-alive\n\n${chunk("ü")}data: [DONE]\n\n`.replaceAll("\n", end);
    const bytes = new TextEncoder().encode(whole);
    const least = bytes.length - end.length; // the last line's end may be cut
    for (let length = 0; length <= bytes.length; length += 1) {
      const response = new Response(bytes.subarray(0, length), { headers: { "x-request-id": "req_9" } });
      const stream = readStream<ChatChunk>(response, watch(null, 10_000), "text/event-stream")!;
      const ended = await read(stream).catch((error: unknown) => error);
      if (Array.isArray(ended)) expect([ended, length >= least]).toEqual([["a", "ü"], true]);
      else expect(ended).toMatchObject({ code: "connection_failed", requestId: "req_9", type: null });
    }
  }
});

describe("an event", () => {
  test("that is an error is thrown, in each of the ways it is said", async () => {
    const fault = '"error":{"message":"It broke.","type":"upstream_error","code":"stream_interrupted","retryable":true}';
    const ways = [`data: {"choices":[],${fault}}`, `event: error\ndata: {"type":"error",${fault}}`, `data: {${fault}}`];
    for (const way of ways)
      await withAnswers([serveText(`${chunk("a")}${way}\n\ndata: [DONE]\n\n`)], async (svc) => {
        const reading = svc.chat.completions.create(body).then(read);
        await expect(reading).rejects.toMatchObject({ code: "stream_interrupted", type: "upstream_error", httpStatus: 200 });
      });
  });

  test("with error: null is none; one that is not JSON is unexpected_answer", async () => {
    await withAnswers([serveText(`${chunk("a").replace("}\n\n", ',"error":null}\n\n')}data: [DONE]\n\n`)], async (svc) => {
      expect(await read(await svc.chat.completions.create(body))).toEqual(["a"]);
    });
    await withAnswers([serveText("data: {oops}\n\n", () => {})], async (svc, server) => {
      const reading = svc.chat.completions.create(body).then(read);
      await expect(reading).rejects.toMatchObject({ code: "unexpected_answer", body: "{oops}" });
      await expect.poll(() => server.left).toBe(1);
    });
  });
});

test("chat is asked for the usage unless the caller says else; fields of extraBody stand beside the listed ones", async () => {
  await withAnswers([serveText("data: [DONE]\n\n")], async (svc, server) => {
    await svc.chat.completions.create(body, { extraBody: { seed: 7 } });
    await svc.chat.completions.create({ ...body, stream_options: { include_usage: false } });
    await svc.completions.create({ model: "m", prompt: "x", stream: true });
    await svc.messages.create({ ...body, max_tokens: 1 });
    const sent = server.received.map((request) => JSON.parse(request.body) as Record<string, unknown>);
    expect(sent.map(({ stream_options }) => stream_options)).toEqual([
      { include_usage: true },
      { include_usage: false },
      { include_usage: true },
      undefined,
    ]);
    expect(sent[0]).toMatchObject({ seed: 7, model: "m" });
  });
});

describe("a loop that is left", () => {
  const endless = serveText(chunk("a"), () => {});
  test("with break, return or an exception ends the request", async () => {
    const leave = {
      break: async (stream: Stream<ChatChunk>) => {
        for await (const _ of stream) break;
      },
      throw: async (stream: Stream<ChatChunk>) => {
        for await (const _ of stream) throw new RangeError("mine");
      },
    };
    for (const way of ["break", "throw"] as const)
      await withAnswers([endless], async (svc, server) => {
        const stream = await svc.chat.completions.create(body);
        await leave[way](stream).catch((error: unknown) => expect(error).toBeInstanceOf(RangeError));
        expect(stream.controller.signal.aborted).toBe(true);
        await expect.poll(() => server.left).toBe(1);
      });
  });

  test("by its controller or by the signal throws aborted", async () => {
    await withAnswers([endless], async (svc, server) => {
      const stream = await svc.chat.completions.create(body);
      const reading = (async () => {
        for await (const _ of stream) stream.controller.abort();
      })();
      await expect(reading).rejects.toMatchObject({ code: "aborted", requestId: "req_9" });
      const leaving = new AbortController();
      const other = read(await svc.chat.completions.create(body, { signal: leaving.signal }));
      setTimeout(() => leaving.abort("enough"), 20);
      await expect(other).rejects.toMatchObject({ code: "aborted" });
      await expect.poll(() => server.left).toBe(2);
    });
  });

  test("leaves no listener on the caller's signal", async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    await withAnswers([serveText(`${chunk("a")}data: [DONE]\n\n`)], async (svc) => {
      await read(await svc.chat.completions.create(body, { signal }));
      for await (const _ of await svc.chat.completions.create(body, { signal })) break;
    });
    expect(added.mock.calls.length).toBe(2);
    expect(removed.mock.calls.length).toBe(2);
  });
});
