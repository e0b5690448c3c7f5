// A bucket that fails or lies: a reader gets the bytes that were said or a broken connection, never another's, and nothing is told of it.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, startGateway } from "../support/gateway.ts";

const path = "/media/kept-0123456789abcdef.png";
const whole = Buffer.from("0123456789");
let gateway: Gateway;
let answer: (response: ServerResponse, request: IncomingMessage) => void;
const logLines: string[] = [];
const bucket = createServer((request, response) => {
  request.resume().on("error", () => undefined);
  if (request.method === "HEAD") response.writeHead(200, { "content-length": whole.length }).end();
  else answer(response, request);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => bucket.listen(0, "127.0.0.1", resolve));
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: "AKIATESTTESTTEST", AWS_SECRET_ACCESS_KEY: "secret-of-the-bucket" });
  const endpoint = `http://127.0.0.1:${(bucket.address() as AddressInfo).port}`;
  const blobUrl = `s3://hidden-bucket/of/jobs?region=us-east-1&endpoint=${endpoint}&path_style=1`;
  gateway = await startGateway({ env: { SVC_BLOB_URL: blobUrl }, logLines });
});
afterAll(async () => {
  await gateway.stop();
  bucket.closeAllConnections();
  bucket.close();
  expect(logLines.join("")).not.toMatch(/AKIATEST|secret-of-the-bucket/);
});

/** All that comes over one connection that is kept for a second request. */
function conversation(headers: string): Promise<string> {
  const { port } = new URL(gateway.url);
  const get = (more: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString("latin1"))).on("error", reject);
    socket.on("close", () => resolve(text));
    socket.write(`${get(headers)}OPTIONS ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  });
}

test.each<[string, typeof answer]>([
  ["passes over the range", (response) => response.writeHead(200, { "content-length": 10 }).end(whole)],
  [
    "answers with another range",
    (response) => response.writeHead(206, { "content-length": 5, "content-range": "bytes 0-4/10" }).end("01234"),
  ],
  ["tells no size", (response) => response.writeHead(206, { "content-length": 2, "content-range": "bytes 2-3/*" }).end("23")],
  ["gives fewer bytes", (response) => response.writeHead(206, { "content-length": 1, "content-range": "bytes 2-3/10" }).end("2")],
  [
    "refuses",
    (response) => response.writeHead(403).end("<Error><Code>AccessDenied</Code><Message>AKIATEST hidden-bucket</Message></Error>"),
  ],
])("a bucket that %s: 500, and no byte of the file", async (_what, bad) => {
  answer = bad;
  const { status, headers, body } = await gateway
    .request("GET", path, { headers: { range: "bytes=2-3" } })
    .then((reply) => ({ status: reply.status, headers: reply.headers, body: reply.text }));
  expect(status).toBe(500);
  expect(headers["cache-control"] ?? "no-store").toBe("no-store");
  expect(body).not.toMatch(/hidden-bucket|AKIA|of\/jobs/);
  const received = await conversation("range: bytes=2-3\r\n");
  expect(received.match(/HTTP\/1\.1 (\d+)/g)).toEqual(["HTTP/1.1 500", "HTTP/1.1 204"]);
});

test("a bucket that tells no length: 500", async () => {
  answer = (response) => {
    response.writeHead(200).write("01234");
    response.end("56789");
  };
  expect((await gateway.request("GET", path)).status).toBe(500);
});

test("a bucket that breaks off: the reader's connection breaks too", async () => {
  answer = (response) => {
    response.writeHead(200, { "content-length": 10 }).write("0123");
    setTimeout(() => response.destroy(), 50);
  };
  expect(await conversation("")).not.toContain("HTTP/1.1 204");
});

test("a range that it serves is the range", async () => {
  answer = (response, request) => {
    expect(request.headers.range).toBe("bytes=2-3");
    response.writeHead(206, { "content-length": 2, "content-range": "bytes 2-3/10" }).end("23");
  };
  const received = await conversation("range: bytes=2-3\r\n");
  expect(received).toMatch(/HTTP\/1\.1 206[^]*\r\n\r\n23HTTP\/1\.1 204/);
});
