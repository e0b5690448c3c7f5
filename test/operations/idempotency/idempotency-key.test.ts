// The header `Idempotency-Key` on every operation that is charged: carried out and charged once, whatever repeats, races or breaks.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { OperationId } from "../../../generated/operations.ts";
import { connect } from "../../../src/db/connect.ts";
import { keptAnswerMax, sweepKeys } from "../../../src/ledger/idempotency.ts";
import { wavFile } from "../../simulator/audio-check.ts";
import { eventually } from "../../support/eventually.ts";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";
import { chatWorld, hello, language } from "../chat/chat-gateway.ts";
import { decisions, parcel } from "../decisions/decisions.ts";
import { familyB, perSecond, soundModel } from "../speech/speech-gateway.ts";
import { formOf, transcriber } from "../transcriptions/transcription-gateway.ts";

const maker = (id: string, capability: string) => ({
  ...{ id, type: "speech", capability, voice_family: "provider_b", pricing: { mode: "per-call", usd_per_call: 0.5 } },
  routes: [{ provider: "voices-b", model: "maker" }],
});
const byTokens = (id: string, type: string, provider: string) => ({
  ...{ id, type, context_window: 8_192, pricing: { mode: "per-token", input: 1 } },
  routes: [{ provider, model: "any" }],
});
const world = chatWorld(
  [
    language("demo/chat", ["chat"]),
    language("demo/slow", ["chat+sim-slow-600ms"]),
    language("demo/failing", ["chat+sim-fail-503"]),
    language("demo/cut", ["chat+sim-cut-after-3"]),
    decisions(["chat"]),
    byTokens("demo/vectors", "embedding", "north"),
    byTokens("demo/rank", "reranking", "ranks"),
    familyB("demo/voice"),
    perSecond("demo/music"),
    soundModel("demo/sound"),
    transcriber("demo/stt", ["stt"], { supports_translation: true }),
    maker("demo/clone", "voice-clone"),
    maker("demo/design", "voice-design"),
  ],
  {
    tiers: highTiers({ audio_concurrent: 100, audio_concurrent_per_capability: { transcription: 100, understanding: 2, speech: 100 } }),
    providers: [
      ...["north", "south", "west"].map((id) => ({ id, protocol: "openai", base_url: "simulator:/v1" })),
      { id: "ranks", protocol: "rerank", base_url: "simulator:/rerank" },
      ...["voices-b", "spare-b"].map((id) => ({ id, protocol: "minimax", base_url: "simulator:/minimax" })),
      ...["voices-a", "spare-a"].map((id) => ({ id, protocol: "elevenlabs", base_url: "simulator:/elevenlabs" })),
      { id: "studio", protocol: "fal", base_url: "simulator:/fal" },
    ],
  },
);

interface Asked {
  path: string;
  body: unknown;
  type?: string; // of a form
}
let forms: { recording: { body: Buffer; type: string }; sample: { body: Buffer; type: string } };
beforeAll(async () => {
  forms = {
    recording: await formOf({ model: "demo/stt" }, wavFile(3)),
    sample: await formOf({ name: "Ada" }, wavFile(11)),
  };
});

