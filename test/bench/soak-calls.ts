// The calls of the soak and how often each is made: every operation that money or a job goes through, readings, mistakes of every kind,
// bodies from a few bytes to megabytes. Each call is made anew: what were the same twice would find its answer kept.
import { randomBytes, randomUUID } from "node:crypto";
import { recording } from "../media/recordings.ts";
import { brokenModels } from "./soak-catalog.ts";
import type { Sent } from "./soak-client.ts";

export interface Caller {
  key: string;
  /** Ids of jobs and of requests that it made. */
  jobs: string[];
  requests: string[];
  /** The last requests that carried an idempotency key, to be repeated. */
  keyed: Sent[];
}

export interface Kind {
  name: string;
  /** Of all weights together. */
  weight: number;
  make(caller: Caller): Sent;
  /** Its ids are kept for readings. */
  isJob?: true;
}

const megabyte = 1024 * 1024;
const tone = recording("tone.mp3");
const words = "harbour light keeper tower storm parcel refund customer morning question answer letter".split(" ");
/**
 * Text that no compression of V8's and no cache of ours sees twice at the same length; sliced, so that a call costs the client little. Digits,
 * of which our tokenizer makes more tokens than the simulator: what is counted here is then no less than what it bills.
 */
const ocean = Array.from({ length: 500_000 }, () => 1_000 + Math.floor(9_000 * Math.random())).join(" ");
const pixels = randomBytes(4 * megabyte).toString("base64");

export function pick<T>(from: readonly T[]): T {
  return from[Math.floor(Math.random() * from.length)]!;
}

function text(bytes: number): string {
  const at = Math.floor(Math.random() * (ocean.length - bytes));
  return `${BigInt(`0x${randomBytes(8).toString("hex")}`)} ${ocean.slice(at, at + bytes)}`;
}

/** Most are short; few are so long that a body is megabytes. */
function someText(): string {
  const draw = Math.random();
  return text(draw < 0.85 ? 50 + 1_000 * Math.random() : draw < 0.98 ? 30_000 * Math.random() : 300_000 * Math.random());
}

function json(path: string, body: object | string, headers: Record<string, string> = {}) {
  return ({ key }: Pick<Caller, "key">): Sent => ({
    ...{ method: "POST", path, headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers } },
    body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  });
}

const get = (path: string, { key }: Pick<Caller, "key">): Sent => ({
  ...{ method: "GET", path, body: null },
  headers: { authorization: `Bearer ${key}` },
});

const chat = (model: string, more: object = {}) =>
  json("/v1/chat/completions", { model, messages: [{ role: "user", content: someText() }], max_tokens: 1_000, ...more });
