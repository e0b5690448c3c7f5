// What a caller pays who leaves a call, or reads it too slowly, and what becomes of the upstream (docs/behaviour/streams.md#disconnects).
import type { IncomingMessage } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCatalog } from "../../../src/catalog/load.ts";
import type { UsageLogRow } from "../../../src/ledger/usage-log.ts";
import { eventually } from "../../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { oneInThree } from "../../support/size.ts";
import { highTiers } from "../../support/tiers.ts";
import { chat, leaveAfter, openChat, promptTokens } from "../chat-client.ts";

/** Told by the simulator of the same prompt. */
const promptMeasured = 7;
const wide = 65_536;
const hidden = "+sim-reasoning-tokens-500+sim-hidden-reasoning+sim-tokens-12";

interface Row {
  upstream: string;
  reasoning?: boolean;
  provider?: string;
}

const rows: Record<string, Row> = {
  finish: { upstream: `finish+sim-usage-late+sim-pace-60ms${hidden}`, reasoning: true },
  "never-says": { upstream: `never-says+sim-no-usage+sim-pace-40ms${hidden}`, reasoning: true },
  thinks: { upstream: `thinks+sim-pace-40ms${hidden}`, reasoning: true },
  slow: { upstream: `slow+sim-slow-1500ms${hidden}`, reasoning: true },
  fails: { upstream: "fails+sim-slow-800ms+sim-fail-503" },
  image: { upstream: "image+sim-stall-after-3+sim-tokens-12" },
  file: { upstream: "file+sim-stall-after-3+sim-tokens-12" },
  "finishes-and-hangs": { upstream: "hangs+sim-stall-after-14+sim-tokens-12" },
  "drops-slow-readers": { upstream: `drops+sim-drop-stalled-1500ms+sim-big-${wide}+sim-tokens-900` },
  "whole-cancelled": { upstream: "whole-cancelled+sim-hang", provider: "cancels" },
  "thinks-cancelled": { upstream: `thinks-cancelled+sim-stall-after-3${hidden}`, reasoning: true, provider: "cancels" },
  "text-drained": { upstream: "text-drained+sim-pace-40ms+sim-tokens-20", provider: "drains" },
  "thinks-drained": { upstream: "shows+sim-pace-10ms+sim-reasoning-tokens-60+sim-tokens-12", reasoning: true, provider: "drains" },
  "ends-cleanly": { upstream: "ends-cleanly+sim-stall-after-3+sim-left-200" },
  "ends-with-an-error": { upstream: "ends-with-an-error+sim-stall-after-3+sim-left-503" },
  "answers-499": { upstream: "answers-499+sim-hang+sim-left-499", provider: "cancels" },
  "answers-503": { upstream: "answers-503+sim-hang+sim-left-503", provider: "cancels" },
  "answers-nothing": { upstream: "answers-nothing+sim-hang+sim-left-200", provider: "cancels" },
  "refuses-late": { upstream: "refuses-late+sim-hang+sim-left-429", provider: "cancels" },
  queued: { upstream: "queued+sim-hang", provider: "unreachable" },
};

let gateway: Gateway;
/** Takes connections and never answers: no TLS session comes about, so no request is sent. */
const silent: Server = createServer();
let connections = 0;
beforeAll(async () => {
  silent.on("connection", () => (connections += 1));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const provider = (id: string, more = {}) => ({ id, protocol: "openai", base_url: "simulator:/openai/v1", ...more });
  const providers = [
    provider("north"),
    provider("cancels", { on_disconnect: "cancel" }),
    provider("drains", { on_disconnect: "drain" }),
    provider("unreachable", { base_url: `https://127.0.0.1:${(silent.address() as AddressInfo).port}/v1` }),
  ];
  const models = Object.entries(rows).map(([name, { upstream, reasoning = false, provider: from = "north" }]) => ({
    ...{ id: `demo/${name}`, type: "language", context_window: 4_000_000, max_output_tokens: 100_000, supports_reasoning: reasoning },
    ...{ input_modalities: ["text", "image", "file", "audio"], pricing: { mode: "per-token", input: 1, output: 2 } },
    routes: [{ provider: from, model: upstream, cost: { input: 0.5, output: 1 } }],
  }));
  gateway = await startGateway({ catalog: JSON.stringify({ providers, models, tiers: highTiers() }) });
});
afterAll(async () => {
  await eventually(async () => expect(await gateway.audit()).toMatchObject({ reservations_open: 0, holds_open: 0, mismatches: [] }));
  await gateway.stop();
  silent.close();
});