const chatBody = { model: "demo/chat", messages: hello, max_tokens: 20 };
/** Each operation with a request that is charged; `n` makes it another one. */
const asks: Partial<Record<OperationId, (n: number) => Asked>> = {
  createChatCompletion: (n) => ({ path: "/v1/chat/completions", body: { ...chatBody, max_tokens: 20 + n } }),
  createMessage: (n) => ({ path: "/v1/messages", body: { ...chatBody, max_tokens: 20 + n } }),
  createResponse: (n) => ({ path: "/v1/responses", body: { model: "demo/chat", input: `Hello ${n}`, store: false } }),
  compactResponse: (n) => ({ path: "/v1/responses/compact", body: { model: "demo/chat", input: `Hello ${n}` } }),
  createCompletion: (n) => ({ path: "/v1/completions", body: { model: "demo/chat", prompt: `Hello ${n}` } }),
  createEmbeddings: (n) => ({ path: "/v1/embeddings", body: { model: "demo/vectors", input: `Hello ${n}` } }),
  createRerank: (n) => ({ path: "/v1/rerank", body: { model: "demo/rank", query: `ferry ${n}`, documents: ["a", "b"] } }),
  createDecision: (n) => ({ path: "/v1/decisions", body: { ...parcel, state: `${parcel.state} ${n}` } }),
  createSystemOneDecision: (n) => ({ path: "/v1/systemone", body: { ...parcel, state: `${parcel.state} ${n}` } }),
  createSpeech: (n) => ({ path: "/v1/audio/speech", body: { model: "demo/voice", input: `Hello ${n}` } }),
  createMusic: (n) => ({ path: "/v1/audio/music", body: { model: "demo/music", prompt: `calm ${n}`, music_length_ms: 1000 } }),
  createSoundEffect: (n) => ({ path: "/v1/audio/sfx", body: { model: "demo/sound", prompt: `rain ${n}`, duration_seconds: 1 } }),
  createTranscription: (n) => ({ path: "/v1/audio/transcriptions", ...withField(forms.recording, n, ["language", "en"]) }),
  createTranslation: (n) => ({ path: "/v1/audio/translations", ...withField(forms.recording, n, ["prompt", "Ada"]) }),
  cloneVoice: (n) => ({ path: "/v1/audio/voice-clone", ...withField(forms.sample, n, ["model", "demo/clone"]) }),
  designVoice: (n) => ({ path: "/v1/audio/voice-design", body: { description: `An old sailor ${n}` } }),
};

