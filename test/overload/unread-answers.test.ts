// Answers whose clients stop reading them, near the end too: each ends in time, and what waits for its reader has room of its own.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Sink } from "../../src/operation.ts";
import { auth, call, callers, chat, type EdgeUnderTest, eventually, head, json, openSocket, startEdge } from "../server/start-edge.ts";

let edge: EdgeUnderTest;
/** As node tells of them, newest last. */
const responses: ServerResponse[] = [];
const note = (message: unknown) => void responses.push((message as { response: ServerResponse }).response);
beforeEach(() => subscribe("http.server.request.start", note));
afterEach(async () => {
  unsubscribe("http.server.request.start", note);
  responses.length = 0;
  await edge.close(200);
});

const megabyte = 1024 * 1024;
const text = JSON.stringify(chat);
const request =
  head("POST", "/v1/chat/completions", { ...auth, "content-type": "application/json", "content-length": String(text.length) }) + text;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const held = async () => Number(/^svc_request_body_bytes (\d+)/m.exec((await call(edge, "/metrics")).text)![1]);
const waiting = () => responses.at(-1)!.writableLength;
const cut = () => edge.logs.some((line) => line["gone"] === true);

/** A client that reads only what it is told to. */
async function openIdler(sent: string) {
  const opened = await openSocket(edge.port);
  opened.socket.pause();
  await opened.send(sent);
  return opened;
}

describe("a client that stops reading is cut off", () => {
  test("just before a stream's end, where the last writes fit into the queue", async () => {
    const stream = async (sink: Sink) => {
      while (waiting() === 0) {
        for (let n = 0; n < 8 && waiting() === 0; n += 1) void sink.write(Buffer.alloc(1_024));
        await turn();
      }
    };
    const createChatCompletion = () => ({ status: 200, headers: { "content-type": "text/event-stream" }, stream });
    edge = await startEdge({ limits: { stalledReaderMs: 100 }, handlers: { createChatCompletion } });
    const { socket } = await openIdler(request);
    await eventually(cut);
    socket.destroy();
  });

  test("an answer that was given before its request's body had come", async () => {
    const listModels = () => ({ status: 200, headers: { "content-type": "application/json" }, bytes: Buffer.alloc(16 * megabyte) });
    edge = await startEdge({ limits: { stalledReaderMs: 100 }, handlers: { listModels } });
    const { socket, send } = await openIdler(head("GET", "/v1/models", { ...auth, "content-length": "1" }));
    await eventually(() => responses.length > 0 && waiting() > 0);
    await send("x");
    await eventually(cut);
    socket.destroy();
  });
});

describe("a whole answer that waits for its reader", () => {
  const bytes = 16 * megabyte;
  const answer = () => json({ text: "x".repeat(bytes) });

  test("is cut off in a time that fits its length, whoever drips it along", async () => {
    const limits = { stalledReaderMs: 1_000, readerBytesPerSec: bytes };
    edge = await startEdge({ limits, handlers: { createChatCompletion: answer } });
    const { socket } = await openIdler(request);
    await eventually(() => responses.length > 0 && waiting() > 0);
    const drip = setInterval(() => socket.read(65_536), 20);
    await eventually(cut);
    clearInterval(drip);
    expect(socket.bytesRead).toBeLessThan(bytes);
    socket.destroy();
  });

  test("has the room of bodies, of which one account takes three quarters: beyond that it is cut, others' come, and all of it comes back", async () => {
    const createEmbeddings = () => json({ text: "x".repeat(bytes / 2) });
    edge = await startEdge({ limits: { allBodiesBytes: 3 * bytes }, handlers: { createChatCompletion: answer, createEmbeddings } });
    callers["svc_other"] = { ...callers["svc_good"]!, accountId: 9n, keyId: 9n };
    const idlers = [await openIdler(request), await openIdler(request)];
    await eventually(() => responses.filter(({ writableLength }) => writableLength > bytes).length === 2);
    expect(await held()).toBeGreaterThan(2 * bytes);
    const third = await openIdler(request);
    await eventually(cut);
    const other = { json: { model: "demo/embed", input: "hi" }, headers: { authorization: "Bearer svc_other" } };
    expect((await call(edge, "/v1/embeddings", other)).text.length).toBeGreaterThan(bytes / 2);
    expect(edge.logs.filter((line) => line["gone"] === true)).toHaveLength(1);
    expect(edge.logs.filter(({ msg }) => String(msg).startsWith("an answer was aborted"))).toMatchObject([{ bytes: expect.any(Number) }]);
    for (const { socket } of [...idlers, third]) socket.destroy();
    await expect.poll(held).toBe(0);
    expect((await call(edge, "/v1/chat/completions", { json: chat, headers: auth })).text.length).toBeGreaterThan(bytes);
    await expect.poll(held).toBe(0);
  });

  test("takes no room where it was made before and is everybody's", async () => {
    const bytesOfAll = Buffer.alloc(bytes);
    const listModels = () => ({ status: 200, headers: { "content-type": "application/json" }, bytes: bytesOfAll });
    edge = await startEdge({ limits: { allBodiesBytes: bytes }, handlers: { listModels } });
    const { socket } = await openIdler(head("GET", "/v1/models", auth));
    await eventually(() => responses.length > 0 && waiting() > 0);
    expect([await held(), cut()]).toEqual([0, false]);
    socket.destroy();
  });

  test("behind another on its connection: its time begins when its turn comes", async () => {
    const gate = Promise.withResolvers<void>();
    const createEmbeddings = () => gate.promise.then(() => json({}));
    const limits = { stalledReaderMs: 50, readerBytesPerSec: 1e9 };
    edge = await startEdge({ limits, handlers: { createChatCompletion: () => json({ text: "second" }), createEmbeddings } });
    const input = JSON.stringify({ model: "demo/embed", input: "hi" });
    const first = head("POST", "/v1/embeddings", { ...auth, "content-type": "application/json", "content-length": String(input.length) });
    const opened = await openSocket(edge.port);
    await opened.send(first + input + request);
    await eventually(() => responses.length === 2 && waiting() > 0);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await held()).toBeGreaterThan(0);
    gate.resolve();
    await opened.until("second");
    opened.socket.destroy();
    await expect.poll(held).toBe(0);
  });
});