const newAccount = () => gateway.createAccount({ deposit: "10" });
const upstreamOf = (name: string) => gateway.simulator.calls().filter(({ model }) => model === rows[name]!.upstream);
const ask = (account: TestAccount, name: string, more: object = {}) =>
  openChat({ url: gateway.url, key: account.key, model: `demo/${name}`, stream: true, maxTokens: 1_000, ...more });

function rowOf({ accountId }: TestAccount): Promise<UsageLogRow> {
  return eventually(async () => {
    const found = await gateway.context.db.pool.query<UsageLogRow>("select * from usage_log where account_id = $1", [accountId]);
    expect(found.rows).toHaveLength(1);
    return found.rows[0]!;
  });
}

async function expectCharged(account: TestAccount, tokens: { input: number; output: number; estimated: boolean }): Promise<void> {
  const row = await rowOf(account);
  const { status, http_status, estimated } = row;
  const [input, output, cost] = [row.input_tokens, row.output_tokens, row.cost].map(Number);
  expect({ status, http_status, input, output, estimated, cost }).toEqual({
    ...{ status: "aborted", http_status: 499, ...tokens },
    cost: tokens.input * 100 + tokens.output * 200,
  });
  expect(await gateway.balance(account)).toMatchObject({ reserved: 0, spent: cost! / 1e8 });
}

describe("a caller who disconnects", () => {
  test("at the finish reason pays the measured usage that follows, hidden thinking included", async () => {
    const account = await newAccount();
    await leaveAfter(ask(account, "finish"), 14); // role, 12 tokens, finish reason
    await expectCharged(account, { input: promptMeasured, output: 512, estimated: false });
    expect(upstreamOf("finish")).toMatchObject([{ outcome: "answered" }]);
  });

  test("a model that hides its thinking, whose host says no usage, pays for thinking up to its cap", async () => {
    const account = await newAccount();
    await leaveAfter(ask(account, "never-says", { maxTokens: 600 }), 4);
    await expectCharged(account, { input: promptTokens, output: 600, estimated: true });
  });

  test("a model that hides its thinking before its first token, or in mid-stream, has it read to its end and pays for it", async () => {
    for (const records of [0, 5]) {
      const account = await newAccount();
      await leaveAfter(ask(account, "thinks"), records);
      await expectCharged(account, { input: promptMeasured, output: 512, estimated: false });
    }
    expect(upstreamOf("thinks").map(({ outcome }) => outcome)).toEqual(["answered", "answered"]);
  });

  test("a whole answer while it is awaited pays for all of it", async () => {
    const account = await newAccount();
    const call = ask(account, "slow", { stream: false });
    await eventually(() => expect(upstreamOf("slow")).toHaveLength(1), 5);
    call.destroy();
    await expectCharged(account, { input: promptMeasured, output: 512, estimated: false });
  });

  test("a whole answer that then fails pays nothing", async () => {
    const account = await newAccount();
    const call = ask(account, "fails", { stream: false });
    await eventually(() => expect(upstreamOf("fails")).toHaveLength(1), 5);
    call.destroy();
    await expectCharged(account, { input: 0, output: 0, estimated: true });
  });

  test("an image in mid-stream pays what was held for it", async () => {
    const account = await newAccount();
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
    await leaveAfter(ask(account, "image", { more: { messages: [{ role: "user", content: [image] }] } }), 3);
    const row = await rowOf(account);
    const held = Number(row.reserved) - 1_000 * 200; // the cap's part is the output's
    expect(Number(row.input_tokens) * 100).toBeGreaterThan(held - 40 * 100); // all but what is held for the message around it
    expect(row).toMatchObject({ status: "aborted", estimated: true });
    expect(Number(row.cost)).toBe(Number(row.input_tokens) * 100 + Number(row.output_tokens) * 200);
  });

  test.each([
    ["a PDF", { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } }],
    ["a recording", { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } }],
  ])("%s whose host says no usage pays the whole context window", async (_, part) => {
    const account = await newAccount();
    const messages = [{ role: "user", content: [{ type: "text", text: "What is it?" }, part] }];
    await leaveAfter(ask(account, "file", { more: { messages } }), 3);
    const { output_tokens } = await rowOf(account);
    await expectCharged(account, { input: 4_000_000, output: Number(output_tokens), estimated: true });
  });

  oneInThree()("after the finish reason, of a host that then says nothing and stays open, waits for it 10 s at most", async () => {
    const account = await newAccount();
    await leaveAfter(ask(account, "finishes-and-hangs"), 14); // role, 12 tokens, finish reason
    // Without a bound of its own it would wait for the provider's idle limit of a minute.
    await expect.poll(() => upstreamOf("finishes-and-hangs")).toMatchObject([{ outcome: "aborted" }]);
    await expectCharged(account, { input: promptTokens, output: 12, estimated: true });
  });

  test("before anything was sent to a provider pays nothing, and nothing is sent", async () => {
    const account = await newAccount();
    const call = ask(account, "queued", { stream: false });
    await eventually(() => expect(connections).toBe(1), 5);
    call.destroy();
    await expectCharged(account, { input: 0, output: 0, estimated: true });
    const { attempts, expense } = await rowOf(account);
    expect(attempts).toMatchObject([{ outcome: "aborted", cost: "0" }]);
    expect(Number(expense)).toBe(0);
  });
});

