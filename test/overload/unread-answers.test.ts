// Answers whose clients stop reading them, near the end too: each ends in time, and what waits for its reader has room of its own.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Sink } from "../../src/server/types.ts";
import { auth, chat, type EdgeUnderTest, eventually, head, openSocket, startEdge } from "../server/start-edge.ts";

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
