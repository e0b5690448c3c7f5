// GET and HEAD /media/{name}: files that jobs made, for browsers and players, without a key.
import { randomBytes } from "node:crypto";
import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type Gateway, startGateway } from "../support/gateway.ts";

const bytes = randomBytes(1_000);
const large = randomBytes(24 * 1024 * 1024);
const name = (what: string) => `${what}-0123456789abcdef`;
const png = `/media/${name("png")}.png`;
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ limits: { stalledReaderMs: 400 } });
  const put = async (file: string, content: Buffer, type: string) => {
    const path = join(inject("runFolder"), file);
    writeFileSync(path, content);
    await gateway.context.media.store.put(file, path, type);
  };
  await put(`${name("png")}.png`, bytes, "image/png");
  await put(`${name("svg")}.svg`, Buffer.from("<svg/>"), "image/svg+xml");
  await put(`${name("mp4")}.mp4`, large, "video/mp4");
});
afterAll(() => gateway.stop());

interface Got {
  status: number;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${gateway.url}${path}`, { method, headers }, async (res) => {
      const body = Buffer.concat(await res.toArray());
      resolve({ status: res.statusCode!, headers: res.headers, body });
    });
    sent.on("error", reject).end();
  });
}

const shared = {
  "cache-control": "public, max-age=31536000, immutable",
  "accept-ranges": "bytes",
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
  "x-request-id": expect.stringMatching(/^req_/),
};

describe("a file", () => {
  test("comes whole, with its type, its length and how long it may be kept", async () => {
    const { status, headers, body } = await get(png);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ ...shared, "content-type": "image/png", "content-length": "1000", etag: `"${name("png")}.png"` });
    expect(headers).not.toHaveProperty("content-security-policy");
    expect(headers).not.toHaveProperty("transfer-encoding");
    expect(body.equals(bytes)).toBe(true);
  });

  test("a large one arrives as it is", async () => {
    const { headers, body } = await get(`/media/${name("mp4")}.mp4`);
    expect(headers).toMatchObject({ "content-type": "video/mp4", "content-length": String(large.length) });
    expect(body.equals(large)).toBe(true);
  });

  test("HEAD tells the same and sends nothing", async () => {
    const { status, headers, body } = await get(png, { range: "bytes=0-1" }, "HEAD");
    expect(status).toBe(200);
    expect(headers).toMatchObject({ ...shared, "content-type": "image/png", "content-length": "1000" });
    expect(body.length).toBe(0);
  });

  test("an SVG can't script", async () => {
    const { headers } = await get(`/media/${name("svg")}.svg`);
    expect(headers).toMatchObject({
      "content-type": "image/svg+xml",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    });
  });

  test("is told by its etag to be the one that a cache has", async () => {
    const etag = `"${name("png")}.png"`;
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const { status, headers, body } = await get(png, { "if-none-match": tag });
      expect([status, body.length, headers.etag]).toEqual([304, 0, etag]);
      expect(headers).not.toHaveProperty("content-length");
    }
    expect((await get(png, { "if-none-match": '"other"' })).status).toBe(200);
  });

  test("preflights are answered, other methods are refused", async () => {
    expect(await get(png, { origin: "https://a.example", "access-control-request-headers": "range" }, "OPTIONS")).toMatchObject({
      status: 204,
      headers: { allow: "GET, HEAD, OPTIONS", "access-control-allow-headers": "range" },
    });
    const { status, headers, body } = await get(png, {}, "DELETE");
    expect([status, headers.allow]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect(JSON.parse(body.toString())).toMatchObject({ error: { code: "method_not_allowed" } });
  });
});

describe("ranges", () => {
  test.each([
    ["bytes=0-0", 0, 0],
    ["bytes=0-999", 0, 999],
    ["bytes=0-", 0, 999],
    ["bytes=500-", 500, 999],
    ["bytes=999-", 999, 999],
    ["bytes=10-5000", 10, 999],
    ["bytes=-1", 999, 999],
    ["bytes=-5000", 0, 999],
    ["Bytes=1-2", 1, 2],
  ])("%s", async (range, from, to) => {
    const { status, headers, body } = await get(png, { range });
    expect(status).toBe(206);
    expect(headers).toMatchObject({ ...shared, "content-range": `bytes ${from}-${to}/1000`, "content-length": String(to - from + 1) });
    expect(body).toEqual(bytes.subarray(from, to + 1));
  });

  test.each(["bytes=1000-", "bytes=1000-2000", "bytes=-0"])("%s lies past the end", async (range) => {
    const { status, headers, body } = await get(png, { range });
    expect(status).toBe(416);
    expect(headers).toMatchObject({ "content-range": "bytes */1000", "cache-control": "no-store", "content-type": "application/json" });
    expect(JSON.parse(body.toString())).toMatchObject({ error: { type: "invalid_request_error", request_id: headers["x-request-id"] } });
  });

  test.each(["bytes=0-1,3-4", "bytes=5-2", "bytes=-", "bytes=a-b", "items=0-1", "bytes=0-99999999999999999999"])(
    "%s is answered with the whole file",
    async (range) => {
      const { status, body } = await get(png, { range });
      expect([status, body.length]).toEqual([200, 1_000]);
    },
  );

  test("hold only for the file that the client has the rest of", async () => {
    const range = "bytes=0-9";
    expect((await get(png, { range, "if-range": `"${name("png")}.png"` })).status).toBe(206);
    for (const condition of ['"other"', `W/"${name("png")}.png"`, "Sun, 22 Nov 2026 00:00:00 GMT"])
      expect((await get(png, { range, "if-range": condition })).status).toBe(200);
  });
});

describe("what is not there", () => {
  test.each([
    `/media/${name("never")}.png`,
    `/media/${name("png")}.jpg`,
    `/media/${name("png")}`,
    `/media/${name("PNG")}.png`,
    "/media/",
    "/media/..%2f..%2fetc%2fpasswd",
    "/media/..%2fmedia%2fpn%2fpng-0123456789abcdef.png",
    `/media/pn/${name("png")}.png`,
    `/media/${name("png")}.png/`,
    `/media/${name("png")}.png%00.png`,
    `/media/.${name("png")}.png`,
  ])("%s: 404, in the shape of every error", async (path) => {
    for (const method of ["GET", "HEAD"]) {
      const { status, headers, body } = await get(path, {}, method);
      expect(status).toBe(404);
      expect(headers).not.toHaveProperty("cache-control", shared["cache-control"]);
      if (method === "GET") expect(JSON.parse(body.toString())).toMatchObject({ error: { code: "endpoint_not_found" } });
    }
  });

  test("a path that climbs is not followed", async () => {
    const answer = await raw("GET /media/../../etc/passwd HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1.1 404 /);
  });
});

describe("readers", () => {
  const video = `/media/${name("mp4")}.mp4`;
  test("that leave close the file", async () => {
    for (let left = 0; left < 10; left++) {
      await new Promise<void>((resolve, reject) => {
        const sent = httpRequest(`${gateway.url}${video}`, (res) => {
          res.once("data", () => {
            res.destroy();
            resolve();
          });
        });
        sent.on("error", reject).end();
      });
    }
    await untilClosed();
  });

  test("that take nothing are cut off, and the file is closed", async () => {
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1").on("error", () => undefined);
    socket.write(`GET ${video} HTTP/1.1\r\nhost: x\r\n\r\n`);
    socket.pause();
    await until(() => openOnVideo() > 0);
    await untilClosed();
    socket.destroy();
  });

  test("of one connection get file after file", async () => {
    const request = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
    const answer = await raw(request(png) + request(png, "range: bytes=0-9\r\n") + request("/media/none", "connection: close\r\n"));
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 206", "HTTP/1.1 404"]);
  });
});

function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1", () => socket.write(text));
    socket.on("data", (part: Buffer) => parts.push(part));
    socket.on("error", reject).on("end", () => resolve(Buffer.concat(parts).toString("latin1")));
  });
}

const untilClosed = () => until(() => openOnVideo() === 0);
const until = (holds: () => boolean) => expect.poll(holds).toBe(true);

/** Descriptors of this process, in which the gateway runs. */
function openOnVideo(): number {
  return readdirSync("/proc/self/fd").filter((fd) => target(fd).includes(name("mp4"))).length;
}

function target(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return "";
  }
}
