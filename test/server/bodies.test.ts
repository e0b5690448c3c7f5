import { afterEach, describe, expect, test } from "vitest";
import { auth, call, chat, eventually, head, json, openSocket, startEdge } from "./start-edge.ts";
import type { Body, EdgeUnderTest } from "./start-edge.ts";

let edge: EdgeUnderTest;
afterEach(() => edge.close(200));

const path = "/v1/chat/completions";
const text = JSON.stringify(chat);
const typed = { "content-type": "application/json", ...auth };
const megabyte = 1024 * 1024;
const codeIn = (reply: string) => (JSON.parse(reply.slice(reply.indexOf("\r\n\r\n") + 4)) as Body).error.code;

describe("413 request_too_large", () => {
  test("by the announced length, before a byte is sent", async () => {
    edge = await startEdge();
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...typed, "content-length": String(25 * megabyte + 1) }));
    const reply = await socket.until("request_too_large");
    expect(reply).toMatch(/^HTTP\/1.1 413 /);
    socket.socket.destroy();
  });
  test("counted while reading, when the length isn't announced; the client that writes on reads the answer", async () => {
    edge = await startEdge();
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...typed, "transfer-encoding": "chunked" }));
    const chunk = Buffer.alloc(megabyte, "x");
    for (let sent = 0; sent < 40; sent++)
      await socket.send(Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]));
    await socket.send("0\r\n\r\n");
    const reply = await socket.until("request_too_large");
    expect(reply).toMatch(/^HTTP\/1.1 413 /);
    expect(socket.failure()).toBeNull();
    // The drained connection is good for another request.
    await socket.send(head("GET", "/healthz"));
    await socket.until("HTTP/1.1 200");
    socket.socket.destroy();
  });
  test.each([
    ["/v1/auth/signup", 64, "64 KB"],
    ["/v1/credits/webhooks/stripe", 1024, "1 MB"],
    [path, 25 * 1024, "25 MB"],
  ])("%s: above %i KB, announced or not; the message says %s", async (where, kilobytes, limit) => {
    edge = await startEdge();
    const over = Buffer.alloc(kilobytes * 1024 + 1, " ");
    const asStream = () => ({ body: new Blob([over]).stream(), duplex: "half" }) as RequestInit;
    for (const body of [{ body: over }, asStream()]) {
      const answer = await call(edge, where, { method: "POST", headers: typed, ...body });
      expect([answer.status, answer.body.error.code]).toEqual([413, "request_too_large"]);
      expect(answer.body.error.message).toContain(`at most ${limit} are taken`);
    }
    // The largest is read: blanks are no JSON.
    const largest = await call(edge, where, { method: "POST", headers: typed, body: over.subarray(1) });
    expect(largest.body.error.code).toBe("invalid_json");
  });
  test("exactly 25 MB is taken", async () => {
    edge = await startEdge({ handlers: { createChatCompletion: (_context, request) => json({ bytes: request.rawBody.length }) } });
    const padding = " ".repeat(25 * megabyte - text.length);
    const answer = await call(edge, path, { method: "POST", headers: typed, body: text + padding });
    expect(answer.body).toEqual({ bytes: 25 * megabyte });
  });
});

describe("an early refusal of a big upload is read by its client", () => {
  test.each([["keep-alive"], ["close"]])("401, 30 MB on the way, connection: %s", async (connection) => {
    edge = await startEdge();
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { "content-length": String(30 * megabyte), connection }));
    for (let sent = 0; sent < 30; sent++) await socket.send(Buffer.alloc(megabyte));
    expect(codeIn(await socket.until("missing_api_key"))).toBe("missing_api_key");
    expect(socket.failure()).toBeNull();
    socket.socket.destroy();
  });
  test("but not drained for ever: by bytes", async () => {
    edge = await startEdge({ limits: { drainBytes: 2 * megabyte } });
    const socket = await openSocket(edge.port);
    void socket.send(head("POST", path, { "transfer-encoding": "chunked" }));
    const pump = setInterval(
      () => socket.socket.writable && socket.socket.write(`${megabyte.toString(16)}\r\n${"x".repeat(megabyte)}\r\n`),
      5,
    );
    expect(await socket.ended()).toContain("missing_api_key");
    clearInterval(pump);
  });
  test("and by time", async () => {
    edge = await startEdge({ limits: { drainMs: 100 } });
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { "content-length": "1000" }) + "x");
    expect(await socket.ended()).toContain("missing_api_key");
  });
});

