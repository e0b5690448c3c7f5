// Bodies that were announced and are half here: what one account's may take is bounded, and the rest is refused before it is sent.
import { afterEach, expect, test } from "vitest";
import { auth, call, callers, chat, type EdgeUnderTest, eventually, head, openSocket, startEdge } from "../server/start-edge.ts";

let edge: EdgeUnderTest;
afterEach(() => edge.close(200));

const megabyte = 1024 * 1024;
const path = "/v1/chat/completions";

test("503 overloaded: thirty bodies of 20 MB of one account hold 380 of 512 MB; another account's are taken meanwhile", async () => {
  edge = await startEdge();
  callers["svc_other"] = { ...callers["svc_good"]!, accountId: 9n, keyId: 9n };
  const headers = { ...auth, "content-type": "application/json", "content-length": String(20 * megabyte) };
  const sockets = await Promise.all(Array.from({ length: 30 }, () => openSocket(edge.port)));
  await Promise.all(sockets.map((socket) => socket.send(Buffer.concat([Buffer.from(head("POST", path, headers)), Buffer.alloc(300_000)]))));
  const refused = () => sockets.filter((socket) => socket.received().includes("overloaded"));
  await eventually(() => refused().length >= 11);
  const others = await call(edge, path, {
    json: { ...chat, padding: "x".repeat(20 * megabyte) },
    headers: { authorization: "Bearer svc_other" },
  });
  expect(others.status).toBe(200);
  expect(refused()).toHaveLength(11);
  for (const { socket } of sockets) socket.destroy();
  // All of it has come back: as many fit again.
  await eventually(() => edge.logs.filter(({ msg }) => msg === "request").length >= 31);
  const again = await call(edge, path, { json: { ...chat, padding: "x".repeat(20 * megabyte) }, headers: auth });
  expect(again.status).toBe(200);
});
