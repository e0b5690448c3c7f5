import { describe, expect, test } from "vitest";
import type { Ask } from "../../src/calls/ask.ts";
import { auth, call, chat, eventually, head, json, openSocket, startEdge } from "./start-edge.ts";
import type { EdgeUnderTest, TestHandler } from "./start-edge.ts";

const text = JSON.stringify(chat);
const request =
  head("POST", "/v1/chat/completions", { "content-type": "application/json", "content-length": String(text.length), ...auth }) + text;

async function withOpenRequest(handler: (gate: Promise<void>) => TestHandler) {
  const gate = Promise.withResolvers<void>();
  let reached = false;
  const inner = handler(gate.promise);
  const edge: EdgeUnderTest = await startEdge({
    handlers: {
      createChatCompletion: (context, one, ask) => {
        reached = true;
        return inner(context, one, ask);
      },
    },
  });
  const socket = await openSocket(edge.port);
  await socket.send(request);
  await eventually(() => reached);
  return { edge, socket, release: gate.resolve };
}

describe("close", () => {
  test("finishes what is in flight, says connection: close, and takes nothing new", async () => {
    const { edge, socket, release } = await withOpenRequest((gate) => async () => (await gate, json({ done: true })));
    const closed = edge.close(10_000);
    await expect(call(edge, "/healthz")).rejects.toThrow();
    release();
    const reply = await socket.ended();
    expect(reply).toContain('{"done":true}');
    expect(reply.toLowerCase()).toContain("connection: close");
    await closed;
  });
  test("ends idle connections at once: used ones, and ones that only connected", async () => {
    const edge = await startEdge();
    const used = await openSocket(edge.port);
    await used.send(head("GET", "/healthz"));
    await used.until('{"status"');
    const fresh = await openSocket(edge.port);
    await eventually(() => edge.logs.length > 0);
    await edge.close(60_000);
    await Promise.all([used.ended(), fresh.ended()]);
  });
  test("a stream whose head was out before keeps its end, then its connection closes", async () => {
    const { edge, socket, release } = await withOpenRequest((gate) => () => ({
      status: 200,
      headers: { "content-type": "text/event-stream" },
      stream: async (sink: { write: (chunk: string) => unknown }) => {
        sink.write("data: 1\n\n");
        await gate;
        sink.write("data: [DONE]\n\n");
      },
    }));
    await socket.until("data: 1");
    const closed = edge.close(60_000);
    release();
    expect(await socket.ended()).toContain("[DONE]");
    await closed;
  });
  test("cuts what is left at the end of the grace time, and fires its signal", async () => {
    let aborted = false;
    const { edge, socket } = await withOpenRequest(() => async (_context, _request, one) => {
      await new Promise<void>((resolve) => one.signal.addEventListener("abort", () => resolve()));
      aborted = true;
      throw one.signal.reason;
    });
    await edge.close(50);
    await socket.ended();
    await eventually(() => aborted);
  });
  test("ends although handlers never do: of a client that disconnected, and of one that stays", async () => {
    const asks: Ask[] = [];
    const { edge, socket } = await withOpenRequest(() => (_context, _request, ask) => (asks.push(ask), new Promise(() => undefined)));
    const other = await openSocket(edge.port);
    await other.send(request);
    await eventually(() => asks.length === 2);
    socket.socket.destroy();
    await eventually(() => asks[0]!.signal.aborted);
    await edge.close(50);
    await other.ended();
  });
  test("again and again changes nothing", async () => {
    const { edge, socket, release } = await withOpenRequest((gate) => async () => (await gate, json({ done: true })));
    const all = [edge.close(10_000), edge.close(0), edge.close(0)];
    await new Promise((resolve) => setTimeout(resolve, 50));
    release();
    expect(await socket.ended()).toContain('{"done":true}');
    await Promise.all(all);
  });
});

const healthz = head("GET", "/healthz");
const closings = (text: string) => text.toLowerCase().split("connection: close").length - 1;
/** Says where it is, waits, and ends. */
const streaming = (gate: Promise<void>) => () => ({
  status: 200,
  headers: { "content-type": "text/event-stream" },
  stream: async (sink: { write: (chunk: string) => unknown }) => {
    sink.write("data: 1\n\n");
    await gate;
    sink.write("data: [DONE]\n\n");
  },
});

describe("close, where another process serves the port", () => {
  test("a stream whose head promised more is followed by one more answer, which says connection: close", async () => {
    const { edge, socket, release } = await withOpenRequest(streaming);
    await socket.until("data: 1");
    const closed = edge.close(60_000, true);
    release();
    await socket.until("[DONE]");
    await socket.until("0\r\n\r\n");
    await socket.send(healthz);
    const text = await socket.ended();
    expect(text).toContain('{"status":"ok"}');
    expect(closings(text)).toBe(1);
    await closed;
  });

  test("an idle connection takes one more request, and so does one that has only connected; /readyz stays 200", async () => {
    const edge = await startEdge();
    const [used, fresh] = [await openSocket(edge.port), await openSocket(edge.port)];
    await used.send(healthz);
    await used.until('{"status"');
    const closed = edge.close(60_000, true);
    for (const socket of [used, fresh]) {
      await socket.send(head("GET", "/readyz"));
      const text = await socket.ended();
      expect(text).toContain('{"status":"ready"}');
      expect(closings(text)).toBe(1);
    }
    await closed;
  });

  test("hastened, it closes idle connections at once and finishes what is in flight", async () => {
    const { edge, socket, release } = await withOpenRequest((gate) => async () => (await gate, json({ done: true })));
    const idle = await openSocket(edge.port);
    await idle.send(healthz);
    await idle.until('{"status"');
    const closed = edge.close(60_000, true);
    edge.hasten(60_000);
    await idle.ended();
    release();
    expect(await socket.ended()).toContain('{"done":true}');
    await closed;
  });

  test("hastened, it cuts what is left at the end of the shorter time", async () => {
    const { edge, socket } = await withOpenRequest(() => async (_context, _request, one) => {
      await new Promise<void>((resolve) => one.signal.addEventListener("abort", () => resolve()));
      throw one.signal.reason;
    });
    const closed = edge.close(600_000, true);
    edge.hasten(50);
    await socket.ended();
    await closed;
  });
});

test.each([true, false])(
  "requests that came before are all answered, the last says connection: close (another serves: %s)",
  async (keepsIdle) => {
    const gate = Promise.withResolvers<void>();
    let reached = 0;
    const createChatCompletion: TestHandler = async () => {
      const n = ++reached;
      await gate.promise;
      return json({ n });
    };
    const edge = await startEdge({ handlers: { createChatCompletion } });
    const socket = await openSocket(edge.port);
    await socket.send(request.repeat(3));
    await eventually(() => reached === 3);
    const closed = edge.close(60_000, keepsIdle);
    gate.resolve();
    const text = await socket.ended();
    expect([1, 2, 3].filter((n) => !text.includes(`{"n":${n}}`))).toEqual([]);
    expect(closings(text)).toBe(1);
    await closed;
  },
);
