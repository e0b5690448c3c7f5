// How much of the gateway's code a paid call runs through: counted by the engine (precise coverage of functions), not timed.
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { Session } from "node:inspector/promises";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { startGateway } from "../../support/gateway.ts";

const answer = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_790_000_000,
  model: "plain",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
});

/** A provider that runs none of the gateway's code, as the simulator would. */
async function startProvider(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const catalogOf = (server: Server) => `
providers:
  - id: plain
    protocol: openai
    base_url: http://127.0.0.1:${(server.address() as AddressInfo).port}/v1
models:
  - id: plain/chat
    type: language
    context_window: 8000
    max_output_tokens: 100
    pricing: { mode: per-token, input: 1, output: 2 }
    routes: [{ provider: plain, model: plain }]
`;

const root = fileURLToPath(new URL("../../../", import.meta.url));
const texts = new Map<string, string>();
function textOf(path: string): string {
  if (!texts.has(path)) texts.set(path, readFileSync(path, "utf8"));
  return texts.get(path)!;
}
const isOurs = (url: string) => /^file:.*\/(?:src|handlers|generated)\//.test(url) && !url.includes("/node_modules/");

/** The functions that ran since the last time, as `file offset`, with `async` behind asynchronous ones. */
async function functionsThatRan(session: Session): Promise<Set<string>> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const ran = new Set<string>();
  for (const { url, functions } of result.filter((script) => isOurs(script.url))) {
    const path = fileURLToPath(url.split("?")[0]!);
    const text = textOf(path);
    for (const { startOffset, count } of functions.map(({ ranges }) => ranges[0]!)) {
      const kind = text.startsWith("async", startOffset) ? " async" : "";
      if (count > 0) ran.add(`${path.slice(root.length)} ${startOffset}${kind}`);
    }
  }
  return ran;
}

/** Tokens that a call took and didn't use are given back 100 ms later: on a busy machine, while the next call runs. */
const corrected = () => sleep(300);

/** A stream whose records come one by one, each as a chunk of its own. */
async function startStreamingProvider(records: number): Promise<Server> {
  const record = (choice: object) =>
    `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", choices: [choice] })}\n\n`;
  const server = createServer(async (request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let at = 0; at < records; at += 1) {
      response.write(record({ index: 0, delta: { content: "word " }, finish_reason: null }));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end(`${record({ index: 0, delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

test("no record of a stream moves a timer of ours", async () => {
  const provider = await startStreamingProvider(100);
  const gateway = await startGateway({ catalog: catalogOf(provider) });
  const timers = Object.getPrototypeOf(setTimeout(() => undefined, 0)) as NodeJS.Timeout;
  const refresh = timers.refresh;
  const ours: string[] = [];
  const moving = vi.spyOn(timers, "refresh").mockImplementation(function (this: NodeJS.Timeout) {
    const mover = new Error("moved").stack!.split("\n").find((line) => /\/(?:src|undici|node:internal)\//.test(line)) ?? "";
    if (mover.includes("/src/")) ours.push(mover);
    return refresh.call(this);
  });
  try {
    const { key } = await gateway.createAccount({ deposit: "10" });
    const body = JSON.stringify({ model: "plain/chat", messages: [{ role: "user", content: "hello" }], stream: true });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const text = await (await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body })).text();
    expect(text.split("word ").length).toBe(101);
    expect(ours.filter((mover) => !mover.includes("/transport/call.ts"))).toEqual([]); // whose deadline is moved once a call
  } finally {
    moving.mockRestore();
    await gateway.stop();
    provider.close();
  }
});

test("a buffered chat call makes three signals: of its client, to end its upstream, to stop it", async () => {
  const provider = await startProvider();
  const gateway = await startGateway({ catalog: catalogOf(provider) });
  const Controller = globalThis.AbortController;
  const makers: string[] = [];
  class Counted extends Controller {
    constructor() {
      super();
      const maker = new Error("made").stack!.split("\n").find((line) => line.includes("/src/")) ?? "";
      if (maker !== "") makers.push(/\/src\/([\w/-]+)\.ts/.exec(maker)![1]!);
    }
  }
  try {
    const { key } = await gateway.createAccount({ deposit: "10" });
    const body = JSON.stringify({ model: "plain/chat", messages: [{ role: "user", content: "hello" }], max_tokens: 20 });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const call = async () => (await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body })).text();
    await call();
    globalThis.AbortController = Counted;
    for (let at = 0; at < 3; at++) expect(await call()).toContain("Hello.");
    const ofCalls = makers.filter((maker) => maker === "server/edge" || maker === "calls/upstream-connection");
    const ofOne = ["calls/upstream-connection", "calls/upstream-connection", "server/edge"];
    expect(ofCalls.toSorted()).toEqual([...ofOne, ...ofOne, ...ofOne].toSorted());
  } finally {
    globalThis.AbortController = Controller;
    await gateway.stop();
    provider.close();
  }
});

test("a buffered chat call runs through at most 79 files and 12 asynchronous functions", async () => {
  const provider = await startProvider();
  const gateway = await startGateway({ catalog: catalogOf(provider) });
  const session = new Session();
  session.connect();
  try {
    const { key } = await gateway.createAccount({ deposit: "1000" });
    const body = JSON.stringify({ model: "plain/chat", messages: [{ role: "user", content: "hello" }], max_tokens: 20 });
    const call = async () => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
      expect(await response.json()).toMatchObject({ choices: [{ message: { content: "Hello." } }] });
    };
    for (let warm = 0; warm < 5; warm++) await call();
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    // What timers start every few hundred milliseconds; on a busy machine a call takes longer, and would count it.
    await corrected();
    await functionsThatRan(session);
    await sleep(1_000);
    let beside = await functionsThatRan(session);
    let way: Set<string> | null = null;
    const files = () => new Set([...way!].map((name) => name.split(" ")[0]));
    const waiting = () => [...way!].filter((name) => name.endsWith(" async"));
    // What runs because a busy machine brought a body late does not run in each call: the busier, the more calls show it. And the longer a call takes,
    // the rarer the timers that run in each.
    for (let run = 0; run < 120 && (run < 40 || files().size > 79 || waiting().length > 12); run++) {
      if (run >= 40) {
        await corrected();
        await functionsThatRan(session);
        await sleep(500);
        beside = beside.union(await functionsThatRan(session));
      }
      await functionsThatRan(session);
      await call();
      const ran = await functionsThatRan(session);
      way = (way ?? ran).intersection(ran).difference(beside);
    }
    expect(files()).toContain("src/ledger/settlement.ts"); // paid, and counted as such
    expect(files().size, [...files()].toSorted().join("\n")).toBeLessThanOrEqual(79);
    expect(waiting().length, waiting().toSorted().join("\n")).toBeLessThanOrEqual(12);
  } finally {
    session.disconnect();
    await gateway.stop();
    provider.close();
  }
});
