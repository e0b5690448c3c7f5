// What POST /v1/audio/speech refuses: every declared code, in the documented order, without a charge.
import { beforeAll, describe, expect, test } from "vitest";
import type { TestAccount } from "../../support/gateway.ts";
import { familyA, familyB, speechWorld } from "./speech-gateway.ts";

const failing = (id: string, directive: string) => familyA(id, [`multilingual+${directive}`, `multilingual+${directive}`]);

const world = speechWorld(
  [
    familyA("demo/a"),
    familyA("demo/paused", ["multilingual"], { state: { paused: true } }),
    familyA("demo/voiceless", ["multilingual"], { default_voice: undefined }),
    familyB("demo/b"),
    familyB("demo/spare-b", [], { routes: [{ provider: "spare-b", model: "speech-hd" }] }),
    failing("demo/refusing", "sim-refuse"),
    failing("demo/rejecting", "sim-reject"),
    failing("demo/unreadable", "sim-bad-json"),
    failing("demo/empty", "sim-empty"),
    failing("demo/down", "sim-fail-503"),
    failing("demo/limited", "sim-429"),
    failing("demo/gone", "sim-404"),
    failing("demo/unpaid", "sim-quota"),
    familyA("demo/mixed", ["multilingual+sim-fail-503", "multilingual+sim-bad-json"]),
    familyA("demo/half-refusing", ["multilingual+sim-refuse", "multilingual"]),
    {
      id: "demo/song",
      type: "speech",
      capability: "music",
      pricing: { mode: "per-second", usd_per_second: 0.135 },
      routes: [{ provider: "voices-a", model: "music" }],
    },
    {
      id: "demo/chat",
      type: "language",
      context_window: 1000,
      max_output_tokens: 100,
      pricing: { mode: "per-token", input: 1, output: 1, cached: 1 },
      routes: [{ provider: "north", model: "chat" }],
    },
  ],
  { defaults: { speech: "demo/a" } },
);

let account: TestAccount;
let other: TestAccount;
const mine = "svcv_00000000000000000000000000000001";
const theirs = "svcv_00000000000000000000000000000002";
const elsewhere = "svcv_00000000000000000000000000000003";

beforeAll(async () => {
  account = await world.account();
  other = await world.account();
  await fileVoice(mine, account, "voices-b");
  await fileVoice(theirs, other, "voices-b");
  await fileVoice(elsewhere, account, "closed-provider");
});

async function fileVoice(voiceId: string, { accountId }: TestAccount, provider: string): Promise<void> {
  const sql = `insert into voice (voice_id, account_id, provider, model, name, call_id, cost, created_at)
    values ($1, $2, $3, 'demo/clone', 'Mine', gen_random_uuid(), 0, now())`;
  await world.gateway.context.db.pool.query(sql, [voiceId, accountId, provider]);
}

const received = () => world.gateway.simulator.counters().received;
const refused = async (body: unknown, by = account) => {
  const reply = await world.ask(by, body);
  expect(received()).toBe(0);
  return [reply.status, reply.json.error.code, reply.json.error.param ?? null];
};

