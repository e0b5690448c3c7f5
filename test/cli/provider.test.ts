// `svc provider list` and `svc provider test`, beside a gateway whose providers work, fail, or were never called.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeDisabled } from "../../src/operators/disabled-routes.ts";
import { language } from "../operations/chat/chat-gateway.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { callSvc, runSvc } from "./run-svc.ts";

let gateway: Gateway;
let folder: string;
let catalog: string;
const media = (type: string, model: string, pricing: object, route: string) => ({
  ...{ id: `demo/${model}`, type, pricing },
  routes: [{ provider: route, model }],
});
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-provider-"));
  const models = (address: string) => ({
    providers: [
      { id: "good", protocol: "openai", base_url: `${address}/v1`, api_key_env: "GOOD_KEY" },
      { id: "odd", protocol: "openai", base_url: `${address}/v1` },
      { id: "bad", protocol: "openai", base_url: `${address}/v1`, api_key_env: "BAD_KEY" },
      { id: "closed", protocol: "anthropic", base_url: "http://127.0.0.1:1/v1" },
      { id: "pictures", protocol: "openai", base_url: `${address}/v1` },
      { id: "queue", protocol: "fal", base_url: `${address}/fal` },
      { id: "voices", protocol: "elevenlabs", base_url: `${address}/elevenlabs` },
      { id: "sorter", protocol: "rerank", base_url: `${address}/rerank` },
      { id: "scribe", protocol: "openai", base_url: `${address}/v1` },
      { id: "songs", protocol: "elevenlabs", base_url: `${address}/elevenlabs` },
      { id: "unused", protocol: "openai", base_url: `${address}/v1` },
      {
        ...{ id: "tenant", protocol: "azure-openai", base_url: `${address}/azure` },
        entra: { tenant: "contoso", client_id: "app", client_secret_env: "TENANT_SECRET", authority: `${address}/azure/login` },
      },
      {
        ...{ id: "certified", protocol: "azure-openai", base_url: `${address}/azure` },
        entra: { tenant: "contoso", client_id: "app", certificate_file: "/nowhere/app.pem", authority: `${address}/azure/login` },
      },
      { id: "machine", protocol: "azure-openai", base_url: `${address}/azure`, entra: { managed_identity: true } },
    ],
    models: [
      language("demo/works", [{ provider: "good", model: "chat" }]),
      language("demo/sometimes", [
        { provider: "odd", model: "chat+sim-fail-503" },
        { provider: "good", model: "chat" },
      ]),
      language("demo/fine", [{ provider: "odd", model: "chat" }]),
      language("demo/tenant", [{ provider: "tenant", model: "gpt" }]),
      language("demo/certified", [{ provider: "certified", model: "gpt" }]),
      language("demo/machine", [{ provider: "machine", model: "gpt" }]),
      language("demo/bad", [{ provider: "bad", model: "chat+sim-401" }]),
      language("demo/claude", [{ provider: "closed", model: "claude" }]),
      media("embedding", "embed-small", { mode: "per-token", input: 0.1 }, "good"),
      media("image", "image-large", { mode: "per-image", usd_per_image: 0.04 }, "pictures"),
      media("image", "ember/flash-image", { mode: "per-image", usd_per_image: 0.04 }, "queue"),
      {
        ...media("speech", "multilingual", { mode: "per-1k-chars", usd_per_1k_chars: 0.4 }, "voices"),
        default_voice: "lyra-narrator",
        voice_family: "provider_a",
      },
      media("transcription", "whisper-fast", { mode: "per-minute", usd_per_minute: 0.01 }, "scribe"),
      { ...media("speech", "music-1", { mode: "per-second", usd_per_second: 0.1 }, "songs"), capability: "music" },
      media("reranking", "rerank-small", { mode: "per-token", input: 0.1 }, "sorter"),
    ],
  });
  gateway = await startGateway({ catalog: JSON.stringify(models("simulator:")), env: { GOOD_KEY: "sk-good-and-secret" } });
  catalog = join(folder, "catalog.json");
  writeFileSync(catalog, JSON.stringify(models(gateway.simulator.url)));
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

const environment = () => ({
  ...{ DATABASE_URL: gateway.databaseUrl, SVC_CATALOG: catalog },
  ...{ GOOD_KEY: "sk-good-and-secret", TENANT_SECRET: "wrong-and-secret" },
});
const svc = (...words: string[]) => callSvc(environment(), words);

