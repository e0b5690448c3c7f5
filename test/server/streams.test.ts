import { afterEach, describe, expect, test } from "vitest";
import type { Ask } from "../../src/calls/ask.ts";
import type { Sink } from "../../src/operation.ts";
import { auth, call, chat, eventually, head, openSocket, startEdge } from "./start-edge.ts";
import type { EdgeUnderTest, TestHandler } from "./start-edge.ts";

let edge: EdgeUnderTest;
afterEach(() => edge.close(200));

const path = "/v1/chat/completions";
const text = JSON.stringify({ ...chat, stream: true });
const request = head("POST", path, { "content-type": "application/json", "content-length": String(text.length), ...auth }) + text;
const sse = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" };
const streaming =
  (stream: (sink: Sink, ask: Ask) => Promise<void>): TestHandler =>
  (_context, _request, handled) => ({ status: 200, headers: sse, stream: (sink: Sink) => stream(sink, handled) });

describe("a streamed reply", () => {
  test("its head goes out at once, its chunks as they come", async () => {
    const gate = Promise.withResolvers<void>();
    edge = await startEdge({
      handlers: {
        createChatCompletion: streaming(async (sink) => {
          await gate.promise;
          await sink.write("data: 1\n\n");
          await sink.write(Buffer.from("data: [DONE]\n\n"));
        }),
      },
    });
    const socket = await openSocket(edge.port);
    await socket.send(request);
    const top = await socket.until("\r\n\r\n");
    expect(top).toContain("content-type: text/event-stream");
    expect(top).toContain("x-request-id: ");
    expect(top).not.toContain("data:");
    gate.resolve();
    await socket.until("[DONE]");
    await socket.until("0\r\n\r\n");
    socket.socket.destroy();
  });

  test("an error before the head is an ordinary error reply", async () => {
    edge = await startEdge({
      handlers: {
        createChatCompletion: () => {
          throw new Error("no");
        },
      },
    });
    expect((await call(edge, path, { json: chat, headers: auth })).status).toBe(500);
  });

  test("an error after the head breaks the connection, so that the client knows", async () => {
    edge = await startEdge({
      handlers: {
        createChatCompletion: streaming(async (sink) => {
          await sink.write("data: 1\n\n");
          throw new Error("broke");
        }),
      },
    });
    const socket = await openSocket(edge.port);
    await socket.send(request);
    const reply = await socket.ended();
    expect(reply).toContain("data: 1");
    expect(reply).not.toContain("0\r\n\r\n");
    expect(edge.logs.some((line) => JSON.stringify(line["err"] ?? "").includes("broke"))).toBe(true);
  });

  test("over HTTP/1.0, where an end would look like the whole answer, what was written arrives and then a reset", async () => {
    edge = await startEdge({
      handlers: {
        createChatCompletion: streaming(async (sink) => {
          await sink.write("data: 1\n\n");
          throw new Error("broke");
        }),
      },
    });
    const { socket, send, until } = await openSocket(edge.port);
    const end = new Promise((resolve) => {
      socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code)).once("end", () => resolve("an end"));
    });
    await send(request.replace("HTTP/1.1", "HTTP/1.0"));
    expect(await until("data: 1")).not.toContain("transfer-encoding");
    expect(await end).toBe("ECONNRESET");
  });

  test("a slow reader holds the writer back; buffers stay bounded", async () => {
    let written = 0;
    let waited = 0;
    const chunk = Buffer.alloc(64 * 1024, "x");
    edge = await startEdge({
      handlers: {
        createChatCompletion: streaming(async (sink) => {
          while (written < 64 * 1024 * 1024) {
            const pending = sink.write(chunk);
            written += chunk.length;
            if (pending !== undefined) waited++;
            await pending;
          }
        }),
      },
    });
    const socket = await openSocket(edge.port);
    socket.socket.pause();
    await socket.send(request);
    await eventually(() => waited > 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(written).toBeLessThan(32 * 1024 * 1024);
    socket.socket.resume();
    await eventually(() => written >= 64 * 1024 * 1024);
    socket.socket.destroy();
  });

  test("a writer that doesn't wait loses its client before memory", async () => {
    let gone = false;
    edge = await startEdge({
      limits: { queuedBytes: 1024 * 1024 },
      handlers: {
        createChatCompletion: streaming(async (sink, handled) => {
          for (let turn = 0; turn < 2_000 && !handled.signal.aborted; turn++) {
            void sink.write(Buffer.alloc(64 * 1024));
            await new Promise<void>((resolve) => setImmediate(resolve));
          }
          gone = handled.signal.aborted;
        }),
      },
    });
    const socket = await openSocket(edge.port);
    socket.socket.pause();
    await socket.send(request);
    await eventually(() => gone);
    socket.socket.destroy();
  });

  test("a client that still reads a large event is not cut off by the signs of life that are due meanwhile", async () => {
    const event = Buffer.alloc(16 * 1024 * 1024, "x");
    edge = await startEdge({
      limits: { queuedBytes: 1024 * 1024 },
      handlers: {
        createChatCompletion: streaming(async (sink) => {
          const read = sink.write(event);
          for (let silences = 0; silences < 3; silences++) {
            void sink.write(": keep-alive\n\n");
            await new Promise<void>((resolve) => setImmediate(resolve));
          }
          await read;
          await sink.write("data: [DONE]\n\n");
        }),
      },
    });
    const socket = await openSocket(edge.port);
    socket.socket.pause();
    await socket.send(request.replace("\r\n", "\r\nconnection: close\r\n"));
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.socket.resume();
    expect((await socket.ended()).slice(-30)).toContain("data: [DONE]\n\n\r\n0\r\n\r\n");
    socket.socket.destroy();
  });

  test("a reader that takes a little now and then is cut off once it has been waited for long enough in all", async () => {
    let over = false;
    edge = await startEdge({
      limits: { stalledReaderMs: 600_000, slowReaderMs: 600 },
      handlers: {
        createChatCompletion: streaming(async (sink, handled) => {
          while (!handled.signal.aborted)
            await (sink.write(Buffer.alloc(1024 * 1024)) ?? new Promise<void>((resolve) => setImmediate(resolve)));
          over = true;
        }),
      },
    });
    const socket = await openSocket(edge.port);
    await socket.send(request);
    const reading = setInterval(() => void (socket.socket.isPaused() ? socket.socket.resume() : socket.socket.pause()), 50);
    await eventually(() => over);
    clearInterval(reading);
    socket.socket.destroy();
  });

  test("a reader that takes nothing is cut off", async () => {
    let over = false;
    edge = await startEdge({
      limits: { stalledReaderMs: 100 },
      handlers: {
        createChatCompletion: streaming(async (sink, handled) => {
          while (!handled.signal.aborted)
            await (sink.write(Buffer.alloc(1024 * 1024)) ?? new Promise<void>((resolve) => setImmediate(resolve)));
          over = true;
        }),
      },
    });
    const socket = await openSocket(edge.port);
    socket.socket.pause();
    await socket.send(request);
    await eventually(() => over);
    socket.socket.destroy();
  });
});