describe("400 invalid_request", () => {
  const input = "Hello";
  test.each([
    ["no JSON", "{", null],
    ["nothing to say", {}, "input"],
    ["an empty text", { input: "" }, "input"],
    ["blanks", { input: " \n\t " }, "input"],
    ["characters without a shape", { text: "\u200b\u200d\ufeff" }, "text"],
    ["an empty input, whatever `text` says", { input: "", text: "Hello" }, "input"],
    ["a number as text", { input: 5 }, "input"],
    ["a NUL", { input: "a\0b" }, "input"],
    ["a format that OpenAI has", { input, response_format: "opus" }, "response_format"],
    ["a setting out of range", { input, voice_settings: { stability: 1.5 } }, "voice_settings.stability"],
    ["`stream` as a word", { input, stream: "yes" }, "stream"],
    ["a voice as a number", { input, voice: 7 }, "voice"],
    ["a voice without an id", { input, voice: {} }, "voice.id"],
    ["a voice without a name", { input, voice_id: "" }, "voice_id"],
    ["a model without a voice of its own", { input, model: "demo/voiceless" }, "voice_id"],
  ])("%s", async (_, body, param) => {
    expect(await refused(body)).toEqual([400, "invalid_request", param]);
    await world.expectUntouched(account);
  });

  test("no reason ends with two stops", async () => {
    const reply = await world.ask(account, { input, model: "demo/a", voice: "unknown-one" });
    expect(reply.json.error.message).toMatch(/[^.]\.$/);
    expect((await world.ask(account, { input, model: "demo/rejecting" })).json.error.message).toMatch(/[^.]\.$/);
  });

  test("the formats are listed", async () => {
    const reply = await world.ask(account, { input, response_format: "flac" });
    expect(reply.json.error.message).toContain("ulaw_8000");
    expect(reply.json.error.message).toContain("mp3_44100_128");
  });

  test.each([
    ["../../v1/user"],
    ["..%2f..%2fv1%2fuser"],
    [".."],
    ["."],
    ["a/b"],
    ["a\\b"],
    ["voice?output_format=wav"],
    ["voice#"],
    ["a%00"],
    ["a\r\nx-evil: 1"],
    ["a\u0085b"],
    ["a\u2028b"],
    ["a\u202eb"],
    ["\ud800"],
    ["x".repeat(257)],
    ["x".repeat(10_000)],
  ])("the voice %j never becomes part of another address", async (voice) => {
    for (const model of ["demo/a", "demo/b"]) {
      expect((await refused({ model, input, voice })).slice(0, 2)).toEqual([400, "invalid_request"]);
      expect((await refused({ model, input, voice_id: voice })).slice(0, 2)).toEqual([400, "invalid_request"]);
      expect((await refused({ model, input, voice: { id: voice } })).slice(0, 2)).toEqual([400, "invalid_request"]);
    }
  });

  test.each([["A b"], ["Ünïcode 声"], ["a&b=c+d;e"], ["(Mandarin) Lady, née"], ["x".repeat(256)]])(
    "the voice %j stays one part of the provider's address",
    async (voice) => {
      await world.ask(account, { input, voice });
      const { path } = world.gateway.simulator.calls()[0]!;
      expect(decodeURIComponent(path.split("?")[0]!.split("/").at(-1)!)).toBe(voice);
    },
  );

  test("a voice that the provider doesn't know", async () => {
    const reply = await world.ask(account, { input, voice_id: "nobody-at-all" });
    expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([400, "invalid_request", "voice_id"]);
    await world.expectUntouched(account);
    expect(await world.logOf(reply)).toMatchObject({ status: "failed", error_code: "invalid_request", cost: 0n });
  });

  test("what the upstream finds wrong", async () => {
    const reply = await world.ask(account, { model: "demo/rejecting", input });
    expect([reply.status, reply.json.error.code]).toEqual([400, "invalid_request"]);
    expect(received()).toBe(1);
    await world.expectUntouched(account);
  });
});

describe("400 input_too_long", () => {
  test.each([
    ["5001 letters", "x".repeat(5001), "5001"],
    ["5001 emoji", "😀".repeat(5001), "5001"],
    ["5001 letters with an accent each", "e\u0301".repeat(5001), "5001"],
    ["5001 marks behind one letter", `q${"\u0327".repeat(5001)}`, "5002"],
    ["a million letters", "x".repeat(1_000_000), "far more than 5000"],
  ])("%s", async (_, input, count) => {
    const reply = await world.ask(account, { input });
    expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([400, "input_too_long", "input"]);
    expect(reply.json.error.message).toContain(`${count} characters`);
    expect(received()).toBe(0);
  });

  test("25 MB of marks in the worst order block no other request", async () => {
    const input = `e${"\u0301".repeat(6_000_000)}${"\u0327".repeat(6_000_000)}`;
    expect(await refused({ input })).toEqual([400, "input_too_long", "input"]);
    const mixed = `e${"\u0301".repeat(4_000)}${"\u0327".repeat(4_000)}`;
    expect(await refused({ text: mixed })).toEqual([400, "input_too_long", "text"]);
  });
});

