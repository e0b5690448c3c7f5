// Aborts in every phase, slow readers, many calls at once: nothing stays open at either end.
import { describe, expect, test } from "vitest";
import { openaiChat } from "../../../src/providers/openai/chat.ts";
import type { ChatCall, ChatStream } from "../../../src/providers/verbs/chat.ts";
import { until } from "../../support/eventually.ts";
import { type Answer, type Host, routeTo, startHost, useUpstream } from "../upstream-fixture.ts";
import { chunk, sse } from "./chat-fixture.ts";

const first = sse(chunk({ role: "assistant", content: "The" }));

function callOf(host: Host, signal: AbortSignal, stream = true): ChatCall {
  return { route: routeTo(host.url), signal, requestId: "req_1", body: "{}", stream, publicModel: "m", outputMax: 100 };
}

/** Begins and never ends, a record every few milliseconds. */
const endless: Answer = (_request, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" }).write(first);
  const pump = setInterval(() => response.write(sse(chunk({ content: " sea" }))), 5);
  response.on("close", () => clearInterval(pump));
};

async function started(upstream: ReturnType<typeof useUpstream>, host: Host, signal = new AbortController().signal): Promise<ChatStream> {
  return (await openaiChat(upstream)(callOf(host, signal))) as ChatStream;
}

