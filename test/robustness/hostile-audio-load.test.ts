// Many large recordings at a time, and clients that lie about theirs: the process stays small and answers others, and neither files nor
// descriptors are left.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FileServer, fixturePath, startFileServer } from "../media/file-server.ts";
import { formOf, transcriber } from "../operations/transcriptions/transcription-gateway.ts";
import { wavFile } from "../simulator/audio-check.ts";
import { eventually } from "../support/eventually.ts";
import { checkedRequest, type SpawnedGateway } from "../support/gateway.ts";
import { highTiers } from "../support/tiers.ts";
import { catalogFile } from "./catalog.ts";
import { openWorld, type World } from "./world.ts";
import { oneInThree } from "../support/size.ts";

const megabyte = 1024 * 1024;
let world: World;
let gateway: SpawnedGateway;
let files: FileServer;
let key: string;
const folder = mkdtempSync(join(tmpdir(), "svc-load-"));
const tiers = highTiers({
  audio_concurrent: 100,
  audio_concurrent_per_capability: { transcription: 100, understanding: 100, speech: 100 },
});
/** 16 kHz, two bytes a sample. */
const large = wavFile((25 * megabyte - 1_000) / 32_000);
const huge = wavFile((100 * megabyte - 1_000) / 32_000);

beforeAll(async () => {
  world = await openWorld({ models: {}, tiers });
  const providers = [{ id: "north", protocol: "openai", base_url: `${world.simulator.url}/openai/v1` }];
  const catalog = catalogFile(JSON.stringify({ providers, models: [transcriber("demo/stt", ["stt"])], tiers }));
  files = await startFileServer((_request, response) => void response.end(huge));
  gateway = await world.start({
    SVC_DATA_DIR: folder,
    SVC_CATALOG: catalog,
    SVC_ALLOW_PRIVATE_URLS: "1",
    NODE_EXTRA_CA_CERTS: fixturePath("tls-certificate.pem"),
  });
  ({ key } = await world.createAccount("1000"));
});
afterAll(async () => {
  await world.stop();
  await files.close();
  rmSync(folder, { recursive: true, force: true });
});

const residentMb = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, "latin1"))![1]) / 1024;
const descriptors = () => readdirSync(`/proc/${gateway.pid}/fd`).length;
const forgetPeak = () => writeFileSync(`/proc/${gateway.pid}/clear_refs`, "5");
const left = () => readdirSync(join(folder, "media-incoming"));

/** Others are served meanwhile; they ask from a process of their own, since this one is busy with sending. */
async function whileAsked<T>(work: () => Promise<T>): Promise<T> {
  const asking = spawn(process.execPath, ["--input-type=module", "-e", asker.replace("URL", gateway.url)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  asking.stdout.on("data", (chunk) => (output += String(chunk)));
  const exited = new Promise((resolve) => asking.once("exit", resolve));
  await once(asking.stdout, "data");
  const result = await work();
  asking.kill("SIGTERM");
  await exited;
  const waits = output.trim().split("\n");
  expect(waits.length).toBeGreaterThan(3);
  expect(waits).not.toContain("failed");
  return result;
}

/** Says how long each answer took, in milliseconds. */
const asker = `
for (;;) {
  const at = performance.now();
  const { status } = await fetch("URL/healthz", { signal: AbortSignal.timeout(60_000) }).catch(() => ({ status: 0 }));
  console.log(status === 200 ? Math.round(performance.now() - at) : "failed");
  await new Promise((resolve) => setTimeout(resolve, 50));
}`;

const path = "/v1/audio/transcriptions";
const body = { model: "demo/stt", response_format: "json" };

test("thirty forms of 25 MB at once", async () => {
  const { body: form, type } = await formOf(body, large);
  forgetPeak();
  const send = () => checkedRequest(gateway.url, "POST", path, { key, body: form, headers: { "content-type": type } });
  const replies = await whileAsked(() => Promise.all(Array.from({ length: 30 }, send)));
  expect(replies.map(({ status }) => status)).toEqual(Array(30).fill(200));
  expect(residentMb()).toBeLessThan(500); // as bytes they are 750 MB
  await eventually(() => expect(left()).toEqual([]));
});

oneInThree()("ten recordings of 100 MB from addresses at once", async () => {
  forgetPeak();
  const audio_url = `https://localhost:${files.port}/huge`;
  const send = () => checkedRequest(gateway.url, "POST", path, { key, body: { ...body, audio_url } });
  const replies = await whileAsked(() => Promise.all(Array.from({ length: 10 }, send)));
  expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(residentMb()).toBeLessThan(500); // as bytes they are 1,000 MB
  await eventually(() => expect(left()).toEqual([]));
});

oneInThree()("clients that lie, break off, and send requests behind a form that is refused", async () => {
  const before = descriptors();
  const { body: form, type } = await formOf(body, wavFile(30));
  const head = (more: string) =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: ${type}\r\n${more}\r\n\r\n`;
  const next = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
  const chunked = (bytes: Buffer, trailers: string) =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from(`\r\n0\r\n${trailers}\r\n`)]);
  const cut = form.subarray(0, form.length - 30);
  const length = `content-length: ${form.length}`;
  const sent: [string, (string | Buffer)[], RegExp][] = [
    ["a trailer", [head("transfer-encoding: chunked"), chunked(form, "x-evil: 1\r\n"), next], /^HTTP\/1.1 200 [^]+HTTP\/1.1 200 /],
    ["a refused form, then a request", [head(`content-length: ${cut.length}`), cut, next], /^HTTP\/1.1 400 [^]+HTTP\/1.1 200 /],
    ["less than was said", [head(length), cut], /^HTTP\/1.1 400 |^$/],
    ["more than was said", [head(`content-length: ${cut.length}`), form], /^HTTP\/1.1 400 /],
    ["a length and chunks", [head(`${length}\r\ntransfer-encoding: chunked`), chunked(form, "")], /^HTTP\/1.1 400 /],
    ["two lengths", [head(`${length}\r\ncontent-length: 5`), form], /^HTTP\/1.1 400 /],
    ["a coding of its own", [head("transfer-encoding: gzip"), form], /^HTTP\/1.1 (400|501) /],
    ["chunks of no length", [head("transfer-encoding: chunked"), "zz\r\n"], /^HTTP\/1.1 400 |^$/],
    ["an expectation of its own", [head(`${length}\r\nexpect: 200-ok`), form], /^HTTP\/1.1 (417|200|400) /],
  ];
  for (const [what, pieces, expected] of sent) {
    for (let n = 0; n < 5; n += 1) expect(await spoken(pieces, endOf(pieces, expected)), what).toMatch(expected);
  }
  await eventually(() => expect(left()).toEqual([]));
  await eventually(() => expect(descriptors()).toBeLessThanOrEqual(before + 5));
});

/** Who ends a connection: the server, the client that has its answer, or the client that gives up before. */
type End = "by server" | "answered" | "gives up";

function endOf(pieces: readonly (string | Buffer)[], expected: RegExp): End {
  if (/healthz/.test(String(pieces.at(-1)))) return "by server";
  return expected.test("") ? "gives up" : "answered";
}

/** What comes back on a socket of its own. */
function spoken(pieces: readonly (string | Buffer)[], end: End): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString("latin1"))).on("error", () => undefined);
    if (end === "answered") socket.once("data", () => socket.end());
    socket.on("close", () => resolve(text));
    for (const piece of pieces) socket.write(piece);
    if (end === "gives up") setTimeout(() => socket.end(), 300);
  });
}