describe("models", () => {
  test.each([
    ["demo/song", 400, "not_a_tts_model"],
    ["demo/chat", 400, "not_a_tts_model"],
    ["demo/paused", 404, "model_not_found"],
    ["demo/none", 404, "model_not_found"],
  ])("%s: %i %s", async (model, status, code) => {
    expect(await refused({ model, input: "Hello" })).toEqual([status, code, "model"]);
    await world.expectUntouched(account);
  });

  test("a near miss is named", async () => {
    const reply = await world.ask(account, { model: "demo/refusin", input: "Hello" });
    expect(reply.json.did_you_mean).toBe("demo/refusing");
  });
});

describe("voices of accounts", () => {
  test("403 voice_not_owned: another account's, with either family", async () => {
    for (const model of ["demo/a", "demo/b"]) {
      expect(await refused({ model, input: "Hello", voice_id: theirs })).toEqual([403, "voice_not_owned", "voice_id"]);
      expect(await refused({ model, input: "Hello", voice: { id: mine } }, other)).toEqual([403, "voice_not_owned", "voice.id"]);
    }
    const reply = await world.ask(account, { model: "demo/b", input: "Hello", voice: theirs });
    expect(reply.headers).not.toHaveProperty("x-should-retry");
    expect(reply.json.error).not.toHaveProperty("retryable");
    await world.expectUntouched(account);
  });

  test("400 invalid_request: one's own with a family A model, or where no route leads to its provider", async () => {
    expect(await refused({ input: "Hello", voice_id: mine })).toEqual([400, "invalid_request", "voice_id"]);
    expect(await refused({ model: "demo/spare-b", input: "Hello", voice_id: mine })).toEqual([400, "invalid_request", "voice_id"]);
    expect(await refused({ model: "demo/b", input: "Hello", voice_id: elsewhere })).toEqual([400, "invalid_request", "voice_id"]);
  });

  test("whose it is comes before the free-tier gate", async () => {
    const poor = await world.account({ signupCredit: true });
    expect(await refused({ model: "demo/b", input: "Hello", voice_id: theirs }, poor)).toEqual([403, "voice_not_owned", "voice_id"]);
    expect((await refused({ model: "demo/b", input: "Hello" }, poor)).slice(0, 2)).toEqual([402, "model_requires_paid"]);
  });
});

describe("upstreams that fail", () => {
  test.each([
    ["demo/refusing", 400, "content_refused", 2],
    ["demo/unreadable", 502, "tts_failed", 2],
    ["demo/empty", 502, "tts_failed", 2],
    ["demo/down", 503, "provider_unavailable", 2],
    ["demo/limited", 503, "provider_unavailable", 2],
    ["demo/unpaid", 503, "provider_unavailable", 2],
    ["demo/mixed", 503, "provider_unavailable", 2],
    ["demo/gone", 503, "model_unavailable", 2],
  ])("%s: %i %s after every route, and nothing is charged", async (model, status, code, calls) => {
    const fresh = await world.account();
    const reply = await world.ask(fresh, { model, input: "Hello" });
    expect([reply.status, reply.json.error.code]).toEqual([status, code]);
    expect(received()).toBe(calls);
    await world.expectUntouched(fresh);
    expect(await world.logOf(reply)).toMatchObject({ status: "failed", http_status: status, error_code: code, cost: 0n, units: "0" });
    expect(reply.text).not.toMatch(/eleven|voices-a|spare-a|multilingual/i);
  });

  test("one route refuses the text, the other says it", async () => {
    expect((await world.ask(account, { model: "demo/half-refusing", input: "Hello" })).status).toBe(200);
  });
});