describe("a client that disconnects fires the signal exactly once", () => {
  async function leave(phase: "before the head" | "mid stream", ask: "early" | "late") {
    const fired: unknown[] = [];
    let reached = false;
    let ended = false;
    const watch = (handled: Ask) => handled.signal.addEventListener("abort", () => fired.push(handled.signal.reason));
    const work = async (handled: Ask) => {
      if (ask === "early") watch(handled);
      reached = true;
      await eventually(() => edge.logs.some((line) => line["gone"] === true));
      if (ask === "late") expect(handled.signal.aborted).toBe(true);
      ended = true;
    };
    const handler: TestHandler =
      phase === "mid stream"
        ? streaming(async (sink, handled) => {
            await sink.write("data: 1\n\n");
            await work(handled);
            await sink.write("data: never\n\n");
          })
        : async (_context, _request, handled) => {
            await work(handled);
            throw handled.signal.reason;
          };
    edge = await startEdge({ handlers: { createChatCompletion: handler } });
    const socket = await openSocket(edge.port);
    await socket.send(request);
    await eventually(() => reached);
    socket.socket.destroy();
    await eventually(() => ended);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return fired;
  }

  test.each(["before the head", "mid stream"] as const)("%s, with a reason", async (phase) => {
    const fired = await leave(phase, "early");
    expect(fired).toHaveLength(1);
    expect(fired[0]).toMatchObject({ name: "AbortError" });
    expect(edge.logs.filter((line) => line["err"])).toEqual([]);
  });
  test("a signal first looked at after the fact has fired", async () => {
    await leave("before the head", "late");
  });
  test("a finished request never fires it", async () => {
    let handled: Ask | null = null;
    let fired = false;
    edge = await startEdge({
      handlers: {
        createChatCompletion: (_context, _request, one) => {
          handled = one;
          one.signal.addEventListener("abort", () => (fired = true));
          return { status: 200, body: {} };
        },
      },
    });
    await call(edge, path, { json: chat, headers: { ...auth, connection: "close" } });
    await eventually(() => edge.logs.some((line) => line["status"] === 200));
    expect([handled!.signal.aborted, fired]).toEqual([false, false]);
  });
});