describe("svc provider list", () => {
  test("shows what is configured and how calls of the last minutes went, by provider", async () => {
    const { key } = await gateway.createAccount({ deposit: "20" });
    for (const model of ["works", "works", "sometimes", "fine", "bad"])
      await gateway.request("POST", "/v1/chat/completions", {
        key,
        body: { model: `demo/${model}`, messages: [{ role: "user", content: "Hi" }] },
      });
    const { data } = (await svc("provider", "list", "--json")).json() as { data: Record<string, unknown>[] };
    const of = (id: string) => data.find((row) => row.id === id);
    expect(data.map(({ id }) => id)).toEqual([
      "good",
      "odd",
      "bad",
      "closed",
      "pictures",
      "queue",
      "voices",
      "sorter",
      "scribe",
      "songs",
      "unused",
      "tenant",
      "certified",
      "machine",
    ]);
    expect(of("good")).toEqual({
      id: "good",
      protocol: "openai",
      base_url: `${gateway.simulator.url}/v1`,
      key: "set",
      models: ["demo/works", "demo/sometimes", "demo/embed-small"],
      health: "ok",
      attempts: 3,
      failures: 0,
      causes: {},
      disabled: [],
      last_attempt_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(of("odd")).toMatchObject({ key: "none", health: "degraded", attempts: 2, failures: 1, causes: { http_503: 1 } });
    expect(of("bad")).toMatchObject({ key: "missing", health: "failing", attempts: 1, failures: 1, causes: { http_401: 1 } });
    expect(of("unused")).toMatchObject({ models: [], health: "unknown", attempts: 0, last_attempt_at: null });
    const { stdout, stderr } = await runSvc(environment(), ["provider", "list"]);
    expect(stdout).toMatch(/^bad openai \S+, key missing, 1 model: failing, 1 of 1 calls failed \(http_401\)$/m);
    expect(stdout + stderr + JSON.stringify(data)).not.toContain("sk-good");
  });

  test("calls that are older than the last minutes say nothing of a provider's health", async () => {
    await gateway.context.db.pool.query("update usage_log set created_at = created_at - interval '6 minutes'");
    const { data } = (await svc("provider", "list", "--json")).json() as { data: Record<string, unknown>[] };
    expect(new Set(data.map(({ health }) => health))).toEqual(new Set(["unknown"]));
  });

  test("shows what an operator disabled: a provider or a route, until when and why", async () => {
    const disabled = { until: new Date(Date.now() + 60_000), reason: "a bad day", disabledBy: "ada@example.com", disabledAt: new Date() };
    for (const model of ["", "chat"]) await writeDisabled(gateway.context.db, { provider: "odd", model, ...disabled });
    const { data } = (await svc("provider", "list", "--json")).json() as { data: Record<string, unknown>[] };
    const until = disabled.until.toISOString();
    expect(data.filter((row) => (row["disabled"] as unknown[]).length > 0)).toEqual([
      expect.objectContaining({
        id: "odd",
        disabled: [
          { upstream_model: null, until, reason: "a bad day" },
          { upstream_model: "chat", until, reason: "a bad day" },
        ],
      }),
    ]);
    expect((await svc("provider", "list")).stdout).toMatch(
      new RegExp(`^odd .*; all of it disabled until ${until}; chat disabled until ${until}$`, "m"),
    );
  });

  test("the shipped catalog's providers are the simulator's", async () => {
    const ran = await runSvc({ DATABASE_URL: gateway.databaseUrl }, ["provider", "list", "--json"]);
    const { data } = ran.json() as { data: { base_url: string }[] };
    expect(data.length).toBeGreaterThan(0);
    expect(data.every(({ base_url }) => base_url.startsWith("simulator:/"))).toBe(true);
  });
});

describe("svc provider test", () => {
  const run = async (...words: string[]) => {
    gateway.simulator.reset();
    const ran = await svc("provider", "test", ...words, "--json");
    return { ...ran, result: ran.stdout === "" ? {} : ran.json(), calls: gateway.simulator.calls() };
  };

  test.each([
    ["good", "demo/works", "/v1/chat/completions"],
    ["voices", "demo/multilingual", "/elevenlabs/v1/text-to-speech/lyra-narrator"],
    ["sorter", "demo/rerank-small", "/rerank/rerank"],
    ["pictures", "demo/image-large", "/v1/images/generations"],
    ["scribe", "demo/whisper-fast", "/v1/audio/transcriptions"],
  ])("%s: one real call over its own protocol, and 0", async (id, model, path) => {
    const { status, result, calls } = await run(id);
    expect(status).toBe(0);
    expect(result).toEqual({ ok: true, latency_ms: expect.any(Number), cause: null, detail: null, provider: id, model, status: 200 });
    expect(calls.map((call) => call.path.split("?")[0])).toEqual([path]);
  });

  test("a chat asks for a handful of tokens, with the provider's own key", async () => {
    const { calls } = await run("good");
    const [call] = calls as unknown as [{ json: { max_tokens: number; model: string }; headers: Record<string, string> }];
    expect(call.json).toMatchObject({ model: "chat", max_tokens: 16 });
    expect(call.headers["authorization"]).toBe("Bearer sk-good-and-secret");
  });

  test("--model calls that model, by its id in the catalog", async () => {
    const { result, calls } = await run("good", "--model", "demo/embed-small");
    expect(result).toMatchObject({ ok: true, model: "demo/embed-small" });
    expect(calls.map(({ path }) => path)).toEqual(["/v1/embeddings"]);
  });

  test("work that a queue accepts is taken back at once", async () => {
    const { result, calls } = await run("queue");
    expect(result).toMatchObject({ ok: true, model: "demo/ember/flash-image" });
    expect(calls.map(({ method }) => method)).toEqual(["POST", "PUT"]);
  });

  test.each([
    ["bad", "http_401", 401],
    ["closed", "connection_refused", null],
  ])("%s does not serve: its cause, and 1", async (id, cause, answered) => {
    const { status, result, stderr } = await run(id);
    expect(status).toBe(1);
    expect(stderr).toBe("");
    expect(result).toMatchObject({ ok: false, cause, status: answered, detail: expect.stringMatching(/\w/) as string });
    const plain = await svc("provider", "test", id);
    expect(plain).toMatchObject({ status: 1 });
    expect(plain.stdout).toContain(cause);
  });

  test("one that fails without its key: the text says which variable this shell lacks", async () => {
    expect((await svc("provider", "test", "bad")).stdout).toMatch(/http_401.*; not set here: BAD_KEY\n$/);
    expect((await svc("provider", "test", "closed")).stdout).not.toContain("not set");
    expect((await svc("provider", "test", "good")).stdout).not.toContain("not set");
  });

  test("one whose application gets no token: what Entra says, without the secret", async () => {
    const { status, stdout, stderr, json } = await runSvc(environment(), ["provider", "test", "tenant", "--json"]);
    expect(status).toBe(1);
    const detail = "Entra gave no token: invalid_client, AADSTS7000215 (the secret is wrong, or its id was taken for it)";
    expect(json()).toMatchObject({ cause: "credentials", detail, status: null });
    expect(stdout + stderr).not.toContain("wrong-and-secret");
  });

  test("a certificate that is not there, and a machine that is none of Azure's, before and after it is one", async () => {
    const certified = await svc("provider", "test", "certified");
    expect([certified.status, certified.stdout]).toEqual([1, expect.stringContaining("the file /nowhere/app.pem does not exist")]);
    const on = (host: string) => callSvc({ ...environment(), AZURE_POD_IDENTITY_AUTHORITY_HOST: host }, ["provider", "test", "machine"]);
    expect((await on("http://127.0.0.1:1")).stdout).toContain("no metadata server of Azure's answers this machine");
    expect(await on(`${gateway.simulator.url}/azure`)).toMatchObject({ status: 0 });
  });

  test("a provider of the shipped catalog is tested against a simulator of its own, without any gateway", async () => {
    const ran = await runSvc({ SVC_DATA_DIR: join(folder, "none") }, ["provider", "test", "meridian", "--json"]);
    expect(ran.status).toBe(0);
    expect(ran.json()).toMatchObject({ ok: true, provider: "meridian" });
  });

  test.each([
    [["nowhere"], "no such provider: nowhere"],
    [["unused"], "no model of the catalog has a route to unused"],
    [["songs"], "songs serves nothing that can be tested"],
    [["songs", "--model", "demo/music-1"], "demo/music-1 can't be tested"],
    [["good", "--model", "demo/claude"], "demo/claude has no route to good"],
    [["good", "--model", "demo/none"], "no such model: demo/none"],
  ])("%j is refused with 1", async (words, sentence) => {
    const { status, stdout, stderr } = await run(...words);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(sentence);
  });

  test("of an applied catalog its providers are tested, as the gateway calls them and the list shows them, not the file's", async () => {
    const path = join(folder, "applied.json");
    const providers = [{ id: "new", protocol: "openai", base_url: `${gateway.simulator.url}/v1` }];
    writeFileSync(path, JSON.stringify({ providers, models: [language("demo/new", [{ provider: "new", model: "chat" }])] }));
    expect(await svc("catalog", "apply", path, "--yes")).toMatchObject({ status: 0 });
    expect((await run("new")).result).toMatchObject({ ok: true, provider: "new", model: "demo/new" });
    expect((await run("good")).stderr).toContain("no such provider: good");
    const { data } = (await svc("provider", "list", "--json")).json() as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(["new"]);
    const unasked = await callSvc({ ...environment(), DATABASE_URL: "postgres://svc@127.0.0.1:1/svc" }, ["provider", "test", "good"]);
    expect([unasked.status, unasked.stdout]).toEqual([1, ""]);
    expect(unasked.stderr).toContain("takes no connection");
  });
});
