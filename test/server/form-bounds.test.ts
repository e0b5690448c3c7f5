// What bounds forms, over real sockets: sizes, time, the room on disk. The file is gone afterwards, whatever happens.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import type { Request } from "../../src/operation.ts";
import { type FormEdge, type Part, formBytes, megabyte, path, startFormEdge, typed, voice } from "./form-edge.ts";
import { call, callers, eventually, head, json, openSocket } from "./start-edge.ts";
import { oneInThree } from "../support/size.ts";

let edge: FormEdge;
afterEach(() => edge.close());

describe("413 request_too_large", () => {
  test("exactly 25 MB is taken, a byte more is not", async () => {
    edge = await startFormEdge();
    expect(
      await edge.send([
        ["model", "m"],
        ["file", Buffer.alloc(25 * megabyte), "a"],
      ]),
    ).toMatchObject({ status: 200 });
    expect(edge.seen).toMatchObject([{ bytes: 25 * megabyte }]);
    const answer = await edge.send([["file", Buffer.alloc(25 * megabyte + 1), "a"]]);
    expect(answer).toMatchObject({ status: 413, code: "request_too_large" });
    expect(answer.message).toContain("at most 25 MB are taken");
  });
  test("by the announced length where the file can't fit", async () => {
    edge = await startFormEdge();
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...typed, "content-length": String(26 * megabyte + 1) }));
    expect(await socket.until("request_too_large")).toMatch(/^HTTP\/1.1 413 /);
    socket.socket.destroy();
  });
  test("unannounced: counted while reading, and the client that writes on reads the answer", async () => {
    edge = await startFormEdge();
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...typed, "transfer-encoding": "chunked" }));
    const chunked = (bytes: Buffer) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
    await socket.send(chunked(formBytes([voice]).subarray(0, 100)));
    for (let sent = 0; sent < 40; sent++) await socket.send(chunked(Buffer.alloc(megabyte, "x")));
    await socket.send("0\r\n\r\n");
    expect(await socket.until("request_too_large")).toMatch(/^HTTP\/1.1 413 /);
    await socket.send(head("GET", "/healthz"));
    await socket.until("HTTP/1.1 200");
    socket.socket.destroy();
  });
});

describe("a client that stops", () => {
  const start200 = Buffer.concat([formBytes([["file", Buffer.alloc(200_000), "a"]]).subarray(0, 150_000)]);
  test("leaves in the middle: nothing is left, nothing is reported", async () => {
    edge = await startFormEdge();
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...typed, "content-length": "500000" }));
    await socket.send(start200);
    await eventually(() => edge.files.names().length === 1);
    socket.socket.destroy();
    await eventually(() => edge.files.names().length === 0);
    await eventually(() => edge.logs.some((line) => line["gone"] === true));
    expect(edge.logs.filter((line) => line["err"])).toEqual([]);
  });
  test("stands still: given up", async () => {
    edge = await startFormEdge({ bodyIdleMs: 100 });
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...typed, "content-length": "500000" }));
    await socket.send(start200);
    await socket.ended();
    await eventually(() => edge.files.names().length === 0);
    expect(edge.seen).toEqual([]);
  });
  test("leaves while the handler works: the file goes when the handler ends", async () => {
    let left = false;
    const entered = Promise.withResolvers<void>();
    edge = await startFormEdge({}, async (_context, { form }, { signal }) => {
      const { file } = form as unknown as NonNullable<Request<"createTranscription">["form"]>;
      entered.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      left = existsSync(file.path);
      throw signal.reason;
    });
    const socket = await openSocket(edge.port);
    const body = formBytes([voice]);
    await socket.send(head("POST", path, { ...typed, "content-length": String(body.length) }));
    await socket.send(body);
    await entered.promise;
    socket.socket.destroy();
    await eventually(() => edge.files.names().length === 0);
    expect(left).toBe(true);
  });
});

test("a handler that throws leaves nothing", async () => {
  edge = await startFormEdge({}, () => {
    throw new Error("broken");
  });
  expect(await edge.send([voice])).toMatchObject({ status: 500 });
});

test("503 overloaded: all files together are bounded, and room comes back", async () => {
  const gate = Promise.withResolvers<unknown>();
  const entered = Promise.withResolvers<void>();
  edge = await startFormEdge({ allFilesBytes: 3_000 }, () => {
    entered.resolve();
    return gate.promise;
  });
  const big: Part = ["file", Buffer.alloc(2_000), "a"];
  const first = edge.send([big]);
  await entered.promise;
  expect(await edge.send([big])).toMatchObject({ status: 503, code: "overloaded" });
  gate.resolve(json({}));
  expect(await first).toMatchObject({ status: 200 });
  await eventually(() => edge.files.names().length === 0);
  expect(await edge.send([big])).toMatchObject({ status: 200 });
});

describe("one account's forms leave room for another's", () => {
  callers["svc_other"] = { ...callers["svc_good"]!, accountId: 9n, keyId: 9n };
  const other = { authorization: "Bearer svc_other" };

  test("on disk, where they take three quarters", async () => {
    const gate = Promise.withResolvers<unknown>();
    let entered = 0;
    const handler = (_context: unknown, { caller }: Request) => {
      if (caller.accountId === 9n) return json({});
      entered += 1;
      return gate.promise;
    };
    edge = await startFormEdge({ allFilesBytes: 8_000 }, handler);
    const big: Part = ["file", Buffer.alloc(2_000), "a"];
    const sent = [1, 2, 3].map(() => edge.send([big]));
    await eventually(() => entered === 3);
    expect(await edge.send([big])).toMatchObject({ status: 503, code: "overloaded" });
    expect(await edge.send([["file", Buffer.alloc(500), "a"]], other)).toMatchObject({ status: 200 });
    gate.resolve(json({}));
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200, 200]);
    await eventually(() => edge.files.names().length === 0);
    expect((await call(edge, "/metrics")).text).toMatch(/^svc_request_file_bytes 0$/m);
  });

  test("in memory, where their texts take of the room for bodies", async () => {
    edge = await startFormEdge({ allBodiesBytes: megabyte });
    const held = async () => Number(/^svc_request_body_bytes (\d+)/m.exec((await call(edge, "/metrics")).text)![1]);
    const text = formBytes([["prompt", "x".repeat(90_000)]]).subarray(0, 90_100);
    const sockets = await Promise.all(Array.from({ length: 12 }, () => openSocket(edge.port)));
    const refused = () => sockets.filter((socket) => socket.received().includes("overloaded")).length;
    for (const [n, { send }] of sockets.entries()) {
      await send(head("POST", path, { ...typed, "content-length": "20000000" }));
      await send(text);
      await expect.poll(async () => (await held()) >= (n + 1) * 90_000 || refused() > 0).toBe(true);
    }
    await eventually(() => refused() === 4);
    await expect.poll(held).toBeGreaterThanOrEqual(8 * 90_000);
    expect(await held()).toBeLessThan(0.75 * megabyte);
    expect(await edge.send([["prompt", "x".repeat(10_000)], voice], other)).toMatchObject({ status: 200 });
    for (const { socket } of sockets) socket.destroy();
    await expect.poll(held).toBe(0);
  });
});

oneInThree()(
  "a file is not held in memory: one of 190 MB, client and server in one process, raises its peak by less than 64 MB",
  async () => {
    edge = await startFormEdge();
    const probe = fileURLToPath(new URL("./form-memory-probe.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [probe]);
    expect(Number(stdout)).toBeLessThan(64 * megabyte);
  },
);
