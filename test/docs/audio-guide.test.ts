// The guide "Speech and transcription", its commands one by one in one shell against a gateway of its own. What they write is decoded by
// other people's tools, and has to last as long as what was asked for.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FileServer, fixturePath, startFileServer } from "../media/file-server.ts";
import { decodeMp3, type Heard, readPcm } from "../simulator/audio-check.ts";
import { type GuideShell, hasCurl, openGuideShell } from "./guide-shell.ts";

/** The simulator's voices say so many. */
const charactersPerSecond = 15;
const hasFfprobe = spawnSync("ffprobe", ["-version"]).status === 0;

let recordings: FileServer;
let shell: GuideShell;
beforeAll(async () => {
  recordings = await startFileServer((_req, res) => void res.end(readFileSync(pathOf("harbour.mp3"))));
  shell = await openGuideShell("audio", { SVC_ALLOW_PRIVATE_URLS: "1", NODE_EXTRA_CA_CERTS: fixturePath("tls-certificate.pem") });
});
afterAll(async () => {
  await shell?.close();
  await recordings.close();
});

const pathOf = (name: string) => join(shell.folder, name);

test.skipIf(!hasCurl)("every command does what the guide says, in its order, and its files play as long as they should", async () => {
  const { next, json } = shell;
  const account = JSON.parse(await shell.run("npx svc account create --email audio@example.com --verified --deposit 20 --json"));
  await shell.run(`SVC_KEY=${account.api_key}`);

  const first = await speak("harbour.mp3", 44_100);
  await speak("harbour.pcm", 24_000);
  await speak("turbo.mp3", 44_100);
  await next("curl -s --compressed -o voices.json");
  const { data: voices } = JSON.parse(readFileSync(pathOf("voices.json"), "utf8")) as { data: unknown[] };
  expect(voices).toHaveLength(3_300);
  expect(await next("head -c 200 voices.json")).toHaveLength(200);

  const verbose = await json('curl -s "$SVC_URL/v1/audio/transcriptions"');
  expect(verbose).toMatchObject({ language: "english", billing: { billable_minutes: 1, cost_usd: 0.0009 } });
  expect(Math.abs(verbose.duration - first.seconds)).toBeLessThan(0.1);
  expect(verbose.segments.map((segment: { text: string }) => segment.text.trim()).join(" ")).toBe(verbose.text.trim());
  const subtitles = await next('curl -s "$SVC_URL/v1/audio/transcriptions"');
  expect(subtitles).toMatch(/^1\n00:00:00,000 --> 00:00:0\d,\d{3}\n\S/);
  expect(subtitles).toContain(verbose.segments[0].text.trim());
  const heard = await next('curl -s "$SVC_URL/v1/audio/transcriptions"', {
    "https://example.com/recording.mp3": `https://127.0.0.1:${recordings.port}/harbour.mp3`,
  });
  expect(heard.trim()).toBe(verbose.text.trim());
  const streamed = await next('curl -sN "$SVC_URL/v1/audio/transcriptions"');
  const [last, ...deltas] = streamed
    .trim()
    .split("\n\n")
    .map((event) => JSON.parse(event.slice("data: ".length)))
    .reverse();
  expect(last).toMatchObject({ type: "transcript.text.done", text: verbose.text, billing: { cost_usd: 0.0009 } });
  expect(deltas.length).toBeGreaterThan(3);

  const translated = await json('curl -s "$SVC_URL/v1/audio/translations"');
  expect(translated).toMatchObject({ task: "translate", language: "english", text: verbose.text, billing: { cost_usd: 0.0009 } });

  const music = await json('curl -s "$SVC_URL/v1/audio/music?save_to_blob=1"');
  expect(music).toMatchObject({ object: "audio.generation", kind: "audio", model: "lyra/music", duration_sec: 10, cost_usd: 1.35 });
  await next("URL=");
  expect((await shell.run("echo $URL")).trim()).toBe(music.url);
  await next("curl -s -o rain.mp3");
  await expectSound("rain.mp3", 10, 44_100);

  expect(shell.left()).toEqual([]);
  await expectRightBooks();
});

/** Runs the guide's next command, which makes `name` of the text that it says. */
async function speak(name: string, sampleRate: number): Promise<Heard> {
  const command = shell.left()[0]!;
  expect(command).toMatch(new RegExp(` -o ${name} "\\$SVC_URL/v1/audio/speech"`));
  const { input } = JSON.parse(/'(\{.*?\})'/.exec(command)![1]!) as { input: string };
  await shell.next("curl -s");
  return expectSound(name, input.length / charactersPerSecond, sampleRate);
}

async function expectSound(name: string, seconds: number, sampleRate: number): Promise<Heard> {
  const path = pathOf(name);
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
  const { mismatches } = JSON.parse(await shell.run("npx svc ledger audit --json")) as { mismatches: unknown[] };
  expect(mismatches).toEqual([]);
}
