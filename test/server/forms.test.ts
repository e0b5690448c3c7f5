// Forms at the edge, over real sockets: what is taken, and which refusal what is not taken gets.
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { fail } from "../../src/errors/fail.ts";
import { type FormEdge, type Part, formBytes, path, startFormEdge, typed, voice } from "./form-edge.ts";
import { auth, call, head, json, openSocket } from "./start-edge.ts";

let edge: FormEdge;
afterEach(() => edge.close());

describe("a form", () => {
  test.each([
    ["first", (parts: Part[]) => [voice, ...parts]],
    ["last", (parts: Part[]) => [...parts, voice]],
  ])("the file %s: spooled, its texts typed", async (_where, around) => {
    edge = await startFormEdge();
    const parts: Part[] = [
      ["model", "transcribe"],
      ["temperature", "0.5"],
      ["stream", "false"],
      ["timestamp_granularities[]", "word"],
      ["timestamp_granularities[]", "segment"],
      ["prompt", "Grüße"],
      ["language", ""],
      ["include[]", "logprobs"],
      ["", "a field without a name is as unknown as any other"],
    ];
    expect(await edge.send(around(parts))).toMatchObject({ status: 200 });
    const fields = {
      model: "transcribe",
      temperature: 0.5,
      stream: false,
      "timestamp_granularities[]": ["word", "segment"],
      prompt: "Grüße",
    };
    expect(edge.seen).toEqual([{ fields, bytes: 8, head: "RIFFdata", body: undefined }]);
  });
  test("fetch's own FormData, and JSON on the same path", async () => {
    edge = await startFormEdge();
    const form = new FormData();
    form.append("model", "transcribe");
    form.append("file", new File(["OggS1234"], "a.ogg"));
    expect((await call(edge, path, { method: "POST", headers: auth, body: form })).status).toBe(200);
    expect((await call(edge, path, { headers: auth, json: { audio_url: "https://a.example/b.mp3" } })).status).toBe(200);
    expect(edge.seen).toEqual([
      { fields: { model: "transcribe" }, bytes: 8, head: "OggS1234", body: undefined },
      { fields: null, bytes: 0, head: "", body: { audio_url: "https://a.example/b.mp3" } },
    ]);
  });
  test("byte by byte, and with text before and behind", async () => {
    edge = await startFormEdge();
    const body = Buffer.concat([Buffer.from("hello\r\n"), formBytes([voice, ["model", "m"]]), Buffer.from("goodbye")]);
    const socket = await openSocket(edge.port);
    await socket.send(head("POST", path, { ...typed, "content-length": String(body.length) }));
    for (const byte of body) await socket.send(Buffer.from([byte]));
    await socket.until("HTTP/1.1 200 OK");
    socket.socket.destroy();
    expect(edge.seen).toMatchObject([{ fields: { model: "m" }, head: "RIFFdata" }]);
  });
  test("the handler's checkFile comes before the fields, which come before the handler", async () => {
    edge = await startFormEdge(
      {},
      Object.assign(() => json({}), { checkFile: async () => fail("unsupported_audio_type") }),
    );
    expect(await edge.send([voice, ["temperature", "9"]])).toMatchObject({ status: 415 });
    await edge.close();
    edge = await startFormEdge();
    expect(await edge.send([voice, ["temperature", "9"]])).toMatchObject({ status: 400, param: "temperature" });
    expect(edge.seen).toEqual([]);
  });
  test("100 Continue goes out before the body is read", async () => {
    edge = await startFormEdge();
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
    ["a boolean by a number, as only a query takes it", [voice, ["stream", "0"]], "stream", "invalid_parameter"],
    ["an unknown format", [voice, ["response_format", "docx"]], "response_format", "invalid_parameter"],
    ["a list's element", [voice, ["timestamp_granularities[]", "hour"]], "timestamp_granularities[][0]", "invalid_parameter"],
    ["NUL", [voice, ["prompt", "a\0b"]], "prompt", "invalid_parameter"],
    ["no UTF-8", [voice, ["prompt", Buffer.from([0xff, 0xfe])]], "prompt", "invalid_parameter"],
    ["a long prompt", [voice, ["prompt", "x".repeat(100 * 1024 + 1)]], "prompt", "invalid_parameter"],
    ["a field as a file", [voice, ["model", "m", "m.txt"]], "model", "invalid_parameter"],
    ["thousands of parts", [voice, ...Array.from({ length: 5_000 }, (): Part => ["x", "y"])], null, "invalid_parameter"],
  ];
  test.each(cases)("%s", async (_title, parts, param, code) => {
    edge = await startFormEdge();
    expect(await edge.send(parts)).toMatchObject({ status: 400, code, param });
    expect(edge.seen).toEqual([]);
  });
  test("100 KB of prompt are taken", async () => {
    edge = await startFormEdge();
    expect(await edge.send([voice, ["prompt", "x".repeat(100 * 1024)]])).toMatchObject({ status: 200 });
  });
});

describe("400: what is no form", () => {
  const whole = formBytes([voice, ["model", "m"]]);
  const cases: [string, Buffer, Record<string, string>][] = [
    ["no boundary", whole, { "content-type": "multipart/form-data" }],
    ["another boundary", whole, { "content-type": "multipart/form-data; boundary=other" }],
    ["compressed", gzipSync(whole), { "content-encoding": "gzip" }],
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
    edge = await startFormEdge();
    const answer = await edge.send(body, headers);
    expect(answer).toMatchObject({ status: 400 });
    expect(["invalid_parameter", "missing_parameter"]).toContain(answer.code);
  });
  test("cut anywhere", async () => {
    edge = await startFormEdge();
    for (let length = 1; length < whole.length - 4; length += 3) {
      const answer = await edge.send(whole.subarray(0, length));
      expect([length, answer.status, answer.code]).toEqual([length, 400, "invalid_parameter"]);
    }
    expect(edge.seen).toEqual([]);
  });
});
