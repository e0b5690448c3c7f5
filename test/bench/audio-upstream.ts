// The benchmark's upstream of audio and its reference, each a process of its own. `upstream` speaks as much of the protocols as speech,
// transcription and lists of voices take, and serves recordings over TLS; `reference` passes everything through undici's dispatch.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { Pool } from "undici";
import { mp3Of, wavHead } from "./audio-files.ts";

/** A quarter of a second of the usual MP3. */
const pieceBytes = 4_096;
const [role, upstreamUrl] = process.argv.slice(2);
const piece = Buffer.from(Array.from({ length: pieceBytes }, (_, at) => (at * 7 + (at >> 3)) % 251));
const record = (audio: string, more: string) =>
  Buffer.from(`data: {"data":{"audio":"${audio}",${more},"trace_id":"t","base_resp":{"status_code":0,"status_msg":""}}\n\n`);
const streamed = record(piece.toString("hex"), '"status":1}');
const voicesA = Array.from({ length: 3_000 }, (_, at) => ({
  voice_id: `voice-${at}-${(at * 2_654_435_761) % 4_294_967_296}`,
  name: `Voice ${at}`,
  category: "premade",
  labels: { gender: at % 2 ? "female" : "male", age: "young", accent: ["american", "british", "irish"][at % 3], use_case: "narration" },
  description: `A voice for long texts, number ${at}`,
  preview_url: `https://files.test/previews/${at}.mp3`,
}));
const voicesB = Array.from({ length: 300 }, (_, at) => ({ voice_id: `b-${at}`, voice_name: `B ${at}`, description: ["calm", "young"] }));
const voicesPacked = gzipSync(JSON.stringify({ object: "list", data: voicesA }), { level: 6 });
const transcriptText = "Somebody said a sentence of some length here. ".repeat(8).trim();
const segment = {
  id: 0,
  seek: 0,
  start: 0,
  end: 10,
  text: transcriptText,
  tokens: [],
  temperature: 0,
  avg_logprob: -0.1,
  compression_ratio: 1,
  no_speech_prob: 0,
};
const transcript = Buffer.from(
  JSON.stringify({ task: "transcribe", language: "english", duration: 10, text: transcriptText, segments: [segment] }),
);

if (role === "upstream") await startUpstream();
else process.stdout.write(`${await listen(createServer(passThrough(new Pool(upstreamUrl as string, { connections: 256 }))))}\n`);

async function startUpstream(): Promise<void> {
  const secret = (name: string) => readFileSync(fileURLToPath(new URL(`../media/files/tls-${name}.pem`, import.meta.url)));
  const files = createTlsServer({ key: secret("key"), cert: secret("certificate") }, serveFiles(await mp3Of(10)));
  process.stdout.write(`${await listen(createServer((req, res) => void answer(req, res)))} ${await listen(files)}\n`);
}

async function listen(server: Server & { keepAliveTimeout: number }): Promise<number> {
  server.keepAliveTimeout = 60_000;
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(req.url as string, "http://up");
  if (pathname === "/v1/audio/transcriptions") {
    req.resume();
    await once(req, "end");
    return void res.writeHead(200, { "content-type": "application/json", "content-length": transcript.length }).end(transcript);
  }
  let body = "";
  for await (const chunk of req) body += chunk;
  if (pathname === "/v2/voices") return listVoices(Number(searchParams.get("next_page_token") ?? 0), res);
  if (pathname === "/v1/get_voice")
    return sendJson(res, { system_voice: voicesB, voice_cloning: [], voice_generation: [], base_resp: { status_code: 0, status_msg: "" } });
  if (pathname === "/voices-packed")
    return void res
      .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip", "content-length": voicesPacked.length })
      .end(voicesPacked);
  // The id of the model says how much comes, and after how long: bytes-65536-after-40.
  const [, bytes, afterMs] = /bytes-(\d+)-after-(\d+)/.exec(body) as unknown as [string, string, string];
  if (Number(afterMs) > 0) await wait(Number(afterMs));
  await (pathname === "/v1/t2a_v2" ? streamRecords(res, Number(bytes)) : streamBytes(res, Number(bytes)));
}

async function streamBytes(res: ServerResponse, bytes: number): Promise<void> {
  res.writeHead(200, { "content-type": "audio/mpeg" });
  await writeTimes(res, piece, bytes);
  res.end();
}

async function streamRecords(res: ServerResponse, bytes: number): Promise<void> {
  res.writeHead(200, { "content-type": "text/event-stream" });
  await writeTimes(res, streamed, bytes);
  const facts = { audio_length: 1_000, audio_size: bytes, usage_characters: 100 };
  res.end(record("", `"status":2},"extra_info":${JSON.stringify(facts)}`));
}

async function writeTimes(res: ServerResponse, chunk: Buffer, bytes: number): Promise<void> {
  for (let sent = 0; sent < bytes && !res.destroyed; sent += pieceBytes) await (res.write(chunk) ? nextTurn() : drained(res));
}

/** Or closed: those who wait look then. */
function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off("drain", done).off("close", done);
      resolve();
    };
    res.on("drain", done).on("close", done);
  });
}

function listVoices(from: number, res: ServerResponse): void {
  const voices = voicesA.slice(from, from + 100);
  const more = from + 100 < voicesA.length;
  sendJson(res, { voices, has_more: more, total_count: voicesA.length, next_page_token: more ? String(from + 100) : null });
}

function sendJson(res: ServerResponse, value: unknown): void {
  res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** `/SIZE/long.mp3` or `.wav`. */
function serveFiles(mp3: Buffer): (req: IncomingMessage, res: ServerResponse) => void {
  return (req, res) => {
    const [, size, name] = (req.url as string).split("/") as [string, string, string];
    const bytes = Number(size);
    const filling = name.endsWith(".wav") ? Buffer.alloc(65_536) : mp3;
    res.writeHead(200, { "content-length": bytes });
    void (async () => {
      let left = bytes;
      const write = async (chunk: Buffer) => {
        const part = chunk.subarray(0, left);
        left -= part.length;
        if (!res.write(part)) await drained(res);
      };
      if (name.endsWith(".wav")) await write(wavHead(bytes));
      while (left > 0 && !res.destroyed) await write(filling);
      res.end();
    })();
  };
}

function passThrough(pool: Pool): (req: IncomingMessage, res: ServerResponse) => void {
  return (req, res) => {
    const headers = Object.fromEntries(
      ["content-type", "content-length", "accept-encoding"].flatMap((name) =>
        req.headers[name] === undefined ? [] : [[name, req.headers[name] as string]],
      ),
    );
    const method = req.method as "POST";
    pool.dispatch(
      { method, path: req.url as string, headers, body: method === "POST" ? req : null },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, status, answered) => void res.writeHead(status, answered as Record<string, string>),
        onResponseData: (controller, chunk) => {
          if (res.write(chunk)) return;
          controller.pause();
          res.once("drain", () => controller.resume());
        },
        onResponseEnd: () => void res.end(),
        onResponseError: () => void res.destroy(),
      },
    );
  };
}
