// The page of README.md "Speech and transcripts, with curl", run line by line in one shell against a gateway of its own. What its lines
// write is decoded by other people's tools, and has to last as long as what was asked for.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FileServer, fixturePath, startFileServer } from "../media/file-server.ts";
import { decodeMp3, type Heard, readPcm } from "../simulator/audio-check.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { hasCurl, openShell, readmePage, type Shell } from "../support/readme-shell.ts";
import { type SpawnedGateway, spawnGateway } from "../support/spawned-gateway.ts";

/** The simulator's voices say so many. */
const charactersPerSecond = 15;
const hasFfprobe = spawnSync("ffprobe", ["-version"]).status === 0;
const folder = mkdtempSync(join(tmpdir(), "svc-readme-"));
const harbour = join(folder, "harbour.mp3");

let database: TestDatabase;
let recordings: FileServer;
let gateway: SpawnedGateway;
let shell: Shell;
beforeAll(async () => {
  database = await freshDatabase();
  recordings = await startFileServer((_req, res) => void res.end(readFileSync(harbour)));
  gateway = await spawnGateway({
    DATABASE_URL: database.url,
    SVC_DATA_DIR: folder,
    SVC_ALLOW_PRIVATE_URLS: "1",
    NODE_EXTRA_CA_CERTS: fixturePath("tls-certificate.pem"),
  });
  shell = openShell(readmePage("Speech and transcripts, with curl"), { DATABASE_URL: database.url });
});
afterAll(async () => {
  shell.close();
  await gateway.kill("SIGTERM");
  await recordings.close();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

test.skipIf(!hasCurl)(
  "every command of the page does what the page says, in its order, and its files play as long as they should",
  async () => {
    const { next, json } = shell;
    const account = JSON.parse(await shell.run("npx svc account create --email audio@example.com --verified --deposit 20 --json"));
    await next("base=", { "http://127.0.0.1:8787": gateway.url, "svc_…": account.api_key });
    await next("call()");
    await next("post()");
    await shell.run(`cd ${folder}`);

    const first = await speak("harbour.mp3", 44_100);
    await speak("harbour.pcm", 24_000);
    await speak("turbo.mp3", 44_100);
    const { data: voices } = await json('call "/v1/audio/voices');
    expect(voices).toHaveLength(3_300);

    const verbose = await json("call /v1/audio/transcriptions");
    expect(verbose).toMatchObject({ language: "english", billing: { billable_minutes: 1, cost_usd: 0.0009 } });
    expect(Math.abs(verbose.duration - first.seconds)).toBeLessThan(0.1);
    expect(verbose.segments.map((segment: { text: string }) => segment.text.trim()).join(" ")).toBe(verbose.text.trim());
    const subtitles = await next("call /v1/audio/transcriptions");
    expect(subtitles).toMatch(/^1\n00:00:00,000 --> 00:00:0\d,\d{3}\n\S/);
    expect(subtitles).toContain(verbose.segments[0].text.trim());
    const heard = await next("post /v1/audio/transcriptions", {
      "https://example.com/recording.mp3": `https://127.0.0.1:${recordings.port}/harbour.mp3`,
    });
    expect(heard.trim()).toBe(verbose.text.trim());

    const music = await json('post "/v1/audio/music?save_to_blob=1"');
    expect(music).toMatchObject({ object: "audio.generation", kind: "audio", model: "lyra/music", duration_sec: 10, cost_usd: 1.35 });
    await next("curl -s -o rain.mp3", { THE_URL: music.url });
    await expectSound("rain.mp3", 10, 44_100);

    expect(shell.left()).toEqual([]);
    await expectRightBooks();
  },
  60_000,
);

/** Runs the page's next line, which makes `name` of the text that it says. */
async function speak(name: string, sampleRate: number): Promise<Heard> {
  const line = shell.left()[0]!;
  expect(line).toContain(` -o ${name}`);
  const { input } = JSON.parse(/'(\{.*?\})'/.exec(line)![1]!) as { input: string };
  await shell.next("post /v1/audio/speech");
  return expectSound(name, input.length / charactersPerSecond, sampleRate);
}

async function expectSound(name: string, seconds: number, sampleRate: number): Promise<Heard> {
  const path = join(folder, name);
  const bytes = readFileSync(path);
  const heard = name.endsWith(".mp3") ? await decodeMp3(bytes) : readPcm(bytes, sampleRate);
  expect(heard.sampleRate).toBe(sampleRate);
  // A frame more or less at either end, and what an encoder adds.
  expect(Math.abs(heard.seconds - seconds)).toBeLessThan(0.12);
  expect(heard.loudest).toBeGreaterThan(0.05);
  if (hasFfprobe && name.endsWith(".mp3")) {
    const { stdout } = spawnSync("ffprobe", [
      "-v",
      "error",
      "-of",
      "json",
      "-show_entries",
      "format=format_name:stream=codec_name,sample_rate",
      path,
    ]);
    expect(JSON.parse(stdout.toString())).toMatchObject({
      format: { format_name: "mp3" },
      streams: [{ codec_name: "mp3", sample_rate: String(sampleRate) }],
    });
  }
  return heard;
}

async function expectRightBooks(): Promise<void> {
  const { mismatches } = JSON.parse(await shell.run("cd - > /dev/null; npx svc ledger audit --json")) as { mismatches: unknown[] };
  expect(mismatches).toEqual([]);
}
