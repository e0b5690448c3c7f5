// GET /v1/audio/voices: whose voices, in which order, with which fields; and what happens when a provider doesn't answer.
import { describe, expect, test } from "vitest";
import { setSuspended } from "../../../src/accounts/admin.ts";
import { ownerOf } from "../../../src/audio/voice-owner.ts";
import { UpstreamError } from "../../../src/providers/errors/upstream-error.ts";
import { voice, voicesWorld } from "./voices-gateway.ts";

const world = voicesWorld();
const away = () => Promise.reject(new UpstreamError("unavailable", "http://10.0.0.7 refused sk-secret"));
const premade = { category: "premade" };

describe("200", () => {
  test("family A, the default: labels, a sample or null, a description where there is one", async () => {
    const labels = { gender: "female", accent: "irish", mood: "calm" };
    const sample = "https://assets.example.com/harbour.mp3";
    const full = voice("Xk2v", { name: "Harbour", labels, previewUrl: sample, description: "Warm.", tags: ["never"] });
    world.families.a.list = () => Promise.resolve([full, voice("bare")]);
    const account = await world.gateway.createAccount();
    await world.own(account, "svcv_of_family_b");
    const { json, status } = await world.list(account);
    expect([status, json]).toEqual([
      200,
      {
        object: "list",
        provider: "provider_a",
        data: [
          { provider: "provider_a", voice_id: "Xk2v", name: "Harbour", ...premade, labels, preview_url: sample, description: "Warm." },
          { provider: "provider_a", voice_id: "bare", name: "Voice bare", ...premade, labels: {}, preview_url: null },
        ],
      },
    ]);
    expect((await world.list(account, "?provider=provider_a")).json).toEqual(json);
    expect(world.families.b.reads).toBe(0);
  });

  test("family B: the caller's own first, the newest before the older, without description; tags on the others", async () => {
    world.families.b.list = () => Promise.resolve([voice("calm-woman", { tags: ["calm", "english"] }), voice("plain")]);
    const [account, other] = [await world.gateway.createAccount(), await world.gateway.createAccount()];
    await world.own(account, "svcv_older", { name: 'Älter \u0001 "quoted"' });
    await world.own(other, "svcv_of_another");
    await world.own(account, "svcv_newer");
    const { json } = await world.list(account, "?provider=provider_b");
    const provider = "provider_b";
    expect(json).toEqual({
      object: "list",
      provider,
      data: [
        { provider, voice_id: "svcv_newer", name: "Mine", category: "cloned" },
        { provider, voice_id: "svcv_older", name: 'Älter \u0001 "quoted"', category: "cloned" },
        { provider, voice_id: "calm-woman", name: "Voice calm-woman", ...premade, description: ["calm", "english"] },
        { provider, voice_id: "plain", name: "Voice plain", ...premade, description: [] },
      ],
    });
  });

  test("all: the caller's own, then A, then B", async () => {
    world.families.a.list = () => Promise.resolve([voice("a1"), voice("a2")]);
    world.families.b.list = () => Promise.resolve([voice("b1")]);
    const account = await world.gateway.createAccount();
    const ids = async () => (await world.list(account, "?provider=all")).json.data.map(({ voice_id }: any) => voice_id);
    expect(await ids()).toEqual(["a1", "a2", "b1"]);
    await world.own(account, "svcv_of_all");
    expect(await ids()).toEqual(["svcv_of_all", "a1", "a2", "b1"]);
  });

  test("a voice whose charge was not committed is never listed", async () => {
    const account = await world.gateway.createAccount();
    await world.own(account, "svcv_unpaid", { cost: 200_000_000n });
    expect((await world.list(account, "?provider=provider_b")).json.data).toEqual([]);
  });

  test("voices outlive their account's suspension", async () => {
    const account = await world.gateway.createAccount();
    await world.own(account, "svcv_kept");
    const { db } = world.gateway.context;
    await setSuspended(db, account.accountId, new Date());
    expect(await ownerOf(db, "svcv_kept")).toEqual({ accountId: account.accountId, provider: "mini" });
    await setSuspended(db, account.accountId, null);
    expect((await world.list(account, "?provider=provider_b")).json.data).toMatchObject([{ voice_id: "svcv_kept" }]);
  });
});

describe("400 invalid_parameter", () => {
  test.each(["?provider=provider_c", "?provider=ALL", "?provider=", "?provider=all&provider=all"])("%s", async (query) => {
    const { status, json } = await world.list(await world.gateway.createAccount(), query);
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "provider"]);
    expect(world.families.a.reads).toBe(0);
  });
});

describe("502 provider_error", () => {
  test.each(["provider_a", "provider_b"] as const)("%s: its provider does not answer; nothing of it is shown", async (provider) => {
    world.families[provider === "provider_a" ? "a" : "b"].list = away;
    const account = await world.gateway.createAccount();
    await world.own(account, `svcv_hidden_${provider}`);
    const { status, json, text, headers } = await world.list(account, `?provider=${provider}`);
    expect([status, json.error.code, headers["x-should-retry"]]).toEqual([502, "provider_error", "true"]);
    expect(text).not.toMatch(/10\.0\.0\.7|sk-secret|eleven|mini/);
  });

  test("all: only when both fail", async () => {
    Object.assign(world.families.a, { list: away });
    Object.assign(world.families.b, { list: away });
    const { status, json } = await world.list(await world.gateway.createAccount(), "?provider=all");
    expect([status, json.error.code]).toEqual([502, "provider_error"]);
  });

  test.each(["a", "b"] as const)("all: where %s alone fails, the other's are listed, and the list is partial", async (failing) => {
    for (const family of ["a", "b"] as const)
      world.families[family].list = family === failing ? away : () => Promise.resolve([voice(`of-${family}`)]);
    const account = await world.gateway.createAccount();
    for (let again = 0; again < 2; again += 1) {
      const { status, json, headers } = await world.list(account, "?provider=all");
      expect([status, headers["x-svc-cache"]]).toEqual([200, "partial"]);
      expect(json.data.map(({ voice_id }: any) => voice_id)).toEqual([failing === "a" ? "of-b" : "of-a"]);
    }
  });
});

describe("a family without a provider to ask is empty, not an error", () => {
  const lone = voicesWorld([
    { ...{ id: "b/plain", type: "speech", voice_family: "provider_b", default_voice: "alloy" }, ...paid("plain") },
    { ...{ id: "a/paused", type: "speech", voice_family: "provider_a", default_voice: "one", state: { paused: true } }, ...paid("eleven") },
  ]);
  function paid(provider: string) {
    return { pricing: { mode: "per-1k-chars", usd_per_1k_chars: 0.07 }, routes: [{ provider, model: "m" }] };
  }
  test.each(["provider_a", "provider_b", "all"])("%s: no active model, or a protocol that lists no voices", async (provider) => {
    const account = await lone.gateway.createAccount();
    const { status, json, headers } = await lone.list(account, `?provider=${provider}`);
    expect([status, json, headers["x-svc-cache"]]).toEqual([200, { object: "list", provider, data: [] }, "may-hit"]);
    if (provider === "provider_a") return;
    await lone.own(account, `svcv_${provider}`);
    expect((await lone.list(account, `?provider=${provider}`)).json.data).toHaveLength(1);
  });
});
