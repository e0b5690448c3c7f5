// What POST /v1/audio/music refuses: every declared code in its dialect, with nothing charged or stored.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whileFailing } from "../../support/failing-statements.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { familyA, perSecond, perSong, speechWorld } from "../speech/speech-gateway.ts";

/** Of its own: what others keep meanwhile must not count. */
const dataDir = mkdtempSync(join(tmpdir(), "svc-music-"));
const failing = (id: string, directive: string) => perSecond(id, [`music+${directive}`, `music+${directive}`]);
const world = speechWorld(
  [
    perSecond("demo/score"),
    perSong("demo/song"),
    perSong("demo/noise", ["verse/song+sim-file-html"]),
    perSecond("demo/old", [], { state: { retired: true, replacement: "demo/score" } }),
    perSecond("demo/paced", ["music+sim-pace-50ms"]),
    failing("demo/refusing", "sim-refuse"),
    failing("demo/rejecting", "sim-reject"),
    failing("demo/unreadable", "sim-bad-json"),
    failing("demo/down", "sim-fail-503"),
    failing("demo/gone", "sim-404"),
    failing("demo/unpaid", "sim-quota"),
    familyA("demo/voice"),
  ],
  { defaults: { music: "demo/score" } },
  { env: { SVC_DATA_DIR: dataDir } },
);
const prompt = "Calm piano over soft rain";
let account: TestAccount;
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
beforeAll(async () => void (account = await world.account()));

const received = () => world.gateway.simulator.counters().received;
const music = (body: unknown, query = "", by = account) => world.ask(by, body, `music${query}`);
const mediaFiles = () =>
  readdirSync(dataDir, { recursive: true })
    .map(String)
    .filter((name) => /\.\w+$/.test(name))
    .sort();

describe("400", () => {
  test.each([
    ["no JSON", "{", "invalid_request", null],
    ["no prompt", {}, "invalid_request", "prompt"],
    ["a blank prompt", { prompt: " \n" }, "invalid_request", "prompt"],
    ["a prompt that is no text", { prompt: 5 }, "invalid_request", "prompt"],
    ["a format that nobody has", { prompt, response_format: "wav" }, "invalid_request", "response_format"],
    [
      "samples of a model that makes MP3 only",
      { prompt, model: "demo/song", response_format: "pcm_24000" },
      "invalid_request",
      "response_format",
    ],
    [
      "mu-law of a model that makes MP3 only",
      { prompt, model: "demo/song", response_format: "ulaw_8000" },
      "invalid_request",
      "response_format",
    ],
    ["a voice model", { prompt, model: "demo/voice" }, "not_a_music_model", "model"],
    ["a prompt of 2001 characters", { prompt: "x".repeat(2001) }, "prompt_too_long", "prompt"],
    ["2001 characters for a song", { prompt: "é".repeat(2001), model: "demo/song" }, "prompt_too_long", "prompt"],
    ["lyrics of 601 characters", { prompt, model: "demo/song", lyrics: "x".repeat(601) }, "prompt_too_long", "lyrics"],
    ["999 ms", { prompt, music_length_ms: 999 }, "invalid_duration", "music_length_ms"],
    ["300001 ms", { prompt, music_length_ms: 300_001 }, "invalid_duration", "music_length_ms"],
    ["999 ms under the other name", { prompt, duration_ms: 999 }, "invalid_duration", "duration_ms"],
    ["a fraction of a millisecond", { prompt, music_length_ms: 3000.5 }, "invalid_duration", "music_length_ms"],
    ["a length in words", { prompt, music_length_ms: "long" }, "invalid_duration", "music_length_ms"],
    ["a length beyond all measure", { prompt, music_length_ms: 1e300 }, "invalid_duration", "music_length_ms"],
  ])("%s", async (_, body, code, param) => {
    const reply = await music(body);
    expect([reply.status, reply.json.error.code, reply.json.error.param ?? null]).toEqual([400, code, param]);
    expect(received()).toBe(0);
    await world.expectUntouched(account);
  });

  test("prompt_too_long and invalid_duration name the model and the field", async () => {
    const { message } = (await music({ prompt, model: "demo/song", lyrics: "x".repeat(601) })).json.error;
    expect(message).toBe("lyrics has 601 characters; demo/song takes at most 600.");
  });

  test.each([0, -1, 300_001, 5_000_000_000, 1e300, 3000.5, 0.1])("invalid_duration says the model's range: %d ms", async (length) => {
    for (const param of ["music_length_ms", "duration_ms"]) {
      const { error } = (await music({ prompt, [param]: length })).json;
      expect([error.code, error.param]).toEqual(["invalid_duration", param]);
      expect(error.message).toBe(`${param} is not a valid length for demo/score: whole milliseconds, 1000 to 300000.`);
    }
  });

  test("save_to_blob is 1 or 0", async () => {
    const reply = await music({ prompt }, "?save_to_blob=yes");
    expect([reply.status, reply.json.error.code]).toEqual([400, "invalid_request"]);
  });
});

