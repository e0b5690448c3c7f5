// Two gateways that sell every kind of audio, on one database, and what the tests of many calls at once ask of them.
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject } from "vitest";
import { verifyChain } from "../../src/ledger/verify.ts";
import { ca, type FileServer, startFileServer } from "../media/file-server.ts";
import { familyA, familyB, perSecond, perSong, sentence, soundModel } from "../operations/speech/speech-gateway.ts";
import { formOf, transcriber } from "../operations/transcriptions/transcription-gateway.ts";
import { wavFile } from "../simulator/audio-check.ts";
import { until } from "../support/eventually.ts";
import type { SpawnedGateway } from "../support/spawned-gateway.ts";
import { highTiers } from "../support/tiers.ts";
import type { AudioAsk, AudioHeard } from "./audio-client.ts";
import { catalogFile } from "./catalog.ts";
import { openWorld, type World } from "./world.ts";

/** Of transcription 3, of speech and music 4, of all audio 5. */
export const fewSlots = { audio_concurrent: 5, audio_concurrent_per_capability: { transcription: 3, understanding: 2, speech: 4 } };
export const manySlots = { audio_concurrent: 500, audio_concurrent_per_capability: { transcription: 500, understanding: 2, speech: 500 } };
const paced = "+sim-pace-20ms";
const models = [
  familyA("demo/a", [`multilingual${paced}`]),
  familyB("demo/b", [`speech-hd${paced}`]),
  familyA("demo/a-hanging", ["multilingual+sim-hang"]),
  familyA("demo/a-cut", ["multilingual+sim-cut-after-3"]),
  familyB("demo/b-error", ["speech-hd+sim-error-after-3"]),
  perSecond("demo/score", [`music${paced}`]),
  perSecond("demo/score-hanging", ["music+sim-hang"]),
  perSong("demo/song"),
  soundModel("demo/sound"),
  transcriber("demo/stt", ["stt+sim-slow-60ms"]),
  transcriber("demo/stt-failing", ["stt-failing+sim-fail-503"], { fallbacks: ["demo/stt"] }),
  familyB("demo/b-slow", ["speech-hd+sim-slow-1500ms"]),
  transcriber("demo/stt-slow", ["stt+sim-slow-1500ms"]),
  transcriber("demo/stt-hanging", ["stt-hanging+sim-hang"]),
  {
    ...{ id: "demo/design", type: "speech", capability: "voice-design", voice_family: "provider_b" },
    pricing: { mode: "per-call", usd_per_call: 0.42 },
    routes: [{ provider: "voices-b", model: "design" }],
  },
];

export interface AudioWorld extends World {
  /** `provider`: more of each provider in the catalog. */
  startWith(slots: object, env?: Record<string, string>, provider?: object): Promise<SpawnedGateway>;
  /** Where the gateways keep what they make. */
  folder: string;
  /** Transcriptions of 61.5 seconds, two minutes when billed: sent, and at an address. */
  inForm(model: string): Said;
  /** `slow`: its host waits until `answerSlow` is called. */
  atAddress(model: string, slow?: "slow"): Said;
  /** How many wait for it. */
  waitingSlow(): number;
  answerSlow(): void;
  expectClean(): Promise<void>;
}

/** A request without its sender. */
export type Said = Pick<AudioAsk, "path" | "body" | "type">;

export const json = (path: string, body: object): Said => ({ path, body: JSON.stringify(body) });
export const speech = (model: string) => json("speech", { model: `demo/${model}`, input: sentence, stream: true });
export const music = (model: string, query = "") =>
  json(`music${query}`, { model: `demo/${model}`, prompt: "calm", ...(model === "song" ? {} : { music_length_ms: 2500 }) });

export function code({ bytes }: AudioHeard): string {
  const { error } = JSON.parse(bytes.toString()) as { error: { code: string } };
  return error.code;
}

export async function openAudioWorld(): Promise<AudioWorld> {
  const world = await openWorld({ models: {} });
  const slow: (() => void)[] = [];
  const recordings: FileServer = await startFileServer((req, res) => {
    const answer = () => void res.end(wavFile(61.5));
    if (req.url === "/slow") slow.push(answer);
    else answer();
  });
  const folder = mkdtempSync(join(inject("runFolder"), "audio-"));
  const { body, type } = await formOf({ response_format: "json" }, wavFile(61.5));
  const { url } = world.simulator;
  const providers = [
    { id: "voices-a", protocol: "elevenlabs", base_url: `${url}/elevenlabs` },
    { id: "voices-b", protocol: "minimax", base_url: `${url}/minimax` },
    { id: "studio", protocol: "fal", base_url: `${url}/fal` },
    { id: "north", protocol: "openai", base_url: `${url}/openai/v1` },
  ];
  writeFileSync(join(folder, "ca.pem"), ca);
  return {
    ...world,
    folder,
    startWith: (slots, env = {}, provider = {}) =>
      world.start({
        SVC_CATALOG: catalogFile(
          JSON.stringify({ providers: providers.map((one) => ({ ...one, ...provider })), models, tiers: highTiers(slots) }),
        ),
        SVC_DATA_DIR: join(folder, "data"),
        SVC_ALLOW_PRIVATE_URLS: "1",
        NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
        ...env,
      }),
    inForm(model) {
      const boundary = type.split("boundary=")[1];
      const part = `--${boundary}\r\ncontent-disposition: form-data; name="model"\r\n\r\ndemo/${model}\r\n`;
      return { path: "transcriptions", type, body: Buffer.concat([Buffer.from(part), body]) };
    },
    atAddress: (model, slow) =>
      json("transcriptions", { model: `demo/${model}`, audio_url: `https://localhost:${recordings.port}/${slow ?? "recording"}` }),
    waitingSlow: () => slow.length,
    answerSlow: () => slow.splice(0).forEach((answer) => answer()),
    async expectClean() {
      await until(async () => (await world.audit()).reservations_open === 0, "all reservations have ended");
      expect(await world.audit()).toMatchObject({ mismatches: [], holds_open: 0, reservations_open: 0 });
      expect((await verifyChain(world.db)).broken).toBeNull();
    },
    async stop() {
      await world.stop();
      await recordings.close();
    },
  };
}