describe("a host that answers the closing of our side", () => {
  const trusted = (name: string) =>
    expect(gateway.context.breakers.failing().filter(({ routeId }) => routeId.endsWith(`/${rows[name]!.upstream}`))).toEqual([]);
  const times = 6; // more than a breaker allows

  test.each(["ends-cleanly", "ends-with-an-error"])(
    "%s, in mid-stream: what was received is paid, and the route stays trusted",
    async (name) => {
      for (let time = 0; time < times; time++) {
        const account = await newAccount();
        await leaveAfter(ask(account, name), 3);
        await expectCharged(account, { input: promptTokens, output: 2, estimated: true });
      }
      trusted(name);
    },
  );

  test.each([
    ["answers-499", false],
    ["answers-503", false],
    ["answers-503", true],
    ["answers-nothing", false],
    ["answers-nothing", true],
  ])("%s, before its answer began (streamed: %s): the prompt is paid, and the route stays trusted", async (name, stream) => {
    for (let time = 0; time < times; time++) {
      const account = await newAccount();
      const before = upstreamOf(name).length;
      const call = ask(account, name, { stream });
      await eventually(() => expect(upstreamOf(name)).toHaveLength(before + 1), 5);
      call.destroy();
      await expectCharged(account, { input: promptTokens, output: 0, estimated: true });
    }
    trusted(name);
  });

  test("with a refusal of the request: nothing is paid", async () => {
    const account = await newAccount();
    const call = ask(account, "refuses-late", { stream: false });
    await eventually(() => expect(upstreamOf("refuses-late")).toHaveLength(1), 5);
    call.destroy();
    await expectCharged(account, { input: 0, output: 0, estimated: true });
  });
});