/** The same form, with another field where `n` is not 0. */
function withField(
  { body, type }: { body: Buffer; type: string },
  n: number,
  [name, value]: [string, string],
): Pick<Asked, "body" | "type"> {
  const boundary = type.split("boundary=")[1];
  const part = `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  return { body: n === 0 ? body : Buffer.concat([Buffer.from(part), body]), type };
}

function send({ key }: TestAccount, { path, body, type }: Asked, idempotencyKey?: string, signal?: AbortSignal): Promise<TestReply> {
  return world.gateway.request("POST", path, {
    ...{ key, body },
    headers: {
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      ...(type === undefined ? {} : { "content-type": type }),
    },
    ...(signal && { signal }),
  });
}

/** Rerank's older format says the code as its type. */
const codeOf = ({ json }: TestReply) => (json.error.code ?? json.error.type) as string;
const charges = async ({ accountId }: TestAccount) =>
  (await world.gateway.context.db.pool.query("select 1 from ledger_entry where account_id = $1 and kind = 'usage'", [accountId])).rows
    .length;
const rowsOf = async (key: string) =>
  (await world.gateway.context.db.pool.query<{ call_id: string }>("select call_id from idempotency_key where key = $1", [key])).rows;
const change = (key: string, set: string) => world.gateway.context.db.pool.query(`update idempotency_key set ${set} where key = $1`, [key]);
const withoutAnswer = "status = null, headers = null, body = null";

describe.each(Object.keys(asks) as OperationId[])("%s", (operation) => {
  const ask = (n = 0) => asks[operation]!(n);

  test("the same key and request: the same answer, charged once; another request or a lost answer: 409", async () => {
    const account = await world.account();
    const key = randomUUID();
    const first = await send(account, ask(), key);
    expect([first.status, await charges(account)]).toEqual([200, 1]);
    const { balance } = await world.gateway.balance(account);
    const again = await send(account, ask(), key);
    expect([again.status, again.bytes.equals(first.bytes)]).toEqual([200, true]);
    for (const name of Object.keys(first.headers).filter((name) => name === "content-type" || name.startsWith("x-svc")))
      expect([name, again.headers[name]]).toEqual([name, first.headers[name]]);
    const other = await send(account, ask(1), key);
    expect([other.status, codeOf(other)]).toEqual([409, "idempotency_key_reused"]);
    await change(key, `${withoutAnswer}, owner = null`);
    const lost = await send(account, ask(), key);
    expect([lost.status, codeOf(lost)]).toEqual([409, "idempotency_replayed"]);
    await change(key, `${withoutAnswer}, owner = (select id from replica limit 1)`);
    const running = await send(account, ask(), key);
    expect([running.status, codeOf(running), running.headers["retry-after"]]).toEqual([409, "idempotency_in_progress", "1"]);
    expect([await charges(account), (await world.gateway.balance(account)).balance]).toEqual([1, balance]);
  });
});

describe("a key", () => {
  const chat = (model: string, more: object = {}): Asked => ({
    path: "/v1/chat/completions",
    body: { ...chatBody, model: `demo/${model}`, ...more },
  });

  test("50 at once: one charge; the others are told that it runs, or get its answer", async () => {
    const account = await world.account();
    const key = randomUUID();
    const replies = await Promise.all(Array.from({ length: 50 }, () => send(account, chat("slow"), key)));
    expect(replies.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect(new Set(replies.filter(({ status }) => status === 409).map(codeOf))).toEqual(new Set(["idempotency_in_progress"]));
    expect(new Set(replies.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBe(1);
    expect(await charges(account)).toBe(1);
  });

  test("belongs to its account and its endpoint; the first 128 characters count", async () => {
    const [one, other] = [await world.account(), await world.account()];
    const key = "k".repeat(128);
    const first = await send(one, chat("chat"), key);
    expect((await send(one, chat("chat"), `${key}x`)).text).toBe(first.text);
    expect((await send(other, chat("chat"), key)).status).toBe(200);
    expect((await send(one, asks.createCompletion!(0), key)).status).toBe(200);
    expect([await charges(one), await charges(other)]).toEqual([2, 1]);
  });

  test("of a request that failed, uncharged, is free again", async () => {
    const account = await world.account({});
    const key = randomUUID();
    expect((await send(account, chat("failing"), key)).status).toBe(402);
    await world.gateway.context.db.pool.query(
      "insert into ledger_entry (account_id, created_at, id, kind, amount, ref) values ($1, now(), gen_random_uuid(), 'deposit', 2000000000, 'test')",
      [account.accountId],
    );
    await eventually(async () => expect((await send(account, chat("failing"), key)).status).toBe(503));
    expect(await rowsOf(key)).toEqual([]);
    expect((await send(account, chat("chat"), key)).status).toBe(200);
    expect(await charges(account)).toBe(1);
  });

  test("of a finished stream: idempotency_replayed, charged once; of one that runs: in progress; of a broken one: free again", async () => {
    const account = await world.account();
    const [whole, broken] = [randomUUID(), randomUUID()];
    const running = send(account, chat("slow", { stream: true }), whole);
    await eventually(async () => expect(await rowsOf(whole)).toHaveLength(1));
    expect(codeOf(await send(account, chat("slow", { stream: true }), whole))).toBe("idempotency_in_progress");
    expect((await running).text).toContain("[DONE]");
    await eventually(async () => {
      const again = await send(account, chat("slow", { stream: true }), whole);
      expect([again.status, codeOf(again)]).toEqual([409, "idempotency_replayed"]);
    });
    expect(await charges(account)).toBe(1);
    expect((await send(account, chat("cut", { stream: true }), broken)).text).toContain("stream_interrupted");
    await eventually(async () => expect((await send(account, chat("cut", { stream: true }), broken)).status).toBe(200));
    expect(await charges(account)).toBe(1);
  });

  test("of a client that disconnected before its answer: the call is read to its end and charged once; the same request gets its answer", async () => {
    const account = await world.account();
    const key = randomUUID();
    const leaving = new AbortController();
    const left = send(account, chat("slow"), key, leaving.signal).catch(() => null);
    await eventually(async () => expect((await world.gateway.audit()).reservations_open).toBe(1));
    leaving.abort();
    await left;
    await eventually(async () => expect(await charges(account)).toBe(1));
    await eventually(async () => {
      const again = await send(account, chat("slow"), key);
      expect([again.status, again.json.choices?.length]).toEqual([200, 1]);
    });
    expect(await charges(account)).toBe(1);
    const logged = "select status, http_status from usage_log where account_id = $1";
    expect((await world.gateway.context.db.pool.query(logged, [account.accountId])).rows).toEqual([
      { status: "aborted", http_status: 499 },
    ]);
  });

  test("of a process that died: busy while its hold is there, then free; where it was charged, replayed", async () => {
    const account = await world.account();
    const { pool } = world.gateway.context.db;
    const [held, charged] = [randomUUID(), randomUUID()];
    const dead = randomUUID();
    const claim = async (key: string) => {
      await send(account, chat("chat"), key);
      await change(key, `${withoutAnswer}, owner = '${dead}', call_id = gen_random_uuid(), received_at = now()`);
      return (await rowsOf(key))[0]!.call_id;
    };
    const [id, other] = [await claim(held), await claim(charged)];
    const owner = (await pool.query<{ id: string }>("select id from replica limit 1")).rows[0]!.id;
    await pool.query("insert into hold (account_id, id, amount, owner, expires_at) values ($1, $2, 5, $3, now() + interval '1 hour')", [
      account.accountId,
      id,
      owner,
    ]);
    expect(codeOf(await send(account, chat("chat"), held))).toBe("idempotency_in_progress");
    await pool.query("delete from hold where id = $1", [id]); // as the sweep does
    expect((await send(account, chat("chat"), held)).status).toBe(200);
    await pool.query(
      "insert into ledger_entry (account_id, created_at, id, kind, amount, ref) values ($1, now(), $2, 'usage', -5, 'raw')",
      [account.accountId, other],
    );
    expect(codeOf(await send(account, chat("chat"), charged))).toBe("idempotency_replayed");
  });

  test("whose end could not be written is busy for 10 minutes, then free; where it was charged, replayed", async () => {
    const account = await world.account();
    const [failed, charged] = [randomUUID(), randomUUID()];
    for (const key of [failed, charged]) await send(account, chat("chat"), key);
    const unwritten = `${withoutAnswer}, owner = (select id from replica limit 1)`;
    await change(failed, `${unwritten}, call_id = gen_random_uuid(), received_at = now() - interval '9 minutes'`);
    expect(codeOf(await send(account, chat("chat"), failed))).toBe("idempotency_in_progress");
    await change(failed, "received_at = now() - interval '11 minutes'");
    expect((await send(account, chat("chat"), failed)).status).toBe(200);
    await change(charged, `${unwritten}, received_at = now() - interval '11 minutes'`);
    expect(codeOf(await send(account, chat("chat"), charged))).toBe("idempotency_replayed");
  });

  test("an answer over 1 MB is not kept: idempotency_replayed", async () => {
    const account = await world.account();
    const key = randomUUID();
    const long = {
      path: "/v1/audio/music",
      body: { model: "demo/music", prompt: "calm", music_length_ms: 120_000, output_format: "pcm_44100" },
    };
    const first = await send(account, long, key);
    expect([first.status, first.bytes.length > keptAnswerMax]).toEqual([200, true]);
    expect(codeOf(await send(account, long, key))).toBe("idempotency_replayed");
    expect(await charges(account)).toBe(1);
  });

  test("is forgotten after 24 hours, and swept; answers beyond an account's 64 MB go, the oldest first", async () => {
    const account = await world.account();
    const { pool } = world.gateway.context.db;
    const [old, new1, new2] = [randomUUID(), randomUUID(), randomUUID()];
    for (const key of [old, new1, new2]) await send(account, chat("chat"), key);
    await change(old, "received_at = received_at - interval '24 hours'");
    expect((await send(account, chat("chat"), old)).status).toBe(200);
    expect(await charges(account)).toBe(4);
    await change(old, "received_at = received_at - interval '24 hours'");
    await change(new1, "received_at = received_at - interval '1 hour'");
    const own = connect(world.gateway.databaseUrl, { max: 1, statementTimeoutMs: 0 }); // so much may take longer than a gateway waits for its database
    await own.pool.query("update idempotency_key set body = decode(repeat('00', 40000000), 'hex') where key = any($1)", [[new1, new2]]);
    await own.close();
    const kept = "select key, body is not null as kept from idempotency_key where key = any($1) order by received_at";
    await eventually(async () => {
      await sweepKeys({ pool }, new Date()); // does nothing while the gateway's own sweep is at work
      const { rows } = await pool.query<{ key: string; kept: boolean }>(kept, [[old, new1, new2]]);
      expect(rows.map((row) => [row.key, row.kept])).toEqual([[new1, false], [new2, true]]); // prettier-ignore
    });
  });

  test("without the header a call writes no row", async () => {
    const account = await world.account();
    await send(account, chat("chat"));
    const { rows } = await world.gateway.context.db.pool.query("select 1 from idempotency_key where account_id = $1", [account.accountId]);
    expect(rows).toEqual([]);
  });
});
