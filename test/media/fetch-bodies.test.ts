// Bodies of downloads: false sizes, slow or broken transfers, refusals, aborts.
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { callerPolicy } from "../../src/media/fetch-policy.ts";
import { type FetchLimits, fetchToFile } from "../../src/media/fetch-to-file.ts";
import { type FileServer, type Serve, ca, newFolder, resolver, startFileServer } from "./file-server.ts";

const megabyte = 1024 * 1024;
const roomy: FetchLimits = { bytesMax: 8 * megabyte, connectMs: 5_000, headMs: 5_000, idleMs: 5_000, wholeMs: 20_000 };
let server: FileServer | undefined;
afterEach(() => server?.close());

async function load(serve: Serve, limits: Partial<FetchLimits> = {}, signal = new AbortController().signal) {
  server = await startFileServer(serve);
  const { folder, names } = newFolder();
  const path = join(folder, "file");
  const policy = { ...callerPolicy(true), resolve: resolver({ "files.test": ["127.0.0.1"] }) };
  const url = `https://files.test:${server.port}/`;
  return { path, names, loading: fetchToFile({ url, path, policy, limits: { ...roomy, ...limits }, signal, ca }) };
}

async function failsWith(serve: Serve, expected: object, limits: Partial<FetchLimits> = {}): Promise<void> {
  const { loading, names } = await load(serve, limits);
  await expect(loading).rejects.toMatchObject(expected);
  expect(names()).toEqual([]);
}

test("every byte arrives, in order, with and without a length", async () => {
  const bytes = randomBytes(5 * megabyte);
  for (const headers of [{}, { "content-length": String(bytes.length) }]) {
    const { loading, path } = await load((_req, res) => void res.writeHead(200, headers).end(bytes));
    expect(await loading).toEqual({ bytes: bytes.length });
    expect(hash(readFileSync(path))).toBe(hash(bytes));
    await server!.close();
  }
});

test("a length above the cap is refused before a byte is read", async () => {
  await failsWith((_req, res) => void res.writeHead(200, { "content-length": "8388609" }).write("x"), {
    reason: "too_large",
    message: "The file has more than 8 MB.",
  });
});

test("a body above the cap is cut off where it passes it, whatever was said", async () => {
  let left = 0;
  const endless: Serve = (_req, res) => {
    const more = () => {
      left += megabyte;
      while (!res.destroyed && res.write(Buffer.alloc(megabyte))) left += megabyte;
      if (!res.destroyed) res.once("drain", more);
    };
    more();
  };
  await failsWith(endless, { reason: "too_large" });
  expect(left).toBeLessThan(64 * megabyte);
});

test("exactly the cap is not above it", async () => {
  const { loading } = await load((_req, res) => void res.end(Buffer.alloc(megabyte)), { bytesMax: megabyte });
  expect(await loading).toEqual({ bytes: megabyte });
});

test("a packed body stays packed", async () => {
  const packed = gzipSync(Buffer.alloc(32 * megabyte));
  const { loading, path } = await load((_req, res) => void res.writeHead(200, { "content-encoding": "gzip" }).end(packed), {
    bytesMax: megabyte,
  });
  expect(await loading).toEqual({ bytes: packed.length });
  expect(readFileSync(path).equals(packed)).toBe(true);
});

test("a body that ends before its length is not taken for the file", async () => {
  const serve: Serve = (_req, res) => {
    res.writeHead(200, { "content-length": "1000" }).write("only this");
    setImmediate(() => res.socket!.end());
  };
  await failsWith(serve, { reason: "unreachable" });
});

test.each([
  [404, "invalid"],
  [403, "invalid"],
  [204, "invalid"],
  [206, "invalid"],
  [304, "invalid"],
  [429, "unreachable"],
  [503, "unreachable"],
])("status %i: %s", async (status, reason) => {
  await failsWith((_req, res) => void res.writeHead(status).end(), { reason, message: `The address answered ${status}.` });
});

test("a redirect without an address is no file", async () => {
  await failsWith((_req, res) => void res.writeHead(302).end("here"), { reason: "invalid" });
});

test("headers that never come, a body that stalls and one that crawls end in a timeout", async () => {
  await failsWith(() => undefined, { reason: "unreachable" }, { headMs: 50 });
  await failsWith((_req, res) => void res.writeHead(200).write("x"), { reason: "unreachable" }, { idleMs: 50 });
  let crawling: NodeJS.Timeout | undefined;
  const crawl: Serve = (_req, res) => {
    crawling = setInterval(() => res.write("x"), 20);
    res.on("close", () => clearInterval(crawling));
  };
  await failsWith(crawl, { reason: "unreachable" }, { wholeMs: 300 });
});

test("a head without end is refused", async () => {
  await failsWith((_req, res) => void res.writeHead(200, { "x-long": "x".repeat(200_000) }).end(), { reason: "unreachable" });
});

test("an abort rejects with its own reason and leaves nothing on the disk", async () => {
  const giveUp = new AbortController();
  const reason = new Error("the job was ended");
  const { loading, names } = await load(
    (_req, res) => {
      res.writeHead(200).write(Buffer.alloc(megabyte));
      setImmediate(() => giveUp.abort(reason));
    },
    {},
    giveUp.signal,
  );
  await expect(loading).rejects.toBe(reason);
  expect(names()).toEqual([]);
});

test("a name whose server never answers ends by either deadline and by the caller's abort", async () => {
  const { folder, names } = newFolder();
  const policy = { ...callerPolicy(true), resolve: () => new Promise<never>(() => undefined) };
  const order = { url: "https://files.test/", path: join(folder, "file"), policy, limits: roomy, signal: new AbortController().signal };
  await expect(fetchToFile({ ...order, limits: { ...roomy, connectMs: 50 } })).rejects.toMatchObject({ reason: "unreachable" });
  await expect(fetchToFile({ ...order, limits: { ...roomy, wholeMs: 50 } })).rejects.toMatchObject({ reason: "unreachable" });
  const giveUp = new AbortController();
  setTimeout(() => giveUp.abort(new Error("gone")), 20);
  await expect(fetchToFile({ ...order, signal: giveUp.signal })).rejects.toThrow("gone");
  expect(names()).toEqual([]);
});

test("a disk that refuses is no fault of the file", async () => {
  const { loading, path } = await load((_req, res) => void res.end("x"));
  await loading;
  await expect(
    fetchToFile({ url: "https://files.test/", path, policy: callerPolicy(true), limits: roomy, signal: new AbortController().signal }),
  ).rejects.toMatchObject({ code: "EEXIST" });
});

function hash(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
