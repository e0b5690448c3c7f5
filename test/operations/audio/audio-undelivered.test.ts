// Audio that does not reach its caller: who disconnects between the provider's answer and ours pays for it, and nothing made costs nothing.
import { describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { wavFile } from "../../simulator/audio-check.ts";
import { familyA, familyB, perSecond, sentence, speechWorld } from "../speech/speech-gateway.ts";
import { formOf } from "../transcriptions/transcription-gateway.ts";

const world = speechWorld([
  familyA("demo/a"),
  familyB("demo/b"),
  perSecond("demo/score"),
  {
    ...{ id: "demo/stt", type: "transcription", routes: [{ provider: "north", model: "stt" }] },
    pricing: { mode: "per-minute", usd_per_minute: 0.0009 },
  },
]);

type Verb = "speech" | "music" | "transcribe";
/** What an adapter is to the gateway, whatever it makes. */
type Adapter = (call: { signal: AbortSignal }) => Promise<unknown>;

async function ask(account: TestAccount, path: string, model: string, signal?: AbortSignal) {
  const form = path === "transcriptions" ? await formOf({ model }, wavFile(1)) : null;
  const sent =
    form === null ? { body: { model, input: sentence, prompt: "calm" } } : { body: form.body, headers: { "content-type": form.type } };
  return world.gateway.request("POST", `/v1/audio/${path}`, { key: account.key, ...sent, ...(signal && { signal }) });
}

/** Replaces a verb's adapter while `work` runs. */
async function instead(verb: Verb, protocol: string, change: (really: Adapter) => Adapter, work: () => Promise<void>): Promise<void> {
  const table = world.gateway.context.providers[verb] as unknown as Record<string, Adapter>;
  const really = table[protocol]!;
  table[protocol] = change(really);
  try {
    await work();
  } finally {
    table[protocol] = really;
  }
}

describe("a caller who disconnects when the provider has answered, and before anything is sent, pays for it", () => {
  test.each<[string, Verb, string, string]>([
    ["speech", "speech", "elevenlabs", "demo/a"],
    ["speech", "speech", "minimax", "demo/b"],
    ["music", "music", "elevenlabs", "demo/score"],
    ["transcriptions", "transcribe", "openai", "demo/stt"],
  ])("%s, %s of %s", async (path, verb, protocol, model) => {
    const account = await world.account();
    const controller = new AbortController();
    const [answered, noticed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = (really: Adapter): Adapter => {
      return async (call) => {
        const made = await really({ ...call, signal: new AbortController().signal });
        answered.resolve();
        await noticed.promise;
        return made;
      };
    };
    await instead(verb, protocol, late, async () => {
      const left = expect(ask(account, path, model, controller.signal)).rejects.toThrow();
      await answered.promise;
      controller.abort();
      await left;
      await eventually(async () => expect((await world.gateway.request("GET", "/metrics")).text).toMatch(/^svc_abandoned_requests 1$/m));
      noticed.resolve();
      const { cost, ...row } = await world.onlyLog(account);
      expect(row).toMatchObject({ status: "aborted", http_status: 499 });
      expect(cost).toBeGreaterThan(0n);
      expect((await world.gateway.balance(account)).spent).toBe(Number(cost) / 1e8);
    });
  });
});

describe("an answer without a byte", () => {
  const empty = () => () => Promise.resolve({ kind: "whole", bytes: Buffer.alloc(0) });

  test.each<[string, Verb, string, string, string]>([
    ["speech", "speech", "elevenlabs", "demo/a", "tts_failed"],
    ["music", "music", "elevenlabs", "demo/score", "provider_error"],
  ])("%s, %s of %s, %s: 502 %s", async (path, verb, protocol, model, code) => {
    const account = await world.account();
    await instead(verb, protocol, empty, async () => {
      const reply = await ask(account, path, model);
      expect([reply.status, reply.json.error.code]).toEqual([502, code]);
    });
    expect(await world.onlyLog(account)).toMatchObject({ status: "failed", cost: 0n, attempts: [{ outcome: "unreadable" }] });
    await world.expectUntouched(account);
  });
});
