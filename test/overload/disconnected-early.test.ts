// Clients that leave while the gateway still looks who they are: they take no place that nobody gives back.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { Edge, Exchange } from "../../src/server/edge.ts";
import { readBody } from "../../src/server/read-body.ts";
import { openFairQuota } from "../../src/concurrency/slots.ts";
import { auth, call, chat, type EdgeUnderTest, eventually, head, json, openSocket, startEdge } from "../server/start-edge.ts";

let edge: EdgeUnderTest;
afterEach(() => edge.close(200));

const atWork = async () => Number(/^svc_requests_at_work (\d+)/m.exec((await call(edge, "/metrics")).text)?.[1]);

describe("requests at work", () => {
  test.each([
    ["its key is looked up", "/v1/chat/completions", auth, chat],
    ["its session is looked up", "/v1/auth/keys", { authorization: "Bearer svcs_session" }, { name: "a" }],
    ["its address's rate is counted, without any key", "/v1/auth/signin", {}, { email: "a@example.com", password: "x" }],
  ])("a client that disconnects while %s takes no place", async (_title, path, headers, body) => {
    const gate = Promise.withResolvers<void>();
    let waiting = 0;
    const lookUp = () => {
      waiting += 1;
      return gate.promise;
    };
    edge = await startEdge({ limits: { atWork: 4 }, lookUp });
    const text = JSON.stringify(body);
    const request = head("POST", path, { "content-type": "application/json", "content-length": String(text.length), ...headers }) + text;
    const sockets = await Promise.all(Array.from({ length: 8 }, () => openSocket(edge.port)));
    for (const { send } of sockets) await send(request);
    await eventually(() => waiting === 8);
    for (const { socket } of sockets) socket.destroy();
    await eventually(() => edge.logs.filter((line) => line["gone"] === true).length === 8);
    gate.resolve();
    // Each of these goes the whole way of those before it.
    for (let n = 0; n < 4; n += 1) expect((await call(edge, path, { json: body, headers })).status).toBe(200);
    expect(await atWork()).toBe(0);
    expect(edge.logs.filter((line) => line["err"])).toEqual([]);
  });

  test("svc_requests_at_work shows the places that are taken", async () => {
    const gate = Promise.withResolvers<void>();
    edge = await startEdge({ handlers: { createChatCompletion: () => gate.promise.then(() => json({})) } });
    const calls = [1, 2, 3].map(() => call(edge, "/v1/chat/completions", { json: chat, headers: auth }));
    await expect.poll(atWork).toBe(3);
    gate.resolve();
    await Promise.all(calls);
    await expect.poll(atWork).toBe(0);
  });
});

test("a body whose client has disconnected before it is read ends at once", async () => {
  edge = await startEdge();
  const arrived = Promise.withResolvers<{ req: IncomingMessage; res: ServerResponse }>();
  const server = createServer((req, res) => arrived.resolve({ req, res })).listen(0);
  const { socket, send } = await openSocket((server.address() as AddressInfo).port);
  await send(head("POST", "/", { "content-length": "5" }));
  const { req, res } = await arrived.promise;
  socket.destroy();
  await eventually(() => req.destroyed && res.destroyed);
  const exchange = { req, res, holder: 1n, bodyBytes: 0 } as Exchange;
  const limited = { bodies: openFairQuota(100), limits: { bodyIdleMs: 60_000 } } as Edge;
  await expect(readBody(limited, exchange, 100)).rejects.toThrow("the client disconnected");
  server.close();
});
