// Bodies that a thread reads: handlers get the same as of small ones, and callers the same refusals.
import { readdirSync, readFileSync } from "node:fs";
import { constants, getPriority } from "node:os";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { operations } from "../../generated/operations.ts";
import { parseJson } from "../../src/json/parse.ts";
import { type JsonText, spliceJson, wholeOf } from "../../src/providers/json/splice.ts";
import { bigBytes, openBigJson, readBigBytes } from "../../src/server/big-json.ts";
import type { Request } from "../../src/operation.ts";
import { auth, call, type EdgeUnderTest, json, startEdge } from "../server/start-edge.ts";

let edge: EdgeUnderTest;
let seen: { text: JsonText; body: unknown; bytes: string };
beforeAll(async () => {
  const see = (_context: unknown, request: Request) => {
    seen = { text: request.text as JsonText, body: request.body, bytes: request.rawBody.toString() };
    return json({});
  };
  edge = await startEdge({ handlers: { createChatCompletion: see, createEmbeddings: see } });
});
afterAll(() => edge.close(200));

const send = (body: string | Buffer | Blob, headers: Record<string, string> = {}, path = "/v1/chat/completions") =>
  call(edge, path, { method: "POST", headers: { "content-type": "application/json", ...auth, ...headers }, body });
const padding = " ".repeat(bigBytes);
const messages = '"messages":[{"role":"user","content":"hi"}]';
const long = "a".repeat(70_000);

describe("a handler gets of a big body what it gets of a small one", () => {
  const word = fc.constantFrom("a", "b", "2", "1", "__proto__", "é", 'q"\\', "\\", "constructor", "toString");
  const escaped = (key: string) => `"\\u${key.charCodeAt(0).toString(16).padStart(4, "0")}${JSON.stringify(key.slice(1)).slice(1)}`;
  const content = fc.constantFrom("x", long, `é${long}`, `${long}\\n\\"${long}`, `\\ud800${long}`, `\\\\`, "\\u0061".repeat(20_000));
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      content.map((inside) => `"${inside}"`),
      fc.constantFrom("null", "-0", "1e400", "12345678901234567890", " true ", "[]", "{ }"),
      fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(" ,")}]`),
      fc
        .array(fc.tuple(word, fc.constantFrom(JSON.stringify, escaped), tie("value")), { maxLength: 4 })
        .map((fields) => `{${fields.map(([key, write, of]) => ` ${write(key)} :${of}`).join(",")}}`),
    ),
  }));

  test("every value at its place, its text as it came, and the same after an edit: same names, odd names, escapes, long strings", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(word, value), { maxLength: 4 }), async (fields) => {
        const more = fields.map(([key, of]) => `\n"x${key.replace(/["\\]/g, "_")}":${of} `);
        const sent = `{"model":"m",${messages},${[...more, ...more.toReversed()].map((field) => `${field},`).join("")}"end":"${long}"${padding}}`;
        expect((await send(sent)).status).toBe(200);
        expect(typeof seen.text).toBe("object");
        expect(seen.bytes).toBe(sent);
        const edits = { model: '"other"', xa: null, added: "[1]" };
        expect(wholeOf(spliceJson(seen.text, edits))).toBe(spliceJson(sent, edits));
        // Read last: until then long strings lie in the bytes.
        expect(seen.body).toEqual(parseJson(sent));
        expect(JSON.stringify(seen.body)).toBe(JSON.stringify(parseJson(sent)));
      }),
      { numRuns: 60 },
    );
  });

  test("with a byte order mark, without an announced length, and with more members than anyone names", async () => {
    const text = `{"model":"m",${messages},"long":"${long}"${padding}}`;
    await send(`\ufeff${text}`);
    expect([seen.bytes, (seen.body as { long: string }).long]).toEqual([text, long]);
    const streamed = { body: new Blob([text]).stream(), duplex: "half", method: "POST", headers: auth } as RequestInit;
    expect((await call(edge, "/v1/chat/completions", streamed)).status).toBe(200);
    expect(seen.body).toEqual(JSON.parse(text));
    const many = `{"model":"m",${messages},${Array.from({ length: 1_000 }, (_, n) => `"n${n}":1`).join(",")}${padding}}`;
    await send(many);
    expect(seen.text).toBe(many);
  });

  test.runIf(process.platform === "linux")("the thread that reads them stands behind the one that answers everybody", async () => {
    const priorities = () =>
      readdirSync("/proc/self/task").map((id) => Number(readFileSync(`/proc/self/task/${id}/stat`, "utf8").split(") ")[1]?.split(" ")[16]));
    const before = priorities();
    const own = getPriority(); // a process that was started with nice has another one
    await send(`{"model":"m",${messages},"long":"${long}"${padding}}`);
    expect(priorities()).toContain(Math.min(own + constants.priority.PRIORITY_BELOW_NORMAL, constants.priority.PRIORITY_LOW));
    expect(before).toContain(own);
    expect(getPriority()).toBe(own);
  });

  test("a long string may be written over", async () => {
    await send(`{"model":"m",${messages},"long":"${long}"${padding}}`);
    (seen.body as { long: string }).long = "short";
    expect(seen.body).toMatchObject({ long: "short", model: "m" });
  });

  test("many at once, each its own", async () => {
    const all = Array.from({ length: 12 }, (_, n) => JSON.stringify({ model: `m${n}`, input: Array(20).fill(`${n}`.repeat(20_000)) }));
    const models = new Set<string>();
    await Promise.all(
      all.map(async (body) => {
        const answer = await send(body, {}, "/v1/embeddings");
        expect(answer.status).toBe(200);
        models.add((seen.body as { model: string }).model);
      }),
    );
    expect(models.size).toBeGreaterThan(1);
  });
});

