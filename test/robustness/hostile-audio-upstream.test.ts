// Hosts of audio that answer anything at all, over every protocol: the caller gets a declared error and pays nothing, no answer and no
// line of the log holds the operator's key or whose host it is, and nothing stays open here.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formOf } from "../operations/transcriptions/transcription-gateway.ts";
import { wavFile } from "../simulator/audio-check.ts";
import { eventually } from "../support/eventually.ts";
import { type Gateway, startGateway, type TestReply } from "../support/gateway.ts";
import { highTiers } from "../support/tiers.ts";
import { drawn } from "../support/size.ts";
import { hostKey as secret, leaks, secrets, shown } from "./operators-words.ts";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const logLines: string[] = [];
let server: Server;
let gateway: Gateway;
let answer: Answer;
let asked: string[] = [];
let address: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url!);
    response.on("error", () => undefined);
    request.on("error", () => undefined).resume();
    request.on("end", () => answer(response, request));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const protocols = ["openai", "elevenlabs", "minimax", "fal"];
  const known = {
    ...{ base_url: `http://${address}`, api_key_env: "HOST_KEY", on_disconnect: "cancel" },
    headers: { "x-tenant": "tenant-secret-7" },
  };
  const providers = protocols.map((protocol) => ({ id: protocol, protocol, ...known }));
  const made = (id: string, provider: string, mode: object, more: object = {}) => ({
    ...{ id: `demo/${id}`, type: "speech", pricing: mode, routes: [{ provider, model: `${id}-v2@host` }] },
    ...more,
  });
  const call = { mode: "per-call", usd_per_call: 0.01 };
  const letters = { mode: "per-1k-chars", usd_per_1k_chars: 0.1 };
  const family = (letter: string) => ({ voice_family: `provider_${letter}`, default_voice: "calm" });
  const models = [
    made("stt", "openai", { mode: "per-minute", usd_per_minute: 0.01, min_billable_minutes: 1 }, { type: "transcription" }),
    made("eleven", "elevenlabs", letters, family("a")),
    made("plain", "openai", letters, family("a")),
    made("mini", "minimax", letters, family("b")),
    made("song-a", "elevenlabs", { mode: "per-second", usd_per_second: 0.01 }, { capability: "music" }),
    made("song-b", "minimax", { mode: "per-song", usd_per_song: 0.1 }, { capability: "music" }),
    made("song-f", "fal", { mode: "per-song", usd_per_song: 0.1 }, { capability: "music" }),
    made("sound", "elevenlabs", call, { capability: "sfx" }),
    made("clone", "minimax", call, { capability: "voice-clone", voice_family: "provider_b" }),
    made("design", "minimax", call, { capability: "voice-design", voice_family: "provider_b" }),
  ];
  const catalog = JSON.stringify({ providers, models, tiers: highTiers(slots) });
  gateway = await startGateway({ catalog, env: { HOST_KEY: secret, SVC_PUBLIC_URL: "https://gateway.example" }, logLines });
});
afterAll(async () => {
  const audited = await gateway.audit();
  await gateway.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(audited).toMatchObject({ mismatches: [], reservations_open: 0, holds_open: 0 });
  expect(logLines.filter((line) => line.includes(secret))).toEqual([]);
});

const slots = { audio_concurrent: 100, audio_concurrent_per_capability: { transcription: 100, understanding: 100, speech: 100 } };
const voiceSample = wavFile(11);

const calls: Record<string, [path: string, body: Record<string, unknown>, isForm?: boolean]> = {
  transcription: ["transcriptions", { model: "demo/stt" }, true],
  "speech over openai": ["speech", { model: "demo/plain", input: "Hello" }],
  "speech over elevenlabs": ["speech", { model: "demo/eleven", input: "Hello" }],
  "speech over minimax": ["speech", { model: "demo/mini", input: "Hello" }],
  "streamed speech over minimax": ["speech", { model: "demo/mini", input: "Hello", stream: true }],
  "music over elevenlabs": ["music", { model: "demo/song-a", prompt: "a waltz", music_length_ms: 1000 }],
  "music over minimax": ["music", { model: "demo/song-b", prompt: "a waltz" }],
  "music over fal": ["music", { model: "demo/song-f", prompt: "a waltz" }],
  "kept music": ["music", { model: "demo/song-a", prompt: "a waltz", music_length_ms: 1000, save_to_blob: true }],
  sounds: ["sfx", { model: "demo/sound", prompt: "rain" }],
  "a clone": ["voice-clone", { model: "demo/clone" }, true],
  "a design": ["voice-design", { model: "demo/design", description: "An old sailor" }],
};

async function ask(name: string): Promise<{ reply: TestReply; spent: number }> {
  const [path, body, isForm] = calls[name]!;
  const account = await gateway.createAccount({ deposit: "5" });
  const form = isForm === true ? await formOf(body as Record<string, string>, voiceSample) : null;
  const sent = form === null ? { body } : { body: form.body, headers: { "content-type": form.type } };
  const reply = await gateway.request("POST", `/v1/audio/${path}`, { key: account.key, ...sent });
  return { reply, spent: (await gateway.balance(account)).spent };
}

const text =
  (body: string | Buffer, status = 200, headers: Record<string, string> = { "content-type": "application/json" }): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(body);
const deep = `{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
const telling = () => `Key ${secret} of http://${address}/v1 (Bearer ${secret}), ${leaks.join(", ")} \u0000\u001b[31m\r\nx-evil: 1`;
/** Errors of all four protocols at once. */
const secretsBody = (code: number | string) =>
  JSON.stringify({
    error: { message: telling(), code, type: "invalid_request_error", param: `http://${address}` },
    detail: { status: code, message: telling() },
    base_resp: { status_code: 2013, status_msg: telling() },
  });

