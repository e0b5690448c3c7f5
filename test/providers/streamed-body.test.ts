// Request bodies that are streamed from disk: complete, with their length, opened anew each time, and never whole in memory.
import { closeSync, ftruncateSync, mkdtempSync, openSync, readdirSync, readlinkSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { sentOf } from "../../src/providers/json/splice.ts";
import { exchange } from "../../src/providers/transport/exchange.ts";
import { fileForm } from "../../src/providers/transport/multipart.ts";
import type { UpstreamError } from "../../src/providers/errors/upstream-error.ts";
import type { UpstreamRequest } from "../../src/providers/transport/types.ts";
import { eventually, until } from "../support/eventually.ts";
import { memory } from "../support/memory.ts";
import { providerAt, startHost, useUpstream } from "./upstream-fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "streamed-body-"));
const cleanups: (() => unknown)[] = [];
afterEach(() => {
  cleanups.splice(0).forEach((cleanup) => cleanup());
  readdirSync(folder).forEach((name) => rmSync(join(folder, name)));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(bytes: number, text?: string) {
  const path = join(folder, `file-${bytes}.mp3`);
  if (text !== undefined) writeFileSync(path, text);
  else {
    const handle = openSync(path, "w");
    ftruncateSync(handle, bytes);
    closeSync(handle);
  }
  return { path, bytes, contentType: "audio/mpeg", extension: "mp3" };
}

function requestTo(
  url: string,
  form: Pick<UpstreamRequest, "body" | "contentType">,
  change: Partial<UpstreamRequest> = {},
): UpstreamRequest {
  const signal = new AbortController().signal;
  const rest = { method: "POST", path: "/audio/transcriptions", accept: "application/json" } as const;
  return { provider: providerAt(url), requestId: "req_1", signal, ...rest, ...form, ...change };
}

/** A host below HTTP. */
async function listen(onSocket: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => onSocket(socket.on("error", () => undefined))).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  cleanups.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Files that this process has open: the regular ones alone, so that sockets of other tests don't count. */
const openFiles = () =>
  (process.platform === "linux" ? readdirSync("/proc/self/fd") : []).filter((handle) => {
    try {
      return readlinkSync(`/proc/self/fd/${handle}`).startsWith(folder);
    } catch {
      return false;
    }
  }).length;

test("a form around a file: the texts first, the length said, nothing chunked", async () => {
  const host = await startHost((_request, response) => response.end("ok"));
  const form = fileForm(
    [
      { name: "model", text: "whisper" },
      { name: 'a"b', text: "é" },
    ],
    "file",
    fileOf(9, "the bytes"),
  );
  const answer = await useUpstream().send(requestTo(host.url, form));
  expect(String(await answer.body.bytes(10))).toBe("ok");
  const [{ headers, body }] = host.requests as [(typeof host.requests)[0]];
  expect(headers).not.toHaveProperty("transfer-encoding");
  expect(headers["content-length"]).toBe(String(Buffer.byteLength(body)));
  const read = await new Response(body, { headers: { "content-type": headers["content-type"]! } }).formData();
  expect([...read.keys()]).toEqual(["model", 'a"b', "file"]);
  expect(read.get('a"b')).toBe("é");
  const file = read.get("file") as File;
  expect([file.name, file.type, await file.text()]).toEqual(["audio.mp3", "audio/mpeg", "the bytes"]);
});

test("the same body is sent as often as it is asked for", async () => {
  const host = await startHost((_request, response) => response.end("ok"));
  const upstream = useUpstream();
  const form = fileForm([], "file", fileOf(9, "the bytes"));
  for (let round = 0; round < 3; round += 1) {
    await (await upstream.send(requestTo(host.url, form))).body.bytes(10);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(new Set(host.requests.map(({ body }) => body)).size).toBe(1);
  expect(host.sockets.size).toBe(1); // kept alive as after any other body
});

test("an empty file is an empty part", async () => {
  const host = await startHost((_request, response) => response.end("ok"));
  await (await useUpstream().send(requestTo(host.url, fileForm([], "file", fileOf(0))))).body.bytes(10);
  expect(host.requests[0]!.body).toMatch(/\r\n\r\n\r\n--form-[-\w]+--\r\n$/);
});

test("100 MB go through", async () => {
  let received = 0;
  const host = await listen((socket) => {
    socket.on("data", (chunk) => {
      received += chunk.length;
      if (received > 104_857_600 && chunk.includes("--\r\n"))
        socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok");
    });
  });
  const answer = await useUpstream().send(requestTo(host, fileForm([], "file", fileOf(104_857_600)), { firstByteMs: 60_000 }));
  expect(String(await answer.body.bytes(10))).toBe("ok");
  expect(received).toBeGreaterThan(104_857_600);
});

test("a host that stops reading stops the reading of the file: what is held stays near the sockets' buffers", async () => {
  let got = 0;
  const host = await listen((socket) => void socket.once("data", (chunk) => ((got += chunk.length), socket.pause())));
  let pulled = 0;
  const block = Buffer.alloc(65_536);
  const source = new Readable({ read: () => void source.push(((pulled += block.length), block)) });
  const abort = new AbortController();
  const form = { contentType: "audio/mpeg", body: { length: 104_857_600, open: () => source } };
  const sent = useUpstream().send(requestTo(host, form, { signal: abort.signal }));
  await until(() => got > 0);
  let before = -1;
  while (before !== pulled) {
    before = pulled;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(pulled).toBeLessThan(16_000_000);
  abort.abort(new Error("enough"));
  await expect(sent).rejects.toThrow("enough");
});

describe("ends before all of it was sent", () => {
  const large = () => fileForm([], "file", fileOf(50_000_000));

  test.each(["kept open", "closed"])("an early 413, the socket %s: its sentence is read, the file closed", async (then) => {
    const text = JSON.stringify({ error: { message: "At most 25 MB." } });
    const host = await listen((socket) => {
      socket.once("data", () => {
        socket.pause();
        const head = `HTTP/1.1 413 Too Large\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n`;
        socket.write(`${head}${then === "closed" ? "connection: close\r\n" : ""}\r\n${text}`);
        if (then === "closed") setTimeout(() => socket.end(), 20);
      });
    });
    const upstream = useUpstream();
    const form = large();
    const files = openFiles();
    const error = await exchange(upstream, requestTo(host, form), () => new Date()).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ fault: "rejected", status: 413, reason: "At most 25 MB." });
    await until(() => upstream.gauge().calls === 0 && openFiles() <= files);
  });

  const stalled = async () => {
    let got = 0;
    const url = await listen((socket) => void socket.once("data", (chunk) => ((got += chunk.length), socket.pause())));
    return { url, got: () => got };
  };

  test("an abort: the signal's reason, the file closed", async () => {
    const host = await stalled();
    const upstream = useUpstream();
    const abort = new AbortController();
    const form = large();
    const files = openFiles();
    const sent = upstream.send(requestTo(host.url, form, { signal: abort.signal }));
    await until(() => host.got() > 0);
    abort.abort(new Error("the client disconnected"));
    await expect(sent).rejects.toThrow("the client disconnected");
    await until(() => upstream.gauge().calls === 0 && upstream.gauge().sockets === 0 && openFiles() <= files);
  });

  test("told to stop in the middle of it: the reason for the stop, not the host's 400 to half a request", async () => {
    const stop = new AbortController();
    let aborted = 0;
    const host = createHttpServer((request) => {
      request.on("error", () => (aborted += 1)).once("data", () => stop.abort(new Error("disconnected")));
      request.resume();
    }).listen(0, "127.0.0.1");
    cleanups.push(() => host.close());
    await once(host, "listening");
    const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    const disconnect = { stopUpstream: stop.signal, onSent: () => undefined, isGone: () => stop.signal.aborted };
    const slowDisk = new Readable({ read: () => undefined });
    slowDisk.push("the first bytes");
    const body = { length: 1_000, open: () => slowDisk };
    const call = useUpstream().send({ ...requestTo(url, fileForm([], "file", fileOf(1))), body, disconnect });
    await expect(call).rejects.toThrow("disconnected");
    await until(() => aborted === 1 && slowDisk.destroyed);
  });

  test("a host that takes none of it: the time to the first byte counts from the start", async () => {
    const host = await stalled();
    const upstream = useUpstream();
    const provider = providerAt(host.url, { timeoutMs: 100 });
    const sent = upstream.send(requestTo(host.url, large(), { provider }));
    await expect(sent).rejects.toMatchObject({ fault: "unavailable", reason: "no answer within 100 ms" });
    await until(() => upstream.gauge().calls === 0);
  });

  test("a connection that breaks: unavailable, and the body may have been too large; not one of a kilobyte", async () => {
    const host = await listen((socket) => void socket.once("data", () => socket.resetAndDestroy()));
    const upstream = useUpstream();
    await expect(upstream.send(requestTo(host, large()))).rejects.toMatchObject({ fault: "unavailable", cutUpload: true });
    const small = fileForm([], "file", fileOf(1_000));
    await expect(upstream.send(requestTo(host, small))).rejects.toMatchObject({ fault: "unavailable", cutUpload: false });
    await until(() => upstream.gauge().calls === 0);
  });
});

test("a 413 before the body's end and a reset right after it: the answer, or at least nothing that a breaker counts", async () => {
  const head = "HTTP/1.1 413 Payload Too Large\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
  const host = await listen((socket) => void socket.once("data", () => socket.pause().write(head, () => socket.resetAndDestroy())));
  const upstream = useUpstream();
  const form = fileForm([], "file", fileOf(8_000_000));
  const failed: unknown = await exchange(upstream, requestTo(host, form), () => new Date()).catch((error: unknown) => error);
  const { fault, status, cutUpload } = failed as UpstreamError;
  expect([
    ["rejected", 413, false],
    ["unavailable", null, true],
  ]).toContainEqual([fault, status, cutUpload]); // the reset may overtake what came before it
});

describe("a file that can't be read is our own failure, not the upstream's", () => {
  test.each(["gone", "shorter"])("%s", async (what) => {
    const host = await startHost((_request, response) => response.end("ok"));
    const upstream = useUpstream();
    const file = fileOf(200_000);
    const form = fileForm([], "file", file);
    if (what === "gone") rmSync(file.path);
    else truncateSync(file.path, 100_000);
    await expect(upstream.send(requestTo(host.url, form))).rejects.toThrow("The request's body can't be read.");
    await until(() => upstream.gauge().calls === 0);
    expect(host.requests).toEqual([]);
  });
});

test("a query of the base URL follows one of the path", async () => {
  const host = await startHost((_request, response) => response.end("ok"));
  const provider = providerAt(`${host.url}/v1?GroupId=7`);
  const form = fileForm([], "file", fileOf(1, "x"));
  await (await useUpstream().send(requestTo("", form, { provider, path: "/speech?format=mp3" }))).body.bytes(10);
  expect(host.requests[0]!.url).toBe("/v1/speech?format=mp3&GroupId=7");
});

test("a long prompt is not kept while its answer streams", async () => {
  const bytes = 4_000_000;
  const server = createHttpServer((request, response) => void request.resume().on("end", () => response.write("data: 1\n\n")));
  await once(server.listen(0, "127.0.0.1"), "listening");
  cleanups.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const upstream = useUpstream();
  const send = () => upstream.send(requestTo(url, { body: sentOf(`é${"a".repeat(bytes)}`), contentType: "application/json" }));
  const answers = [await send(), await send()];
  const before = memory();
  for (let round = 0; round < 10; round += 1) answers.push(await send());
  await eventually(() => expect(memory() - before).toBeLessThan(5 * bytes)); // the last ones may be held for a moment
  for (const { body } of answers) body.cancel();
});

test("a long prompt arrives whole, its length said", async () => {
  const host = await startHost((_request, response) => response.end("ok"));
  const upstream = useUpstream();
  for (const length of [32_768, 32_769, 65_535, 65_536, 300_000]) {
    const text = "é".repeat(length / 2) + "a".repeat(length - Math.floor(length / 2));
    await (await upstream.send(requestTo(host.url, { body: sentOf(text), contentType: "application/json" }))).body.bytes(10);
    const { headers, body } = host.requests.at(-1)!;
    expect(body).toBe(text);
    expect(headers["content-length"]).toBe(String(Buffer.byteLength(text)));
    expect(headers).not.toHaveProperty("transfer-encoding");
  }
});
