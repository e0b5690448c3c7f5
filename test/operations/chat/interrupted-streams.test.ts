// Interrupted streams count against their route: for its circuit breaker, in /metrics, in the log and in the receipt.
import { describe, expect, test } from "vitest";
import { scrapeUntil } from "../../telemetry/scrape.ts";
import { chatWorld, hello, language, provider } from "./chat-gateway.ts";
import { familyB, sentence } from "../speech/speech-gateway.ts";

const logLines: string[] = [];
const voices = (id: string) => ({ id, protocol: "minimax", base_url: "simulator:/minimax" });
/** Every test has routes of its own, since circuit breakers keep their state. */
const world = chatWorld(
  [
    language("demo/broken", ["broken+sim-cut-after-2", "broken-second"]),
    language("demo/told", ["told+sim-cut-after-2"]),
    language("demo/messages", ["messages+sim-cut-after-2", "messages-second"]),
    language("demo/stalled", ["stalled+sim-stall-after-2"]),
    familyB("demo/speech", ["speech-hd+sim-cut-after-2", "speech-hd"]),
  ],
  { providers: [provider("north"), provider("south"), voices("voices-b"), voices("spare-b")] },
  { logLines },
);

const times = <T>(n: number, work: () => Promise<T>) =>
  Array.from({ length: n }).reduce(async (last) => (await last, work()), Promise.resolve());
const isOpen = (route: string) => world.gateway.context.breakers.failing().find(({ routeId }) => routeId === route)?.isOpen;

describe("a route whose streams all break", () => {
  test("is passed over after the fifth in a row: the second route answers", async () => {
    const account = await world.account();
    const ask = () => world.chat(account, { model: "demo/broken", stream: true });
    await times(5, async () => expect((await ask()).text).toContain("stream_interrupted"));
    const reply = await ask();
    expect(reply.headers["x-svc-fallback-layer"]).toBe("1");
    expect(reply.text).not.toContain("stream_interrupted");
    expect((await world.logOf(reply))!.attempts.map(({ outcome }) => outcome)).toEqual(["breaker_open", "ok"]);
  });

  test("is passed over in the other dialect too", async () => {
    const { key } = await world.account();
    const body = { model: "demo/messages", max_tokens: 100, messages: hello, stream: true };
    const ask = () => world.gateway.request("POST", "/v1/messages", { key, body });
    await times(5, ask);
    expect((await ask()).headers["x-svc-fallback-layer"]).toBe("1");
  });

  test("is passed over for speech: audio streams count like text streams", async () => {
    const { key } = await world.account();
    const body = JSON.stringify({ model: "demo/speech", input: sentence, stream: true });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const listen = async () => {
      const reply = await fetch(`${world.gateway.url}/v1/audio/speech`, { method: "POST", headers, body });
      return await reply.bytes().then(
        () => "whole",
        () => "broken",
      );
    };
    await times(5, async () => expect(await listen()).toBe("broken"));
    expect(await listen()).toBe("whole");
    const broken = { route: "voices-b/speech-hd+sim-cut-after-2", outcome: "interrupted" };
    await scrapeUntil(world.gateway, (page) => page.figure("svc_upstream_attempts_total", broken) === 5);
    expect(logLines.filter((line) => line.includes("an audio stream was interrupted") && line.includes(broken.route))).toHaveLength(5);
  });
});

describe("an interrupted stream", () => {
  test("is an interrupted attempt, in the usage log and in /metrics, and the log names its route", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/told", stream: true });
    const route = "north/told+sim-cut-after-2";
    expect((await world.logOf(reply))!.attempts).toMatchObject([{ route, outcome: "interrupted", status: 200 }]);
    const page = await scrapeUntil(world.gateway, ({ figure }) => figure("svc_upstream_attempts_total", { route }) === 1);
    expect(page.figure("svc_upstream_attempts_total", { route, outcome: "interrupted" })).toBe(1);
    const routeLines = logLines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line["route"] === route);
    expect(routeLines).toMatchObject([
      { msg: "a stream was interrupted", fault: "unavailable", request_id: reply.headers["x-request-id"] },
    ]);
  });
});

describe("a stream that its client aborted", () => {
  test("says nothing of its route, however often", async () => {
    const { key } = await world.account();
    const body = JSON.stringify({ model: "demo/stalled", messages: hello, stream: true });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    await times(6, async () => {
      const leaving = new AbortController();
      const reply = await fetch(`${world.gateway.url}/v1/chat/completions`, { method: "POST", headers, body, signal: leaving.signal });
      await reply.body!.getReader().read();
      leaving.abort();
    });
    const served = { route: "north/stalled+sim-stall-after-2", outcome: "ok" };
    await scrapeUntil(world.gateway, (page) => page.figure("svc_upstream_attempts_total", served) === 6);
    expect(isOpen(served.route)).toBeUndefined();
  });
});