const hostile: [string, () => Answer][] = [
  ["a page", () => text("<html><title>Hello</title>", 200, { "content-type": "text/html" })],
  ["nothing", () => text("")],
  ["no content", () => text("", 204, {})],
  ["an answer that is nested too deep", () => text(deep)],
  ["ten megabytes of brackets", () => text("[".repeat(10_000_000))],
  ["ten megabytes of one word", () => text(`"${"x".repeat(10_000_000)}`)],
  ["a list", () => text("[]")],
  ["names of JavaScript's own", () => text('{"__proto__":{"polluted":1},"constructor":{},"toString":1,"base_resp":{"__proto__":null}}')],
  [
    "gzip that nobody asked for",
    () => text(gzipSync('{"text":"hello"}'), 200, { "content-type": "application/json", "content-encoding": "gzip" }),
  ],
  ["an error under 200 that tells secrets", () => text(secretsBody("invalid_request_error"))],
  ["400 that tells secrets", () => text(secretsBody(400), 400)],
  ["401 that tells secrets", () => text(secretsBody("invalid_api_key"), 401)],
  ["422 that tells secrets", () => text(secretsBody("constructor"), 422)],
  ["429 for ages", () => text(secretsBody("rate_limit"), 429, { "content-type": "application/json", "retry-after": "99999999999" })],
  ["500 that tells secrets", () => text(secretsBody("server_error"), 500)],
  ["a status of its own", () => text(secretsBody("x"), 799)],
  ["a redirect", () => text("", 302, { location: `http://${address}/elsewhere` })],
  ["a broken connection", () => (response) => void response.destroy()],
  [
    "a head and no more",
    () => (response) =>
      void (
        response.writeHead(200, { "content-type": "application/json", "content-length": "1000" }),
        response.write("{", () => response.destroy())
      ),
  ],
  [
    "heads of a megabyte",
    () => text("{}", 200, Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`x-${at}`, "y".repeat(10_000)]))),
  ],
  ["no HTTP", () => (response) => void response.socket!.end("\x16\x03\x01garbage\r\n\r\n")],
];

describe.each(Object.keys(calls))("%s", (name) => {
  test.each(drawn(hostile, 6))("%s", async (_what, given) => {
    answer = given();
    asked = [];
    const { reply, spent } = await ask(name);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect([reply.status === 500, spent]).toEqual([false, 0]);
    const told = reply.text + JSON.stringify(reply.headers);
    expect(told).not.toContain(address);
    expect(shown(reply)).not.toMatch(secrets);
    expect(told).not.toMatch(/v2@host|elevenlabs|minimax|\bfal\b|polluted/i);
    expect(reply.headers).not.toHaveProperty("x-evil");
    expect(asked).not.toContain("/elsewhere");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("the list of voices", () => {
  const said = `Warm, ${leaks.join(", ")}, and calm`;
  const shelves: Record<string, () => object> = {
    provider_a: () => ({
      voices: [
        {
          voice_id: "ada",
          name: said,
          description: said,
          labels: { accent: said, [said]: "irish" },
          tags: [said],
          preview_url: `https://${address}/p.mp3`,
        },
        { voice_id: "bo", name: "Bo", description: null, tags: [said], preview_url: "https://tts.internal:8443/p.mp3" },
        { voice_id: "cy", name: "Cy", labels: { accent: "irish" }, preview_url: "https://samples.example.com/cy.mp3" },
      ],
    }),
    provider_b: () => ({
      base_resp: { status_code: 0 },
      system_voice: [
        { voice_id: "ada", voice_name: said, description: [said] },
        { voice_id: `a ${secret}`, voice_name: "Bo", description: [] },
        { voice_id: "cy", voice_name: "Cy", description: ["calm"] },
      ],
    }),
  };

  test.each(Object.keys(shelves))("%s: every voice, and nothing of whose host it is", async (provider) => {
    answer = text(JSON.stringify(shelves[provider]!()));
    const { key } = await gateway.createAccount();
    const reply = await gateway.request("GET", `/v1/audio/voices?provider=${provider}`, { key });
    expect([reply.status, reply.json.data.length]).toEqual([200, 3]);
    expect(reply.json.data[0]).toMatchObject({ voice_id: "ada", name: expect.stringContaining("Warm, [hidden]") });
    expect(reply.json.data[2]).toMatchObject(
      provider === "provider_a"
        ? { name: "Cy", labels: { accent: "irish" }, preview_url: "https://samples.example.com/cy.mp3" }
        : { name: "Cy", description: ["calm"] },
    );
    expect(reply.text).not.toContain(address);
    expect(shown(reply)).not.toMatch(secrets);
  });
});

test("a caller who disconnects takes the call along to a host that is to stop, whatever it is about", async () => {
  for (const [name, [path, body, isForm]] of Object.entries(calls)) {
    let open: ServerResponse | undefined;
    answer = (response) => void (open = response);
    const { key } = await gateway.createAccount({ deposit: "5" });
    const form = isForm === true ? await formOf(body as Record<string, string>, voiceSample) : null;
    const sent = form === null ? { body } : { body: form.body, headers: { "content-type": form.type } };
    const abort = new AbortController();
    const leaving = gateway.request("POST", `/v1/audio/${path}`, { key, ...sent, signal: abort.signal }).catch(() => undefined);
    await eventually(() => expect(open, name).toBeDefined());
    abort.abort();
    await leaving;
    await eventually(() => expect(open!.destroyed, name).toBe(true));
  }
});
