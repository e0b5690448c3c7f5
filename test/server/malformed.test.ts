import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { head, openSocket, startEdge } from "./start-edge.ts";
import type { Body, EdgeUnderTest } from "./start-edge.ts";

let edge: EdgeUnderTest;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge.close());

async function answerTo(bytes: string) {
  const socket = await openSocket(edge.port);
  await socket.send(bytes);
  const reply = await socket.ended();
  const [top = "", body = ""] = reply.split("\r\n\r\n");
  return { status: Number(top.split(" ")[1]), top, error: (JSON.parse(body) as Body).error };
}

describe("400 with a body for what isn't HTTP", () => {
  test.each([
    ["a word", "hello\r\n\r\n"],
    ["TLS", "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03"],
    ["a bad version", "GET / HTTP/9.9\r\n\r\n"],
    ["a header without a colon", "GET /v1/models HTTP/1.1\r\nhost x\r\n\r\n"],
    ["no target", "GET foo HTTP/1.1\r\nhost: x\r\n\r\n"],
    ["two lengths", "POST /v1/models HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx"],
    ["a negative length", "POST /v1/models HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\nx"],
    ["length and chunked", "POST /v1/models HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\nx"],
    ["no Host", "GET /v1/models HTTP/1.1\r\nconnection: close\r\n\r\n"],
  ])("%s", async (_title, bytes) => {
    const { status, top, error } = await answerTo(bytes);
    expect(status).toBe(400);
    const id = /x-request-id: (\S+)/.exec(top)?.[1];
    expect(error).toMatchObject({ type: "invalid_request_error", request_id: id, retryable: false });
    expect(top).toContain("content-type: application/json");
  });
  test("431: headers beyond 16 KB", async () => {
    const { status, error } = await answerTo(head("GET", "/v1/models", { "x-long": "x".repeat(20_000) }));
    expect([status, error.type]).toEqual([431, "invalid_request_error"]);
  });
  test("pipelined requests are answered each under its own id, in order", async () => {
    const socket = await openSocket(edge.port);
    await socket.send(
      head("GET", "/v1/models", { "x-request-id": "one" }) + head("GET", "/nothing", { "x-request-id": "two", connection: "close" }),
    );
    const ids = [...(await socket.ended()).matchAll(/x-request-id: (\S+)/g)].map((match) => match[1]);
    expect(ids).toEqual(["one", "two"]);
  });
  test("HTTP/1.0 without Host is served", async () => {
    const socket = await openSocket(edge.port);
    await socket.send("GET /v1/models HTTP/1.0\r\n\r\n");
    expect(await socket.ended()).toMatch(/^HTTP\/1.1 200 /);
  });
});
