// Clients that read in sips, over every kind of stream that can be longer than what is under way: the provider gives them up, they pay for what it made,
// and it is no fault of the route (docs/behaviour/streams.md#disconnects). A streamed transcript can't be so long: its recording bounds it.
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { UsageLogRow } from "../../../src/ledger/usage-log.ts";
import { eventually } from "../../support/eventually.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { drawn } from "../../support/size.ts";
import { highTiers } from "../../support/tiers.ts";
import { openWebSocket, textFrame } from "./client.ts";
import { cloudEnvironment } from "./forms.ts";
import { ended, judge } from "./judge.ts";

const wide = "+sim-drop-stalled-2500ms+sim-big-65536+sim-tokens-900"; // 59 MB, more than any buffer on the way
const long = "+sim-drop-stalled-2500ms+sim-seconds-1200"; // of 24,000 samples a second: 57 MB
const messages = [{ role: "user", content: "Go on" }];
const cap = { max_tokens: 1_000, stream: true };

type Protocol = "openai" | "anthropic" | "gemini" | "bedrock" | "cohere" | "elevenlabs" | "minimax";
interface Case {
  name: string;
  protocol: Protocol;
  path: string;
  body: object;
  /** How the client learns that it was given up; null: its connection is cut. */
  says: RegExp | null;
}

const chat = (protocol: Protocol): Case => ({
  ...{ name: `chat over ${protocol}`, protocol, path: "/v1/chat/completions", body: { messages, ...cap } },
  says: /stream_interrupted/,
});
const cases: Case[] = [
  ...(["openai", "anthropic", "gemini", "bedrock", "cohere"] as const).map(chat),
  { name: "messages over openai", protocol: "openai", path: "/v1/messages", body: { messages, ...cap }, says: /"type":"api_error"/ },
  { name: "messages over anthropic", protocol: "anthropic", path: "/v1/messages", body: { messages, ...cap }, says: /"type":"api_error"/ },
  {
    ...{ name: "responses over openai", protocol: "openai", path: "/v1/responses", says: /response\.failed/ },
    body: { input: "Go on", max_output_tokens: 1_000, stream: true },
  },
  {
    name: "completions over openai",
    protocol: "openai",
    path: "/v1/completions",
    body: { prompt: "Go on", ...cap },
    says: /stream_interrupted/,
  },
  {
    name: "a turn of a WebSocket",
    protocol: "openai",
    path: "",
    body: { input: "Go on", max_output_tokens: 1_000 },
    says: /response\.failed/,
  },
  {
    ...{ name: "speech in pieces", protocol: "elevenlabs", path: "/v1/audio/speech", says: null },
    body: { input: "Go on", response_format: "pcm" },
  },
  {
    ...{ name: "speech, streamed", protocol: "minimax", path: "/v1/audio/speech", says: null },
    body: { input: "Go on", response_format: "pcm", stream: true },
  },
];
const isSpeech = ({ path }: Case) => path === "/v1/audio/speech";

/** A model of its own, so that its call upstream is known by it. */
const upstreamOf = (one: Case) => `any-${cases.indexOf(one)}${isSpeech(one) ? long : wide}`;

function modelOf(one: Case): object {
  const id = `m/${cases.indexOf(one)}`;
  const route = { provider: one.protocol, model: upstreamOf(one) };
  const isFirst = one.protocol === "elevenlabs";
  if (isSpeech(one))
    return {
      ...{ id, type: "speech", voice_family: `provider_${isFirst ? "a" : "b"}`, default_voice: isFirst ? "lyra-narrator" : "calm-woman" },
      ...{ pricing: { mode: "per-1k-chars", usd_per_1k_chars: 0.4 }, routes: [{ ...route, cost: { per_1k_chars: 0.4 } }] },
    };
  return {
    ...{ id, type: "language", context_window: 8_000, max_output_tokens: 1_000, pricing: { mode: "per-token", input: 1, output: 2 } },
    routes: [{ ...route, cost: { input: 1, output: 2 } }],
  };
}

let gateway: Gateway;
beforeAll(async () => {
  const provider = (id: Protocol, path: string, more = {}) => ({ id, protocol: id, base_url: `simulator:${path}`, ...more });
  const providers = [
    provider("openai", "/openai/v1"),
    provider("anthropic", "/anthropic/v1"),
    provider("gemini", "/gemini"),
    provider("bedrock", "/bedrock", { region: "us-east-1", api_key_env: "CLOUD_KEY" }),
    provider("cohere", "/cohere", { api_key_env: "CLOUD_KEY" }),
    provider("elevenlabs", "/elevenlabs"),
    provider("minimax", "/minimax"),
  ];
  gateway = await startGateway({
    catalog: JSON.stringify({ providers, models: cases.map(modelOf), tiers: highTiers() }),
    env: cloudEnvironment,
  });
});
afterAll(async () => {
  await eventually(async () => expect(await gateway.audit()).toMatchObject({ reservations_open: 0, holds_open: 0, mismatches: [] }));
  await gateway.stop();
});

function open({ path, body }: Case, key: string, model: string): Promise<{ call: ClientRequest; reply: Readable }> {
  const asked = { model, ...body };
  const call =
    path === ""
      ? openWebSocket(gateway.url, key)
      : request(gateway.url + path, {
          ...{ method: "POST", agent: false },
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "anthropic-version": "2023-06-01" },
        });
  call.on("error", () => undefined).end(path === "" ? undefined : JSON.stringify(asked));
  return new Promise((resolve) => {
    call.once("response", (reply) => resolve({ call, reply }));
    call.once("upgrade", (_reply, socket) => {
      socket.write(textFrame(JSON.stringify({ type: "response.create", ...asked })));
      resolve({ call, reply: socket });
    });
  });
}

/** Reads on at once, and returns whether it is told; little is looked at, since gateway and provider run in the same process. */
function isTold(reply: Readable, says: RegExp | null): Promise<boolean> {
  let tail = "";
  return new Promise((resolve) => {
    const over = () => resolve(says === null && !(reply as IncomingMessage).complete);
    reply.once("close", over).once("end", over);
    reply.on("data", (piece: Buffer) => {
      const text = tail + piece.toString("latin1");
      if (says?.test(text)) resolve(true);
      tail = text.slice(-100);
    });
  });
}

test.each(drawn(cases, 2))("$name: pays for what the provider made until it gave up, and the route is not to blame", async (one) => {
  const account = await gateway.createAccount({ deposit: "10" });
  const upstream = () => gateway.simulator.calls().filter(({ model }) => model === upstreamOf(one));
  const { call, reply } = await open(one, account.key, `m/${cases.indexOf(one)}`);
  reply.on("error", () => undefined);
  while (upstream().every(({ outcome }) => outcome === "open")) {
    reply.read(Math.min(1_024, reply.readableLength));
    await pause(50);
  }
  expect(await isTold(reply, one.says)).toBe(true);
  const readRow = async () =>
    (await gateway.context.db.pool.query<UsageLogRow>("select * from usage_log where account_id = $1", [account.accountId])).rows[0];
  const end = await ended(gateway, ({ model }) => model === upstreamOf(one), readRow);
  call.destroy();
  reply.destroy();
  expect(end.row).toMatchObject({ status: "aborted", http_status: 499, error_code: null, attempts: [{ outcome: "aborted" }] });
  expect(Number(end.row!.cost)).toBeGreaterThan(0);
  judge({ prices: isSpeech(one) ? null : { input: 100n, output: 200n }, guessed: false }, one.name, end);
  expect(gateway.context.breakers.failing()).toEqual([]);
});