const streamed = { stream: true, stream_options: { include_usage: true } };
const sights = (bytes: number) => ({
  messages: [
    { role: "user", content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${pixels.slice(0, bytes - (bytes % 4))}` } }] },
  ],
});
const tools = Array.from({ length: 4 }, (_, at) => ({
  type: "function",
  function: { name: `get_${words[at]}`, parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] } },
}));
const message = (more: object = {}) =>
  json("/v1/messages", {
    model: pick(["tern/opal-small", "north/chat-small"]),
    ...{ max_tokens: 200, messages: [{ role: "user", content: someText() }], ...more },
  });
const question = { type: "choice", instructions: "What next?", criteria: { refund: "Money back.", resend: "Once more.", ask: null } };
const speech = (more: object = {}) =>
  json("/v1/audio/speech", { model: pick(["lyra/flash", "mimir/speech-turbo"]), input: text(100).slice(0, 200), ...more });

function form(fields: Record<string, string>, file: Buffer, { key }: Caller): Sent {
  const boundary = `soak${randomUUID()}`;
  const part = (disposition: string) => `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n`;
  const head = Object.entries(fields).map(([name, value]) => `${part(`name="${name}"`)}\r\n${value}\r\n`);
  const opened = `${head.join("")}${part('name="file"; filename="tone.mp3"')}content-type: audio/mpeg\r\n\r\n`;
  return {
    ...{ method: "POST", path: "/v1/audio/transcriptions" },
    headers: { authorization: `Bearer ${key}`, "content-type": `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([Buffer.from(opened), file, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}

const readings = [
  "/v1/models",
  "/v1/models?type=language",
  "/v1/models/north%2Fchat-large",
  "/v1/models/recommend?use_case=chat",
  "/v1/pricing",
  "/v1/limits/tiers",
  "/v1/errors",
  "/v1/auth/usage/logs",
  "/v1/credits/ledger",
  "/v1/credits/balance",
  "/v1/auth/keys",
  "/v1/auth/limits",
  "/v1/jobs",
  "/v1/audio/voices?provider=all",
  "/metrics",
  "/health",
];

/** What a caller gets wrong; the name says what. */
const mistakes: Record<string, (caller: Caller) => Sent> = {
  "bad JSON": json("/v1/chat/completions", '{"model": "north/chat-small", "messages": ['),
  "wrong field": (caller) => chat("north/chat-small", { temperature: "hot", [randomUUID()]: { [randomUUID()]: 1 } })(caller),
  "no messages": json("/v1/chat/completions", { model: "north/chat-small" }),
  "unknown model": (caller) => chat(`nobody/${randomUUID()}`)(caller),
  "unknown key": () => chat("north/chat-small")({ key: `svc_${randomBytes(24).toString("base64url")}` }),
  "no key": () => ({ ...get("/v1/credits/balance", { key: "" }), headers: {} }),
  "unknown path": (caller) => get(`/v1/${randomUUID()}`, caller),
  "unknown job": (caller) => get(`/v1/jobs/job_${randomBytes(16).toString("hex")}`, caller),
  "unknown receipt": (caller) => get(`/v1/usage/req_${randomUUID()}`, caller),
  "wrong type": (caller) => ({ ...chat("north/chat-small")(caller), body: Buffer.from("model=x") }),
  "wrong method": (caller) => ({ ...get("/v1/chat/completions", caller), method: "DELETE" }),
  "deep JSON": json("/v1/chat/completions", `{"model":"north/chat-small","messages":${"[".repeat(5_000)}${"]".repeat(5_000)}}`),
  "no sound": (caller) => form({ model: "echo/scribe-fast" }, randomBytes(20_000), caller),
};

export const kinds: readonly Kind[] = [
  { name: "chat", weight: 22, make: (caller) => chat(pick(["north/chat-small", "north/chat-large", "cedar/instruct-8b"]))(caller) },
  { name: "chat with tools", weight: 3, make: (caller) => chat("north/chat-large", { tools, tool_choice: "required" })(caller) },
  { name: "chat, fallback", weight: 3, make: (caller) => chat("soak/second-choice")(caller) },
  { name: "chat, late", weight: 3, make: (caller) => chat("soak/late")(caller) },
  { name: "chat, keyed", weight: 2, make: (caller) => keyed(chat("north/chat-small")(caller)) },
  { name: "chat, stream", weight: 12, make: (caller) => chat("north/chat-small", streamed)(caller) },
  { name: "chat, paced stream", weight: 6, make: (caller) => chat("soak/paced", streamed)(caller) },
  { name: "chat, long stream", weight: 1, make: (caller) => chat("soak/long", { ...streamed, max_tokens: 400 })(caller) },
  { name: "chat, wide stream", weight: 1, make: (caller) => chat("soak/wide", streamed)(caller) },
  { name: "chat, 2 MB image", weight: 0.4, make: (caller) => chat("soak/late", sights(2 * megabyte))(caller) },
  { name: "chat, 5 MB image", weight: 0.15, make: (caller) => chat("north/chat-large", sights(5 * megabyte))(caller) },
  {
    name: "chat, 2 MB text",
    weight: 0.15,
    make: (caller) => chat("soak/late", { messages: [{ role: "user", content: text(2 * megabyte) }] })(caller),
  },
  { name: "chat, broken upstream", weight: 5, make: (caller) => chat(pick(brokenModels), Math.random() < 0.5 ? streamed : {})(caller) },
  { name: "responses", weight: 2, make: (caller) => json("/v1/responses", { model: "north/chat-small", input: someText() })(caller) },
  {
    name: "responses, stream",
    weight: 2,
    make: (caller) => json("/v1/responses", { model: "north/chat-small", input: someText(), stream: true })(caller),
  },
  {
    name: "messages, search",
    weight: 2,
    make: (caller) =>
      message({
        ...{ model: "soak/searches", stream: Math.random() < 0.5 },
        tools: [{ type: "web_search_20250305", name: "web_search", max_uses: pick([2, 3]) }],
      })(caller),
  },
  { name: "repeat", weight: 2, make: (caller) => (caller.keyed.length === 0 ? chat("north/chat-small")(caller) : pick(caller.keyed)) },
  { name: "completions", weight: 1, make: (caller) => json("/v1/completions", { model: "north/chat-small", prompt: text(300) })(caller) },
  { name: "messages", weight: 4, make: (caller) => message()(caller) },
  { name: "messages, stream", weight: 4, make: (caller) => message({ stream: true })(caller) },
  {
    name: "count tokens",
    weight: 1,
    make: (caller) =>
      json("/v1/messages/count_tokens", { model: "tern/opal-small", messages: [{ role: "user", content: someText() }] })(caller),
  },
  {
    name: "embeddings",
    weight: 4,
    make: (caller) =>
      json("/v1/embeddings", {
        model: "north/embed-small",
        input: [text(200), text(200)],
        ...(Math.random() < 0.5 ? { encoding_format: "base64" } : {}),
      })(caller),
  },
  {
    name: "rerank",
    weight: 3,
    make: (caller) => json("/v1/rerank", { model: "heron/rerank", query: text(50), documents: [text(200), text(200)] })(caller),
  },
  {
    name: "decisions",
    weight: 2,
    make: (caller) => json("/v1/decisions", { state: text(200), questions: { next: question, then: question } })(caller),
  },
  {
    name: "image",
    weight: 1.5,
    isJob: true,
    make: (caller) =>
      json(
        "/v1/images/generations",
        { model: pick(["pixa/standard", "pixa/budget", "north/image"]), prompt: text(50) },
        Math.random() < 0.3 ? { "idempotency-key": randomUUID() } : {},
      )(caller),
  },
  {
    name: "video",
    weight: 0.3,
    isJob: true,
    make: (caller) => json("/v1/videos/generations", { model: "tide/video", prompt: text(50), duration_s: 5 })(caller),
  },
  { name: "genmedia", weight: 0.3, make: (caller) => json("/v1/genmedia/run", { model: "pixa/standard", prompt: text(50) })(caller) },
  {
    name: "job",
    weight: 3,
    make: (caller) => get(`/v1/jobs/${caller.jobs.length === 0 ? "job_none" : pick(caller.jobs)}?wait=${pick([0, 0, 2, 5])}`, caller),
  },
  {
    name: "receipt",
    weight: 1,
    make: (caller) => get(`/v1/usage/${caller.requests.length === 0 ? "none" : pick(caller.requests)}`, caller),
  },
  { name: "speech", weight: 1.5, make: (caller) => speech()(caller) },
  { name: "speech, stream", weight: 1.5, make: (caller) => speech({ stream: true })(caller) },
  { name: "transcription", weight: 1.5, make: (caller) => form({ model: pick(["echo/scribe-fast", "relay/scribe"]) }, tone, caller) },
  { name: "reading", weight: 8, make: (caller) => get(pick(readings), caller) },
  { name: "mistake", weight: 7, make: (caller) => pick(Object.values(mistakes))(caller) },
];

function keyed(sent: Sent): Sent {
  return { ...sent, headers: { ...sent.headers, "idempotency-key": randomUUID(), "x-request-id": randomUUID() } };
}