describe("Expect: 100-continue", () => {
  test("100 goes out after authentication, then the body is read", async () => {
    edge = await startEdge();
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...typed, "content-length": String(text.length), expect: "100-continue" }));
    expect(await socket.until("\r\n\r\n")).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    await socket.send(text);
    await socket.until("HTTP/1.1 200 OK");
    socket.socket.destroy();
  });
  test.each([
    ["no key", { "content-length": "10" }, 401],
    ["too long", { ...typed, "content-length": String(26 * megabyte) }, 413],
  ])("%s: the refusal comes instead, and the connection ends with the client's", async (_title, headers, status) => {
    edge = await startEdge();
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...headers, expect: "100-continue" }));
    const reply = await socket.until("request_id");
    expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(reply.toLowerCase()).toContain("connection: close");
    socket.socket.end();
    await socket.ended();
  });
  test("other expectations are passed over", async () => {
    edge = await startEdge();
    const socket = await openSocket(edge.port);
    await socket.send(head("GET", "/v1/models", { expect: "miracles", connection: "close" }));
    expect(await socket.ended()).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe("a body that isn't what was announced", () => {
  test("shorter, then silence: the connection ends, nothing reaches the handler", async () => {
    let handled = 0;
    edge = await startEdge({ limits: { bodyIdleMs: 100 }, handlers: { createChatCompletion: () => (handled++, json({})) } });
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...typed, "content-length": String(text.length + 5) }) + text);
    await socket.ended();
    await eventually(() => edge.logs.some((line) => line["status"] === 499));
    expect(handled).toBe(0);
    expect(edge.logs.filter((line) => line["err"])).toEqual([]);
  });
  test("shorter, then the client disconnects", async () => {
    edge = await startEdge();
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...typed, "content-length": "1000" }) + text);
    socket.socket.destroy();
    await eventually(() => edge.logs.some((line) => line["gone"] === true));
    expect(edge.logs.filter((line) => line["err"])).toEqual([]);
  });
  test("longer: the rest is no request, 400 with a body follows the answer", async () => {
    edge = await startEdge();
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...typed, "content-length": String(text.length) }) + text);
    await socket.until("HTTP/1.1 200 OK");
    await socket.send("and some more\r\n\r\n");
    expect(await socket.ended()).toMatch(/HTTP\/1.1 400 Bad Request\r\n[^]*x-request-id: req_/);
  });
  test("slowly, byte by byte, is fine", async () => {
    edge = await startEdge();
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...typed, "content-length": String(text.length) }));
    for (const byte of text) await socket.send(byte);
    await socket.until("HTTP/1.1 200 OK");
    socket.socket.destroy();
  });
  test("a chunk of nonsense length: 400 under the request's own id", async () => {
    edge = await startEdge();
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...typed, "transfer-encoding": "chunked", "x-request-id": "mine" }));
    await socket.send("zz\r\n");
    const reply = await socket.ended();
    expect(reply).toMatch(/^HTTP\/1.1 400 /);
    expect(reply).toContain("x-request-id: mine");
  });
});

describe("503 overloaded: all bodies together are bounded", () => {
  test("and room comes back when their requests end", async () => {
    const gate = Promise.withResolvers<unknown>();
    const begun = Promise.withResolvers<void>();
    const createChatCompletion = () => (begun.resolve(), gate.promise);
    edge = await startEdge({ limits: { allBodiesBytes: 3_000 }, handlers: { createChatCompletion } });
    const big = { ...chat, padding: "x".repeat(2_000) };
    const first = call(edge, path, { json: big, headers: auth });
    await begun.promise;
    const refused = await call(edge, path, { json: big, headers: auth });
    expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([503, "true"]);
    gate.resolve(json({}));
    expect((await first).status).toBe(200);
    expect((await call(edge, path, { json: big, headers: auth })).status).toBe(200);
  });
});
