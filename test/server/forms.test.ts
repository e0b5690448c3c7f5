// Forms at the edge, over real sockets: the file is spooled while it streams in and is gone afterwards, whatever happens.
import { existsSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { operations } from "../../generated/operations.ts";
import { fail } from "../../src/fail.ts";
import type { EdgeLimits } from "../../src/server/edge.ts";
import type { Request } from "../../src/server/types.ts";
import { newFolder } from "../media/file-server.ts";
import { auth, call, eventually, head, json, openSocket, startEdge } from "./start-edge.ts";
import type { EdgeUnderTest, TestHandler } from "./start-edge.ts";

const path = "/v1/audio/transcriptions";
const megabyte = 1024 * 1024;
const built = operations.createTranscription.built;

let edge: EdgeUnderTest;
let files: ReturnType<typeof newFolder>;
let seen: { fields: unknown; bytes: number; head: string; body: unknown }[];
beforeEach(() => {
  Object.assign(operations.createTranscription, { built: true });
  files = newFolder();
  seen = [];
});
afterEach(async () => {
  await edge.close(200);
  Object.assign(operations.createTranscription, { built });
  // The answer goes out before the file goes.
  await eventually(() => files.names().length === 0);
});

const note: TestHandler = (_context, request) => {
  const { form, body } = request as Request<"createTranscription">;
  if (form !== null) {
    const bytes = readFileSync(form.file.path);
    expect(bytes.length).toBe(form.file.bytes);
    seen.push({ fields: form.fields, bytes: bytes.length, head: bytes.subarray(0, 8).toString("latin1"), body });
  } else seen.push({ fields: null, bytes: 0, head: "", body });
  return json({ text: "hello" });
};

async function start(limits: Partial<EdgeLimits> = {}, handler: TestHandler = note) {
  edge = await startEdge({ limits, handlers: { createTranscription: handler }, filesFolder: files.folder });
}

type Part = [name: string, value: string | Buffer, filename?: string];

function formBytes(parts: readonly Part[], boundary = "----b"): Buffer {
  const pieces = parts.flatMap(([name, value, filename]) => {
    const file = filename === undefined ? "" : `; filename="${filename}"\r\ncontent-type: application/octet-stream`;
    return [
      Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`),
      Buffer.from(value),
      Buffer.from("\r\n"),
    ];
  });
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

const typed = { "content-type": "multipart/form-data; boundary=----b", ...auth };

async function send(parts: readonly Part[] | Buffer, headers: Record<string, string> = {}) {
  const body = new Uint8Array(Buffer.isBuffer(parts) ? parts : formBytes(parts));
  const answer = await call(edge, path, { method: "POST", headers: { ...typed, ...headers }, body });
  const { code, param, message } = answer.body.error ?? {};
  return { status: answer.status, code: code ?? null, param: param ?? null, message: message ?? "" };
}

const voice: Part = ["file", "RIFFdata", "voice.wav"];

describe("a form", () => {
  test.each([
    ["first", (parts: Part[]) => [voice, ...parts]],
    ["last", (parts: Part[]) => [...parts, voice]],
  ])("the file %s: spooled, its texts typed", async (_where, around) => {
    await start();
    const parts: Part[] = [
      ["model", "transcribe"],
      ["temperature", "0.5"],
      ["stream", "false"],
      ["timestamp_granularities[]", "word"],
      ["timestamp_granularities[]", "segment"],
      ["prompt", "Grüße"],
      ["language", ""],
      ["include[]", "logprobs"],
    ];
    expect(await send(around(parts))).toMatchObject({ status: 200 });
    const fields = {
      model: "transcribe",
      temperature: 0.5,
      stream: false,
      "timestamp_granularities[]": ["word", "segment"],
      prompt: "Grüße",
    };
    expect(seen).toEqual([{ fields, bytes: 8, head: "RIFFdata", body: undefined }]);
  });
  test("fetch's own FormData, and JSON on the same path", async () => {
    await start();
    const form = new FormData();
    form.append("model", "transcribe");
    form.append("file", new File(["OggS1234"], "a.ogg"));
    expect((await call(edge, path, { method: "POST", headers: auth, body: form })).status).toBe(200);
    expect((await call(edge, path, { headers: auth, json: { audio_url: "https://a.example/b.mp3" } })).status).toBe(200);
    expect(seen).toEqual([
      { fields: { model: "transcribe" }, bytes: 8, head: "OggS1234", body: undefined },
      { fields: null, bytes: 0, head: "", body: { audio_url: "https://a.example/b.mp3" } },
    ]);
  });
  test("byte by byte, and with text before and behind", async () => {
    await start();
    const body = Buffer.concat([Buffer.from("hello\r\n"), formBytes([voice, ["model", "m"]]), Buffer.from("goodbye")]);
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...typed, "content-length": String(body.length) }));
    for (const byte of body) await socket.send(Buffer.from([byte]));
    await socket.until("HTTP/1.1 200 OK");
    socket.socket.destroy();
    expect(seen).toMatchObject([{ fields: { model: "m" }, head: "RIFFdata" }]);
  });
  test("the handler's checkFile comes before the fields, which come before the handler", async () => {
    await start(
      {},
      Object.assign(() => json({}), { checkFile: async () => fail("unsupported_audio_type") }),
    );
    expect(await send([voice, ["temperature", "9"]])).toMatchObject({ status: 415 });
    await edge.close(200);
    await start();
    expect(await send([voice, ["temperature", "9"]])).toMatchObject({ status: 400, param: "temperature" });
    expect(seen).toEqual([]);
  });
  test("100 Continue goes out before the body is read", async () => {
    await start();
    const body = formBytes([voice]);
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...typed, "content-length": String(body.length), expect: "100-continue" }));
    expect(await socket.until("\r\n\r\n")).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    await socket.send(body);
    await socket.until("HTTP/1.1 200 OK");
    socket.socket.destroy();
  });
});

describe("400: fields", () => {
  const cases: [string, Part[], string | null, string][] = [
    ["no file", [["model", "m"]], "file", "missing_parameter"],
    ["a text called file", [["file", "RIFF"]], "file", "invalid_parameter"],
    ["two files", [voice, voice], "file", "invalid_parameter"],
    ["a field twice", [voice, ["model", "a"], ["model", "b"]], "model", "invalid_parameter"],
    ["a number that is none", [voice, ["temperature", "warm"]], "temperature", "invalid_parameter"],
    ["an unknown format", [voice, ["response_format", "docx"]], "response_format", "invalid_parameter"],
    ["a list's element", [voice, ["timestamp_granularities[]", "hour"]], "timestamp_granularities[][0]", "invalid_parameter"],
    ["NUL", [voice, ["prompt", "a\0b"]], "prompt", "invalid_parameter"],
    ["no UTF-8", [voice, ["prompt", Buffer.from([0xff, 0xfe])]], "prompt", "invalid_parameter"],
    ["a long prompt", [voice, ["prompt", "x".repeat(100 * 1024 + 1)]], "prompt", "invalid_parameter"],
    ["a field as a file", [voice, ["model", "m", "m.txt"]], "model", "invalid_parameter"],
    ["thousands of parts", [voice, ...Array.from({ length: 5_000 }, (): Part => ["x", "y"])], null, "invalid_parameter"],
  ];
  test.each(cases)("%s", async (_title, parts, param, code) => {
    await start();
    expect(await send(parts)).toMatchObject({ status: 400, code, param });
    expect(seen).toEqual([]);
  });
  test("100 KB of prompt are taken", async () => {
    await start();
    expect(await send([voice, ["prompt", "x".repeat(100 * 1024)]])).toMatchObject({ status: 200 });
  });
});

describe("400: what is no form", () => {
  const whole = formBytes([voice, ["model", "m"]]);
  const cases: [string, Buffer, Record<string, string>][] = [
    ["no boundary", whole, { "content-type": "multipart/form-data" }],
    ["another boundary", whole, { "content-type": "multipart/form-data; boundary=other" }],
    ["an endless boundary", whole, { "content-type": `multipart/form-data; boundary=${"b".repeat(500)}` }],
    ["nothing", Buffer.alloc(0), {}],
    ["noise", Buffer.alloc(100_000, "noise"), {}],
    ["a part without a name", Buffer.from("------b\r\ncontent-disposition: form-data\r\n\r\nx\r\n------b--\r\n"), {}],
    ["no headers at all", Buffer.from("------b\r\n\r\nx\r\n------b--\r\n"), {}],
    ["a giant header", Buffer.from(`------b\r\nx: ${"h".repeat(3e6)}\r\n\r\nx\r\n------b--\r\n`), {}],
    ["thousands of headers", Buffer.from(`------b\r\n${"x: y\r\n".repeat(50_000)}\r\nx\r\n------b--\r\n`), {}],
    ["only the end", Buffer.from("------b--\r\n"), {}],
    [
      "a form inside",
      Buffer.from("------b\r\ncontent-type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\nx\r\n--c--\r\n------b--\r\n"),
      {},
    ],
  ];
  test.each(cases)("%s", async (_title, body, headers) => {
    await start();
    const answer = await send(body, headers);
    expect(answer).toMatchObject({ status: 400 });
    expect(["invalid_parameter", "missing_parameter"]).toContain(answer.code);
  });
  test("cut anywhere", async () => {
    await start();
    for (let length = 1; length < whole.length - 4; length += 3) {
      const answer = await send(whole.subarray(0, length));
      expect([length, answer.status, answer.code]).toEqual([length, 400, "invalid_parameter"]);
    }
    expect(seen).toEqual([]);
  });
});

describe("413 request_too_large", () => {
  test("exactly 25 MB is taken, a byte more is not", async () => {
    await start();
    expect(
      await send([
        ["model", "m"],
        ["file", Buffer.alloc(25 * megabyte), "a"],
      ]),
    ).toMatchObject({ status: 200 });
    expect(seen).toMatchObject([{ bytes: 25 * megabyte }]);
    const answer = await send([["file", Buffer.alloc(25 * megabyte + 1), "a"]]);
    expect(answer).toMatchObject({ status: 413, code: "request_too_large" });
    expect(answer.message).toContain("at most 25 MB are taken");
  });
  test("by the announced length where the file can't fit", async () => {
    await start();
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...typed, "content-length": String(26 * megabyte + 1) }));
    expect(await socket.until("request_too_large")).toMatch(/^HTTP\/1.1 413 /);
    socket.socket.destroy();
  });
  test("unannounced: counted while reading, and the client that writes on reads the answer", async () => {
    await start();
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
    await start();
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...typed, "content-length": "500000" }));
    await socket.send(start200);
    await eventually(() => files.names().length === 1);
    socket.socket.destroy();
    await eventually(() => files.names().length === 0);
    await eventually(() => edge.logs.some((line) => line["gone"] === true));
    expect(edge.logs.filter((line) => line["err"])).toEqual([]);
  });
  test("stands still: given up", async () => {
    await start({ bodyIdleMs: 100 });
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...typed, "content-length": "500000" }));
    await socket.send(start200);
    await socket.ended();
    await eventually(() => files.names().length === 0);
    expect(seen).toEqual([]);
  });
  test("leaves while the handler works: the file goes when the handler ends", async () => {
    let left = false;
    await start({}, async (_context, { signal, form }) => {
      const { file } = form as unknown as NonNullable<Request<"createTranscription">["form"]>;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      left = existsSync(file.path);
      throw signal.reason;
    });
    const socket = await openSocket(edge.port);
    const body = formBytes([voice]);
    await socket.send(head("POST", path, { ...typed, "content-length": String(body.length) }));
    await socket.send(body);
    await eventually(() => files.names().length === 1);
    socket.socket.destroy();
    await eventually(() => files.names().length === 0);
    expect(left).toBe(true);
  });
});

test("a handler that throws leaves nothing", async () => {
  await start({}, () => {
    throw new Error("broken");
  });
  expect(await send([voice])).toMatchObject({ status: 500 });
});

test("503 overloaded: all files together are bounded, and room comes back", async () => {
  const gate = Promise.withResolvers<unknown>();
  const entered = Promise.withResolvers<void>();
  await start({ allFilesBytes: 3_000 }, () => {
    entered.resolve();
    return gate.promise;
  });
  const big: Part = ["file", Buffer.alloc(2_000), "a"];
  const first = send([big]);
  await entered.promise;
  expect(await send([big])).toMatchObject({ status: 503, code: "overloaded" });
  gate.resolve(json({}));
  expect(await first).toMatchObject({ status: 200 });
  await eventually(() => files.names().length === 0);
  expect(await send([big])).toMatchObject({ status: 200 });
});