describe("on_disconnect", () => {
  test("cancel: a whole answer is not awaited, and the prompt is paid", async () => {
    const account = await newAccount();
    const call = ask(account, "whole-cancelled", { stream: false });
    await eventually(() => expect(upstreamOf("whole-cancelled")).toHaveLength(1), 5);
    call.destroy();
    await expectCharged(account, { input: promptTokens, output: 0, estimated: true });
    expect(upstreamOf("whole-cancelled")).toMatchObject([{ outcome: "aborted" }]);
  });

  test("cancel: hidden thinking is not awaited, and what was received is paid", async () => {
    const account = await newAccount();
    await leaveAfter(ask(account, "thinks-cancelled"), 3);
    await expectCharged(account, { input: promptTokens, output: 2, estimated: true });
  });

  test("drain: a stream is read to its end, and its measured usage is paid", async () => {
    const account = await newAccount();
    await leaveAfter(ask(account, "text-drained"), 4);
    await expectCharged(account, { input: promptMeasured, output: 20, estimated: false });
    expect(upstreamOf("text-drained")).toMatchObject([{ outcome: "answered" }]);
  });

  test("drain: thinking of which some was shown is read to its end, as of a provider that shows a summary and bills all", async () => {
    const account = await newAccount();
    await leaveAfter(ask(account, "thinks-drained"), 4);
    await expectCharged(account, { input: promptMeasured, output: 72, estimated: false });
  });

  test("anything else is refused by the catalog's check", () => {
    const catalog = { providers: [{ id: "n", protocol: "openai", base_url: "http://127.0.0.1:1/v1", on_disconnect: "wait" }], models: [] };
    expect(() => loadCatalog({ text: JSON.stringify(catalog), environment: {}, simulatorUrl: null })).toThrow(/on_disconnect/);
  });
});

test("a caller who reads so slowly that the provider gives up pays for what was received, and the route stays trusted", async () => {
  for (let time = 0; time < 6; time++) {
    const account = await newAccount();
    const call = ask(account, "drops-slow-readers");
    const reply = await new Promise<IncomingMessage>((resolve) => call.once("response", resolve));
    reply.pause();
    await eventually(() => expect(upstreamOf("drops-slow-readers")[time]?.outcome).toBe("aborted"));
    let text = "";
    for await (const piece of reply) text = (text + String(piece)).slice(-2_000);
    expect(text).toContain("stream_interrupted");
    const row = await rowOf(account);
    expect(row).toMatchObject({ status: "aborted", http_status: 499, estimated: true, error_code: null });
    expect(Number(row.expense)).toBeGreaterThan(0);
    expect(row.cost).toBe(row.reserved); // each token is 64 KB here: the count is above the cap
  }
  const failing = gateway.context.breakers.failing().map(({ routeId }) => routeId);
  expect(failing.filter((id) => id.includes("drops"))).toEqual([]);
});

test("a drained call is seen in the metrics, and a shutdown waits for it", async () => {
  const other = await startGateway({ catalog: JSON.stringify(slowCatalog()) });
  try {
    const account = await other.createAccount({ deposit: "10" });
    const call = openChat({ url: other.url, key: account.key, model: "demo/slow" });
    await eventually(() => expect(other.simulator.calls()).toHaveLength(1), 5);
    call.destroy();
    await eventually(async () => expect((await other.request("GET", "/metrics")).text).toMatch(/^svc_abandoned_requests 1$/m), 5);
    expect((await chat({ url: other.url, key: account.key, model: "demo/quick" })).status).toBe(200);
  } finally {
    await other.stop();
  }
  expect(other.simulator.calls().map(({ outcome }) => outcome)).toEqual(["answered", "answered"]);
});

function slowCatalog(): object {
  const model = (id: string, upstream: string) => ({
    ...{ id, type: "language", context_window: 8_000, max_output_tokens: 1_000, pricing: { mode: "per-token", input: 1, output: 2 } },
    routes: [{ provider: "north", model: upstream }],
  });
  const providers = [{ id: "north", protocol: "openai", base_url: "simulator:/openai/v1" }];
  return { providers, models: [model("demo/slow", "slow+sim-slow-3000ms"), model("demo/quick", "quick")], tiers: highTiers() };
}
