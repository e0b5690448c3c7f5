// Why media jobs and audio failed at their providers, as the operator finds it: when a route is asked, while the work is polled, when its file
// is loaded.
import { describe, expect, test } from "vitest";
import { scrapeUntil } from "../../telemetry/scrape.ts";
import { chatWorld, provider } from "../chat/chat-gateway.ts";
import { familyA, familyB } from "../speech/speech-gateway.ts";
import { endedJob } from "../../support/media-jobs.ts";

const logLines: string[] = [];
const image = (id: string, model: string) => ({
  ...{ id, type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 } },
  routes: [{ provider: "queue", model: `ember/flash-image+${model}` }],
});
const world = chatWorld(
  [
    image("demo/refused-key", "sim-401"),
    image("demo/worker-died", "sim-job-internal_server_error"),
    image("demo/no-file", "sim-file-html"),
    {
      ...image("demo/never", "sim-job-hang"),
      ...{ type: "video", pricing: { mode: "per-second", usd_per_second: 0.1 }, durations: [5] },
      routes: [{ provider: "queue", model: "ember/video+sim-job-hang" }],
    },
    familyA("demo/say-a", ["multilingual+sim-401"]),
    familyB("demo/say-b", ["speech-hd+sim-fail-503"]),
  ],
  {
    providers: [
      provider("queue", { protocol: "fal", base_url: "simulator:/fal" }),
      provider("voices-a", { protocol: "elevenlabs", base_url: "simulator:/elevenlabs", headers: { "x-sim-knobs": "voices=sim-401" } }),
      provider("voices-b", { protocol: "minimax", base_url: "simulator:/minimax" }),
    ],
  },
  { logLines, jobs: { lookMs: { first: 10, last: 50 }, deadlineMs: { image: 60_000, video: 300 } } },
);

const attemptsOf = async (requestId: string) => {
  const sql = "select attempts from usage_log where request_id = $1";
  const { rows } = await world.gateway.context.db.pool.query<{ attempts: Record<string, unknown>[] }>(sql, [requestId]);
  return rows[0]!.attempts;
};
const loggedOf = (route: string) =>
  logLines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line["route"] === route && line["cause"] !== undefined);

describe("a media job", () => {
  test.each([
    ["demo/refused-key", "ember/flash-image+sim-401", "http_401", "our_fault"],
    ["demo/worker-died", "ember/flash-image+sim-job-internal_server_error", "failed", "ok"],
    ["demo/no-file", "ember/flash-image+sim-file-html", "file", "ok"],
    ["demo/never", "ember/video+sim-job-hang", "timeout_answer", "ok"],
  ])("%s keeps why it failed with its attempt, for the operator alone", async (model, upstream, cause, outcome) => {
    const { key } = await world.account({ deposit: "5000" });
    const path = model === "demo/never" ? "/v1/videos/generations" : "/v1/images/generations";
    const submitted = await world.gateway.request("POST", path, { key, body: { model, prompt: "A boat" } });
    const job = await endedJob(world.gateway, submitted.json.id as string, key);
    expect(job.json.status).toBe("failed");
    const requestId = submitted.headers["x-request-id"]!;
    const route = `queue/${upstream}`;
    expect(await attemptsOf(requestId)).toMatchObject([{ route, outcome, cause, detail: expect.stringMatching(/\w/) as string }]);
    expect(loggedOf(route)).toMatchObject([{ job: submitted.json.id as string, cause }]);
    await scrapeUntil(world.gateway, ({ figure }) => figure("svc_upstream_failures_total", { route, cause }) === 1);
    const receipt = await world.gateway.request("GET", `/v1/usage/${requestId}`, { key });
    expect(Object.keys(receipt.json.attempts[0] as object).sort()).toEqual(["latency_ms", "model", "outcome", "status"]);
  });
});

describe("audio", () => {
  test.each([
    ["demo/say-a", "voices-a/multilingual+sim-401", "http_401"],
    ["demo/say-b", "voices-b/speech-hd+sim-fail-503", "http_503"],
  ])("%s keeps why it failed with its attempt", async (model, route, cause) => {
    const { key } = await world.account();
    const reply = await world.gateway.request("POST", "/v1/audio/speech", { key, body: { model, input: "Hello there" } });
    expect(reply.status).toBe(503);
    expect(await attemptsOf(reply.headers["x-request-id"]!)).toMatchObject([{ route, cause }]);
    expect(loggedOf(route)).toMatchObject([{ cause, request_id: reply.headers["x-request-id"] }]);
    expect(reply.text).not.toContain(cause);
  });

  test("a list of voices that can't be read: the log says why", async () => {
    const { key } = await world.account();
    const reply = await world.gateway.request("GET", "/v1/audio/voices?provider=all", { key });
    expect(reply.headers["x-svc-cache"]).toBe("partial");
    const providerLines = logLines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ provider }) => provider === "voices-a");
    expect(providerLines).toMatchObject([{ cause: "http_401", detail: expect.stringMatching(/\w/) as string }]);
  });
});