describe("a big body that is wrong gets the answer of a small one", () => {
  const chat = (more: string) => `{"model":"m",${messages},${more}}`;
  test.each<[string, string | Buffer, Record<string, string>?]>([
    ["a comma too many", '{"model":"m",,}'],
    ["an unexpected character", '{"model":nope}'],
    ["no object", "[1,2]"],
    ["a word", '"text"'],
    ["not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ["nested too deep", chat(`"x":${"[".repeat(201)}${"]".repeat(201)}`)],
    ["NUL in a field", chat('"user":"a\\u0000b"')],
    ["NUL in a name", chat('"a\\u0000b":1')],
    ["a raw control character in a string", chat('"user":"a\u0001b"')],
    ["a missing field", '{"model":"m"}'],
    ["a wrong type", '{"model":7,"messages":[]}'],
    ["a wrong role", '{"model":"m","messages":[{"role":"nobody","content":"hi"}]}'],
    ["a wrong number", chat('"temperature":9')],
    ["another content type", chat('"user":"x"'), { "content-type": "text/plain" }],
    ["another charset", chat('"user":"x"'), { "content-type": "application/json; charset=latin1" }],
    ["compressed", chat('"user":"x"'), { "content-encoding": "gzip" }],
  ])("%s", async (_title, body, headers = {}) => {
    const small = await send(Buffer.concat([Buffer.from(body as string), Buffer.from(" ")]), headers);
    const big = await send(Buffer.concat([Buffer.from(body as string), Buffer.from(padding)]), headers);
    const { request_id: _small, ...wanted } = small.body.error;
    const { request_id: _big, ...got } = big.body.error;
    expect(small.status).toBeGreaterThanOrEqual(400);
    expect([big.status, got]).toEqual([small.status, wanted]);
  });

  test("too many values: 413", async () => {
    const answer = await send(`{"model":"m",${messages},"x":[${"1,".repeat(1_000_000)}1]}`);
    expect([answer.status, answer.body.error.code]).toEqual([413, "request_too_large"]);
  });

  test("the model is in the log line of a refusal", async () => {
    await send(`{"model":"vendor/some-model"}${padding}`);
    expect(edge.logs.findLast(({ msg }) => msg === "request")).toMatchObject({ code: "missing_parameter", model: "vendor/some-model" });
  });
});

describe("the thread has as long as it takes, but not a core for ever", () => {
  const bigJson = openBigJson();
  afterEach(() => vi.useRealTimers());
  afterAll(() => bigJson.close());

  const read = () => {
    const bytes = Buffer.from(`{"model":"m",${messages}${padding}}`);
    const order = { operation: operations.createChatCompletion, headers: {}, bytes: new Uint8Array(bytes) };
    return readBigBytes({ bigJson }, order, { signal: new AbortController().signal, holder: 1n });
  };
  /** Before anything comes from the thread. */
  const passMinutes = async () => {
    while (vi.getTimerCount() === 0) await Promise.resolve();
    vi.advanceTimersByTime(600_000);
  };

  test("a thread that gets no core for minutes still reads its body", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
    const reading = read();
    await passMinutes();
    expect((await reading).value).toMatchObject({ model: "m" });
  });

  test("one that has used a core for too long is ended: 503 overloaded, and the next body has a new one", async () => {
    const used = [0, 19_000, 20_000].map((ms) => ({ user: ms * 600, system: ms * 400 }));
    vi.spyOn(Worker.prototype, "cpuUsage").mockImplementation(() => Promise.resolve(used.shift() ?? { user: 0, system: 0 }));
    vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
    const reading = read();
    await passMinutes();
    await expect(reading).rejects.toMatchObject({ code: "overloaded" });
    vi.useRealTimers();
    expect((await read()).value).toMatchObject({ model: "m" });
  });
});