describe("404 model_not_found", () => {
  test.each([["demo/none"], ["demo/old"]])("%s, whatever the length", async (model) => {
    for (const fields of [{}, { music_length_ms: 5_000_000_000 }, { duration_ms: 0.5 }]) {
      const reply = await music({ prompt, model, ...fields });
      expect([reply.status, reply.json.error.code]).toEqual([404, "model_not_found"]);
    }
  });

  test("what replaces a retired model is named", async () => {
    expect((await music({ prompt, model: "demo/old" })).json).toMatchObject({
      did_you_mean: "demo/score",
      error: { message: "The model demo/old is not served here: it is retired. Use demo/score instead." },
    });
  });
});

describe("401 and 402, in music's format", () => {
  test("auth_error: no key, or a wrong one", async () => {
    for (const key of [undefined, "svc_wrong"]) {
      const reply = await world.gateway.request("POST", "/v1/audio/music", { ...(key !== undefined && { key }), body: { prompt } });
      expect([reply.status, reply.json.error.code, reply.json.error.type]).toEqual([401, "auth_error", "authentication_error"]);
    }
  });

  test("billing_error: what it needs and what is there", async () => {
    const poor = await world.account({ deposit: "1" });
    const reply = await music({ prompt, music_length_ms: 8000 }, "", poor);
    expect([reply.status, reply.json.error.code, reply.json.error.type]).toEqual([402, "billing_error", "billing_error"]);
    expect(reply.json).toMatchObject({ need_usd: 1.08, have_usd: 1, required: 1.08, balance: 1 });
    await world.expectUntouched(poor, 1);
    expect((await music({ prompt, music_length_ms: 7407 }, "", poor)).headers["x-svc-balance-usd"]).toBe("0.000055");
  });

  test("model_requires_paid: an account that never added credits", async () => {
    const reply = await music({ prompt }, "", await world.account({ signupCredit: true }));
    expect([reply.status, reply.json.error.code]).toEqual([402, "model_requires_paid"]);
  });
});

describe("upstreams that fail", () => {
  test.each([
    ["demo/refusing", 400, "content_refused"],
    ["demo/rejecting", 400, "invalid_request"],
    ["demo/unreadable", 502, "provider_error"],
    ["demo/down", 502, "provider_error"],
    ["demo/gone", 502, "provider_error"],
    ["demo/unpaid", 502, "provider_error"],
    ["demo/noise", 502, "provider_error"],
  ])("%s: %i %s, free, kept nowhere", async (model, status, code) => {
    const before = mediaFiles();
    for (const query of ["", "?save_to_blob=1"]) {
      const reply = await music({ prompt, model }, query);
      expect([reply.status, reply.json.error.code]).toEqual([status, code]);
      expect(await world.logOf(reply)).toMatchObject({ status: "failed", http_status: status, error_code: code, cost: 0n });
    }
    await world.expectUntouched(account);
    expect(mediaFiles()).toEqual(before);
  });
});

describe("what can't be charged isn't kept", () => {
  test("a charge that fails: 500 and the file is gone", async () => {
    const by = await world.account();
    const before = mediaFiles();
    const { result: reply } = await whileFailing(world.gateway.context.db, { part: "ledger_settle", code: "XX000" }, () =>
      music({ prompt, music_length_ms: 3000 }, "?save_to_blob=1", by),
    );
    expect([reply.status, reply.json.error.code]).toEqual([500, "internal_error"]);
    expect(mediaFiles()).toEqual(before);
    const { pool } = world.gateway.context.db;
    await pool.query("update hold set expires_at = now() - interval '1 minute' where account_id = $1", [by.accountId]);
    await pool.query("select ledger_sweep('1 minute')");
    await world.expectUntouched(by);
  });

  test("a disconnect before it is stored: it is made to its end and paid for, and not stored", async () => {
    const by = await world.account();
    const before = mediaFiles();
    const controller = new AbortController();
    const asking = world.gateway.request("POST", "/v1/audio/music?save_to_blob=1", {
      key: by.key,
      body: { prompt, model: "demo/paced" },
      signal: controller.signal,
    });
    const left = expect(asking).rejects.toThrow();
    await expect.poll(() => world.gateway.simulator.calls()[0]?.records ?? 0).toBeGreaterThan(0);
    controller.abort();
    await left;
    const { status, cost, reserved } = await world.onlyLog(by);
    expect({ status, cost }).toEqual({ status: "aborted", cost: reserved });
    expect(world.gateway.simulator.counters()).toMatchObject({ answered: 1, aborted: 0 });
    await expect.poll(mediaFiles).toEqual(before);
  });
});