describe("aborts", () => {
  test.each([
    ["before the headers", () => undefined, true],
    [
      "after the headers, before the first token",
      (_request, response) => response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders(),
      true,
    ],
    [
      "inside a whole answer",
      (_request, response) => void response.writeHead(200, { "content-type": "application/json" }).write('{"choices":['),
      false,
    ],
    ["inside an error's body", (_request, response) => void response.writeHead(500).write("oh"), false],
  ] as [string, Answer, boolean][])("%s: the signal's reason, the host's socket closed", async (_when, answer, stream) => {
    const host = await startHost(answer);
    const upstream = useUpstream();
    const abort = new AbortController();
    const asked = openaiChat(upstream)(callOf(host, abort.signal, stream));
    asked.catch(() => undefined);
    await until(() => host.requests.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    abort.abort(new Error("the client disconnected"));
    await expect(asked).rejects.toThrow("the client disconnected");
    await until(() => host.sockets.size === 0);
    expect(upstream.gauge()).toEqual({ calls: 0, waiting: 0, sockets: 0 });
  });

  test.each(["a signal", "cancel()"])("mid-stream by %s: forEach rejects, the host's socket closes, the tally stays", async (how) => {
    const host = await startHost(endless);
    const upstream = useUpstream();
    const abort = new AbortController();
    const stream = await started(upstream, host, abort.signal);
    let records = 0;
    const reading = stream.forEach(() => {
      if (++records < 4) return;
      if (how === "cancel()") stream.cancel();
      else abort.abort(new Error("the client disconnected"));
    });
    await expect(reading).rejects.toThrow(how === "cancel()" ? "cancelled" : "the client disconnected");
    await until(() => host.sockets.size === 0 && upstream.gauge().calls === 0);
    expect(records).toBe(4);
    expect(stream.tally.deltas).toBe(4);
  });

  test("after the last content: the host's socket closes though it never ends", async () => {
    const host = await startHost(
      (_request, response) => void response.writeHead(200, { "content-type": "text/event-stream" }).write(first + sse(chunk({}, "stop"))),
    );
    const upstream = useUpstream();
    const abort = new AbortController();
    const stream = await started(upstream, host, abort.signal);
    const reading = stream.forEach((record) => void (record.json.includes('"stop"') && abort.abort(new Error("left"))));
    await expect(reading).rejects.toThrow("left");
    await until(() => host.sockets.size === 0 && upstream.gauge().calls === 0);
  });

  test("after all of it arrived, before it was read: forEach rejects with the signal's reason", async () => {
    const host = await startHost((_request, response) => response.writeHead(200, { "content-type": "text/event-stream" }).end(first));
    const abort = new AbortController();
    const upstream = useUpstream();
    const stream = await started(upstream, host, abort.signal);
    await until(() => upstream.gauge().calls === 0);
    abort.abort(new Error("left"));
    await expect(stream.forEach(() => undefined)).rejects.toThrow("left");
  });

  test("a listener that throws, and an unread stream, cancelled: the host's socket closes", async () => {
    const host = await startHost(endless);
    const upstream = useUpstream();
    const stream = await started(upstream, host);
    await expect(stream.forEach(() => Promise.reject(new Error("mine")))).rejects.toThrow("mine");
    (await started(upstream, host)).cancel();
    await until(() => host.sockets.size === 0 && upstream.gauge().calls === 0);
  });

  test("a host that keeps its socket after [DONE] loses it", async () => {
    const host = await startHost(
      (_request, response) =>
        void response.writeHead(200, { "content-type": "text/event-stream" }).write(first + sse(chunk({}, "stop"), "[DONE]")),
    );
    const upstream = useUpstream();
    await (await started(upstream, host)).forEach(() => undefined);
    await until(() => host.sockets.size === 0 && upstream.gauge().calls === 0);
  });

  test("1,000 streams aborted at all sorts of moments leave no call and no socket", async () => {
    const host = await startHost(endless);
    const upstream = useUpstream();
    const chat = openaiChat(upstream);
    const one = async (at: number) => {
      const abort = new AbortController();
      const timer = setTimeout(() => abort.abort(new Error("left")), (at * 7) % 40);
      const error = await chat(callOf(host, abort.signal))
        .then((answer) => (answer as ChatStream).forEach(() => (at % 3 === 0 ? new Promise<void>((resolve) => setTimeout(resolve, 1)) : undefined)))
        .then(() => null, (reason: Error) => reason.message); // prettier-ignore
      clearTimeout(timer);
      return error;
    };
    for (let round = 0; round < 10; round += 1) {
      const errors = await Promise.all([...Array(100).keys()].map((at) => one(round * 100 + at)));
      expect(new Set(errors)).toEqual(new Set(["left"]));
    }
    await until(() => upstream.gauge().calls === 0 && upstream.gauge().sockets === 0 && host.sockets.size === 0);
    expect(upstream.gauge()).toEqual({ calls: 0, waiting: 0, sockets: 0 });
  });
});

describe("back-pressure", () => {
  /** As fast as the socket takes it. */
  function flood(total: number): { answer: Answer; written: () => number } {
    const record = sse(chunk({ content: "x".repeat(1_000) })).repeat(16);
    let written = 0;
    const answer: Answer = (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(first);
      const pump = () => {
        let room = true;
        while (room && written < total) {
          room = response.write(record);
          written += record.length;
        }
        if (written >= total) response.end(sse(chunk({}, "stop"), "[DONE]"));
        else response.once("drain", pump);
      };
      pump();
    };
    return { answer, written: () => written };
  }

  async function settled(written: () => number): Promise<void> {
    for (let before = -1; before !== written();) {
      before = written();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  test("a record that waits stops the host; when it is taken the rest arrives whole", async () => {
    const { answer, written } = flood(64e6);
    const host = await startHost(answer);
    const stream = await started(useUpstream(), host);
    await settled(written); // without a listener the socket waits already
    expect(written()).toBeLessThan(16e6);
    let release: () => void = () => undefined;
    let characters = 0;
    let records = 0;
    const reading = stream.forEach(({ json }) => {
      characters += (JSON.parse(json) as any).choices[0].delta.content?.length ?? 0;
      if (++records === 4_000) return new Promise<void>((resolve) => (release = resolve));
    });
    await until(() => records === 4_000);
    await settled(written);
    expect(written()).toBeLessThan(24e6);
    expect(records).toBe(4_000);
    release();
    await reading;
    expect(characters).toBe(stream.tally.characters);
    expect(records).toBe(stream.tally.deltas + 1);
  });

  test("records come in order, one at a time, however long each is waited for", async () => {
    const pieces = [...Array(200).keys()].map(String);
    const host = await startHost((_request, response) =>
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(first + sse(...pieces.map((content) => chunk({ content })), chunk({}, "stop"), "[DONE]")),
    );
    const stream = await started(useUpstream(), host);
    const seen: string[] = [];
    let busy = false;
    await stream.forEach(async ({ json }) => {
      expect(busy).toBe(false);
      busy = true;
      await new Promise((resolve) => setImmediate(resolve));
      busy = false;
      seen.push((JSON.parse(json) as any).choices[0].delta.content ?? "");
    });
    expect(seen.join(",")).toBe(["The", ...pieces, ""].join(","));
  });
});
