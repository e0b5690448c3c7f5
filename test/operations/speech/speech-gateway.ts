// A gateway that sells speech, music and sounds over every protocol that has them, and the helpers of its tests.
import { expect } from "vitest";
import { decodeMp3, type Heard, readPcm } from "../../simulator/audio-check.ts";
import type { startGateway, TestAccount, TestReply } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";
import { type ChatWorld, chatWorld } from "../chat/chat-gateway.ts";

export interface SpeechWorld extends ChatWorld {
  /** POST to /v1/audio/…, by default to speech. */
  ask(account: TestAccount, body: unknown, path?: string): Promise<TestReply>;
  /** The account's row of the usage log; waits until it is there. */
  onlyLog(account: TestAccount): Promise<Record<string, unknown>>;
}

export const audioProviders = [
  { id: "voices-a", protocol: "elevenlabs", base_url: "simulator:/elevenlabs" },
  { id: "spare-a", protocol: "elevenlabs", base_url: "simulator:/elevenlabs" },
  { id: "voices-b", protocol: "minimax", base_url: "simulator:/minimax" },
  { id: "spare-b", protocol: "minimax", base_url: "simulator:/minimax" },
  { id: "studio", protocol: "fal", base_url: "simulator:/fal" },
  { id: "north", protocol: "openai", base_url: "simulator:/v1" },
];

const manySlots = { audio_concurrent: 1000, audio_concurrent_per_capability: { transcription: 100, understanding: 100, speech: 100 } };

export function speechWorld(models: object[], file: object = {}, options: Parameters<typeof startGateway>[0] = {}): SpeechWorld {
  const world = chatWorld(models, { providers: audioProviders, tiers: highTiers(manySlots), ...file }, options);
  const more = {
    ask: (account: TestAccount, body: unknown, path = "speech") =>
      world.gateway.request("POST", `/v1/audio/${path}`, { key: account.key, body }),
    async onlyLog(account: TestAccount) {
      await expect.poll(async () => (await logsOf(world, account)).length).toBe(1);
      return (await logsOf(world, account))[0]!;
    },
  };
  return Object.create(world, Object.getOwnPropertyDescriptors(more)) as SpeechWorld;
}

async function logsOf(world: ChatWorld, account: TestAccount): Promise<Record<string, unknown>[]> {
  const { rows } = await world.gateway.context.db.pool.query("select * from usage_log where account_id = $1", [account.accountId]);
  return rows;
}

/** USD a thousand characters. */
export const priceA = 0.405;
export const priceB = 0.07;

/** `routes`: upstream ids, the first at voices-a, the second at spare-a. */
export function familyA(id: string, routes = ["multilingual"], more: object = {}): object {
  return speechModel(id, "a", routes, {
    default_voice: "lyra-narrator",
    pricing: { mode: "per-1k-chars", usd_per_1k_chars: priceA },
    ...more,
  });
}

/** `routes`: upstream ids, the first at voices-b, the second at spare-b. */
export function familyB(id: string, routes = ["speech-hd"], more: object = {}): object {
  return speechModel(id, "b", routes, {
    default_voice: "calm-woman",
    pricing: { mode: "per-1k-chars", usd_per_1k_chars: priceB },
    ...more,
  });
}

function speechModel(id: string, family: "a" | "b", routes: string[], more: object): object {
  return {
    id,
    type: "speech",
    voice_family: `provider_${family}`,
    routes: routes.map((model, index) => ({ provider: `${index === 0 ? "voices" : "spare"}-${family}`, model })),
    ...more,
  };
}

/** What a format's name promises, by decoding it. */
export async function heardIn(bytes: Buffer, format: string): Promise<Heard> {
  const [encoding, rate] = format.split("_") as [string, string];
  if (encoding === "mp3") return decodeMp3(bytes);
  return encoding === "pcm" ? readPcm(bytes, Number(rate)) : readMuLaw(bytes, Number(rate));
}

/** G.711, implemented again: the gateway's own code must not check itself. */
function readMuLaw(bytes: Buffer, sampleRate: number): Heard {
  const loudest = bytes.reduce((most, byte) => {
    const code = ~byte & 0xff;
    return Math.max(most, ((((code & 15) << 3) + 132) << ((code >> 4) & 7)) - 132);
  }, 0);
  return { seconds: bytes.length / sampleRate, sampleRate, loudest: loudest / 32_768 };
}

/** The bitrate that the first frame of an MP3 tells, in kbit/s. */
export function kbpsOf(mp3: Buffer): number {
  expect(mp3.readUInt16BE(0) & 0xffe0).toBe(0xffe0);
  const isFirst = (mp3[1]! & 0x18) === 0x18; // MPEG 1
  const rates = isFirst
    ? [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    : [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
  return rates[mp3[2]! >> 4]!;
}

/** The simulator's pace. */
export const secondsOf = (text: string): number => [...text].length / 15;

export const contentTypes = { mp3: "audio/mpeg", pcm: "audio/pcm", ulaw: "audio/basic" };

export const eightFormats = [
  "mp3_44100_128",
  "mp3_44100_192",
  "mp3_22050_32",
  "pcm_16000",
  "pcm_22050",
  "pcm_24000",
  "pcm_44100",
  "ulaw_8000",
];

export const sentence = "The harbour opens at six in the morning, and the last ferry leaves at nine in the evening.";

export interface Listened {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
  outcome: "whole" | "broken" | "left";
}

/** Reads an answer as it arrives, over a real socket; disconnects once `enough` returns true for the bytes so far. */
export async function listen(
  { gateway }: { gateway: { url: string } },
  { key }: Pick<TestAccount, "key">,
  body: object,
  enough: (bytes: number) => boolean = () => false,
  path = "speech",
): Promise<Listened> {
  const controller = new AbortController();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const request = { method: "POST", body: JSON.stringify(body), headers, signal: controller.signal };
  const response = await fetch(`${gateway.url}/v1/audio/${path}`, request);
  const heard: Buffer[] = [];
  let size = 0;
  const listened = (outcome: Listened["outcome"]) => ({
    status: response.status,
    headers: Object.fromEntries(response.headers),
    bytes: Buffer.concat(heard),
    outcome: controller.signal.aborted ? ("left" as const) : outcome,
  });
  try {
    for await (const piece of response.body!) {
      heard.push(Buffer.from(piece));
      size += piece.length;
      if (enough(size)) controller.abort();
    }
    return listened("whole");
  } catch {
    return listened("broken");
  }
}

/** `routes`: upstream ids, the first at voices-a, the second at spare-a. */
export function perSecond(id: string, routes = ["music"], more: object = {}): object {
  return {
    id,
    type: "speech",
    capability: "music",
    pricing: { mode: "per-second", usd_per_second: 0.135 },
    routes: routes.map((model, index) => ({ provider: index === 0 ? "voices-a" : "spare-a", model })),
    ...more,
  };
}

export function perSong(id: string, routes = ["verse/song"], more: object = {}): object {
  return {
    id,
    type: "speech",
    capability: "music",
    pricing: { mode: "per-song", usd_per_song: 0.108 },
    routes: routes.map((model) => ({ provider: "studio", model })),
    ...more,
  };
}

export function soundModel(id: string, routes = ["sound-effects"], more: object = {}): object {
  return {
    id,
    type: "speech",
    capability: "sfx",
    pricing: { mode: "per-call", usd_per_call: 0.027 },
    routes: routes.map((model, index) => ({ provider: index === 0 ? "voices-a" : "spare-a", model })),
    ...more,
  };
}
