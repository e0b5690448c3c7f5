// POST /v1/audio/transcriptions and the limits of a tier: what counts, what does not, a concurrency of 0, and a gateway that shuts down.
import { describe, expect, test } from "vitest";
import { shippedTiers } from "../../../src/catalog/tiers.ts";
import { awayFromMinuteEdge } from "../../limits/counted-database.ts";
import { startGateway } from "../../support/gateway.ts";
import { provider } from "../chat/chat-gateway.ts";
import { formOf, recording, transcriber, transcriptionWorld } from "./transcription-gateway.ts";

const models = [transcriber("demo/stt", ["stt"]), transcriber("demo/other", ["other"])];
const noTranscription = { audio_concurrent_per_capability: { transcription: 0, understanding: 2, speech: 1 } };
const world = transcriptionWorld(models, {
  tiers: shippedTiers.map((tier) => ({ ...tier, rpm: 4, per_model_rpm: 3, ...(tier.tier === 0 ? noTranscription : {}) })),
});
const remaining = ({ headers }: { headers: Record<string, string> }) => headers["x-ratelimit-remaining-requests"];

describe("429 rate_limit_exceeded: the account's own", () => {
  test("a call counts once, whatever its chain does; one that is refused for its file, its money or its slot counts for nothing", async () => {
    await awayFromMinuteEdge(20_000);
    const account = await world.account();
    const broken = recording.subarray(0, 40);
    expect(remaining(await world.send(account, { model: "demo/stt" }))).toBe("3");
    expect(remaining(await world.send(account, { model: "demo/stt" }, broken))).toBe("3");
    expect(remaining(await world.fetch(account, { model: "demo/stt" }))).toBe("2");
    expect(remaining(await world.send(account, { model: "demo/stt", response_format: "text" }))).toBe("1");
    const ofModel = await world.send(account, { model: "demo/stt" });
    expect([ofModel.status, ofModel.json.error.code, ofModel.headers["retry-after"]]).toEqual([429, "rate_limit_exceeded", "60"]);
    expect(ofModel.json.error.message).toBe("The rate limit is reached: 3 requests per minute for demo/stt.");
    expect(remaining(await world.send(account, { model: "demo/other" }))).toBe("0");
    const loaded = world.files.requests.length;
    const ofAll = await world.fetch(account, { model: "demo/other" });
    expect([ofAll.status, ofAll.json.error.message]).toEqual([429, "The rate limit is reached: 4 requests per minute."]);
    expect(world.files.requests.length).toBe(loaded);
    expect(await world.gateway.balance(account)).toMatchObject({ reserved: 0, spent: 0.0072 });
  });
});

test("402 of an address, once its recording is measured: it counts for nothing, as a file's does", async () => {
  await awayFromMinuteEdge(20_000);
  const account = await world.account();
  const { pool } = world.gateway.context.db;
  await pool.query("update key_budget set limit_amount = 100000 where account_id = $1", [account.accountId]);
  for (const reply of [await world.send(account, { model: "demo/stt" }), await world.fetch(account, { model: "demo/stt" })]) {
    expect([reply.status, reply.json.error.code]).toEqual([402, "key_limit_reached"]);
    expect(remaining(reply)).toBe("4");
  }
  await world.expectUntouched(account);
});

describe("403 permission_denied", () => {
  test("a tier without a slot names the deposit that lifts it, in both modes, and no waiting is suggested", async () => {
    const account = await world.account({ signupCredit: true });
    for (const reply of [await world.send(account, {}), await world.fetch(account, {})]) {
      expect([reply.status, reply.json.error.code]).toEqual([403, "permission_denied"]);
      expect(reply.json.error.message).toContain("tier 0 (Free) allows no transcriptions; deposits of 5 USD in total lift this");
      expect(reply.headers).not.toHaveProperty("retry-after");
    }
    await world.expectUntouched(account, 0.5);
  });
});

describe("503 overloaded", () => {
  test("a gateway that has to end gives the call up, free", async () => {
    const catalog = JSON.stringify({ providers: [provider("north")], models: [transcriber("demo/hanging", ["hanging+sim-hang"])] });
    const gateway = await startGateway({ catalog, graceMs: 200 });
    const account = await gateway.createAccount({ deposit: "20" });
    const { body, type } = await formOf({ model: "demo/hanging" }, recording);
    const request = { key: account.key, body, headers: { "content-type": type } };
    const asking = gateway.request("POST", "/v1/audio/transcriptions", request);
    await expect.poll(() => gateway.simulator.counters().received).toBe(1);
    const stopped = gateway.stop();
    const { status, json, headers } = await asking;
    expect([status, json.error.code, headers["retry-after"]]).toEqual([503, "overloaded", "5"]);
    await stopped;
  });
});
