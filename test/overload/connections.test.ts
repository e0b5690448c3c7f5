// Sockets that are opened and left, that trickle, or that come by the thousand: descriptors and memory stay for those who ask.
import { afterEach, describe, expect, test } from "vitest";
import { connectionLimit } from "../../src/server/connections.ts";
import { auth, chat, type EdgeUnderTest, eventually, head, json, openSocket, startEdge } from "../server/start-edge.ts";

let edge: EdgeUnderTest;
afterEach(() => edge.close(200));

const path = "/v1/chat/completions";
const body = JSON.stringify(chat);
const post = head("POST", path, { ...auth, "content-type": "application/json", "content-length": String(body.length) }) + body;

/** An edge whose chats are answered when the gate opens. */
async function startGated(limits: { connections?: number }) {
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  const createChatCompletion = async () => {
    asked += 1;
    await gate.promise;
    return json({});
  };
  edge = await startEdge({ limits, handlers: { createChatCompletion } });
  return { open: gate.resolve, asked: () => asked };
}

describe("open connections", () => {
  test("where they become scarce, those idle for longest make room: thousands that say nothing keep nobody out", async () => {
    edge = await startEdge({ limits: { connections: 16 } });
    const silent = await Promise.all(Array.from({ length: 15 }, () => openSocket(edge.port)));
    for (let n = 0; n < 30; n += 1) {
      const socket = await openSocket(edge.port);
      await socket.send(head("GET", "/healthz"));
      await socket.until("HTTP/1.1 200");
    }
    for (const { ended } of silent) await ended();
  });

  test("where all of them are being answered, what comes beyond is closed unread, and one log line says so", async () => {
    const gated = await startGated({ connections: 4 });
    const busy: Awaited<ReturnType<typeof openSocket>>[] = [];
    while (busy.length < 4) {
      const socket = await openSocket(edge.port);
      await socket.send(post);
      busy.push(socket);
      await eventually(() => gated.asked() === busy.length);
    }
    for (let n = 0; n < 20; n += 1) {
      const socket = await openSocket(edge.port);
      expect(await socket.ended()).toBe("");
    }
    expect(edge.logs.filter(({ msg }) => String(msg).startsWith("connections were refused"))).toHaveLength(1);
    gated.open();
    for (const socket of busy) await socket.until("HTTP/1.1 200");
    const next = await openSocket(edge.port);
    await next.send(post);
    await next.until("HTTP/1.1 200");
  });

  test("take half of the process's descriptors and no more than one core serves", () => {
    expect([connectionLimit(4_096), connectionLimit(1_048_576), connectionLimit(Infinity)]).toEqual([2_048, 16_384, 16_384]);
    expect(connectionLimit()).toBeGreaterThan(0);
  });
});

describe("one connection", () => {
  test("answers 64 requests that were sent at once", async () => {
    const gated = await startGated({});
    const socket = await openSocket(edge.port);
    await socket.send(post.repeat(64));
    await eventually(() => gated.asked() === 64);
    gated.open();
    await eventually(() => socket.received().split("HTTP/1.1 200").length === 65);
  });
  test("ends with the 65th that comes before one is answered", async () => {
    const gated = await startGated({});
    const socket = await openSocket(edge.port);
    await socket.send(post.repeat(1_000));
    expect(await socket.ended()).toBe("");
    expect(gated.asked()).toBe(64);
    // Each of them has ended, those that never had their turn too.
    const ended = () => edge.logs.filter(({ msg, gone }) => msg === "request" && gone === true).length;
    await eventually(() => ended() > 64);
    const open = await (await fetch(`${edge.url}/metrics`)).text();
    expect(/^svc_http_requests_in_flight (\d+)/m.exec(open)![1]).toBe("1"); // this one
    gated.open();
  });
});

describe("a body that trickles", () => {
  test.each([
    ["JSON", path, "application/json"],
    ["a form", "/v1/audio/transcriptions", "multipart/form-data; boundary=x"],
  ])("%s: bytes that come in time but lead nowhere don't renew the patience", async (_title, where, type) => {
    edge = await startEdge({ limits: { bodyIdleMs: 400 }, filesFolder: process.env["TMPDIR"] ?? "/tmp" });
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", where, { ...auth, "content-type": type, "content-length": "100000" }));
    const trickle = setInterval(() => socket.socket.writable && socket.socket.write("-"), 20);
    expect(await socket.ended()).toBe("");
    clearInterval(trickle);
  });
});
