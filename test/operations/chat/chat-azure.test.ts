// Azure's OpenAI: chat, messages, embeddings, images, speech and transcripts over a resource's paths, with its key or with tokens of Entra,
// and its content filter's refusals.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { wavFile } from "../../simulator/audio-check.ts";
import { scratchFolder } from "../../support/leftovers.ts";
import { endedJob } from "../../support/media-jobs.ts";
import { askMessage, messageOf, eventsOf } from "../messages/message-events.ts";
import { formOf } from "../transcriptions/transcription-gateway.ts";
import { chatWorld, costUsd, language, prices, provider, recordsOf, textOf } from "./chat-gateway.ts";

const secret = "entra-client-secret-0123456789";
const azure = (id: string, more: object = {}) => provider(id, { protocol: "azure-openai", base_url: "simulator:/azure", ...more });
const application = { tenant: "contoso.onmicrosoft.com", client_id: "app-1", authority: "simulator:/azure/login" };
const entra = { ...application, client_secret_env: "AZURE_SECRET" };
const pemFile = join(scratchFolder("svc-azure-"), "app.pem");
const plain = (model: string) => ({ provider: "plain", model });
const dated = (model: string) => ({ provider: "dated", model });
const at = (id: string) => (model: string) => ({ provider: id, model });
const media = (id: string, type: string, pricing: object, route: object, more: object = {}) => ({
  id,
  type,
  pricing,
  routes: [route],
  ...more,
});

const world = chatWorld(
  [
    language("demo/plain", [plain("gpt")]),
    language("demo/dated", [dated("gpt deployment")]),
    language("demo/entra", [at("entra")("gpt")]),
    language("demo/certificate", [at("certificate")("gpt")]),
    language("demo/machine", [at("machine")("gpt")]),
    language("demo/wrong-key", [at("wrong-key")("gpt"), at("north")("second")]),
    language("demo/wrong-secret", [at("wrong-secret")("gpt"), at("north")("second")]),
    language("demo/unset", [at("unset")("gpt"), at("north")("second")]),
    language("demo/closed", [at("closed")("gpt"), at("north")("second")]),
    language("demo/filtered", [plain("filtered+sim-refuse")]),
    language("demo/cut-off", [plain("cut-off+sim-finish-filtered")]),
    language("demo/gone", [dated("gone+sim-404"), at("north")("second")]),
    language("demo/busy", [plain("busy+sim-429"), at("north")("second")]),
    ...["plain", "dated"].flatMap((id) => [
      media(`embed/${id}`, "embedding", { mode: "per-token", input: 0.13 }, at(id)("embed"), { context_window: 8192 }),
      media(`image/${id}`, "image", { mode: "per-image", usd_per_image: 0.04 }, at(id)("image")),
      media(`speech/${id}`, "speech", { mode: "per-1k-chars", usd_per_1k_chars: 0.4 }, at(id)("speech"), {
        ...{ voice_family: "provider_a", default_voice: "lyra-narrator" },
      }),
      media(`stt/${id}`, "transcription", { mode: "per-minute", usd_per_minute: 0.01 }, at(id)("stt")),
    ]),
  ],
  {
    providers: [
      azure("plain", { api_key_env: "AZURE_KEY" }),
      azure("dated", { api_key_env: "AZURE_KEY", api_version: "2024-10-21" }),
      azure("entra", { entra }),
      azure("certificate", { entra: { ...application, certificate_file: pemFile } }),
      azure("machine", { entra: { managed_identity: true } }),
      azure("wrong-key", { api_key_env: "WRONG_KEY" }),
      azure("wrong-secret", { entra: { ...entra, client_secret_env: "WRONG_SECRET" } }),
      azure("unset", { entra: { ...entra, client_secret_env: "UNSET_SECRET" } }),
      azure("closed", { entra: { ...entra, authority: "http://127.0.0.1:1" } }),
      provider("north"),
    ],
  },
  {
    env: {
      ...{ AZURE_KEY: "azure-key-0123456789", AZURE_SECRET: secret, WRONG_KEY: "wrong-key-0123456789", WRONG_SECRET: `wrong-${secret}` },
      AZURE_POD_IDENTITY_AUTHORITY_HOST: "simulator:/azure",
    },
  },
);
const paths = () => world.gateway.simulator.calls().map(({ path }) => path);
afterEach(() => world.gateway.simulator.reset());

describe("with a key", () => {
  test.each([
    ["demo/plain", "/azure/openai/v1/chat/completions"],
    ["demo/dated", "/azure/openai/deployments/gpt%20deployment/chat/completions?api-version=2024-10-21"],
  ])("%s: whole and streamed say the same and cost the same", async (model, path) => {
    const account = await world.account();
    const whole = await world.chat(account, { model, max_tokens: 300 });
    expect(whole.status, whole.text).toBe(200);
    expect(whole.json.usage.cost).toBe(costUsd(whole.json.usage, prices));
    const streamed = await world.chat(account, { model, max_tokens: 300, stream: true, stream_options: { include_usage: true } });
    expect(textOf(streamed)).toBe(whole.json.choices[0].message.content);
    expect(recordsOf(streamed).at(-2).usage).toEqual(whole.json.usage);
    const [call] = world.gateway.simulator.calls();
    expect(call!.path).toBe(path);
    expect(world.sent()[0]).toMatchObject({ max_completion_tokens: 300 });
    expect(whole.text).not.toMatch(/azure/i);
  });

  test.each(["plain", "dated"])("%s: embeddings, an image, speech and a transcript", async (id) => {
    const { key } = await world.account();
    const ask = (path: string, body: object) => world.gateway.request("POST", path, { key, body });
    const embedded = await ask("/v1/embeddings", { model: `embed/${id}`, input: "harbour" });
    expect(embedded.json.data[0].embedding).toHaveLength(1536);
    const job = await ask("/v1/images/generations", { model: `image/${id}`, prompt: "A lighthouse" });
    expect(job.status, job.text).toBe(202);
    const made = await endedJob(world.gateway, job.json.id as string, key);
    expect(made.json).toMatchObject({ status: "succeeded", charged_amount: 0.04 });
    const spoken = await ask("/v1/audio/speech", { model: `speech/${id}`, input: "Good morning." });
    expect([spoken.status, spoken.headers["content-type"]]).toEqual([200, "audio/mpeg"]);
    const { body, type } = await formOf({ model: `stt/${id}` }, wavFile(3));
    const heard = await world.gateway.request("POST", "/v1/audio/transcriptions", { key, body, headers: { "content-type": type } });
    expect(heard.status, heard.text).toBe(200);
    const resource = id === "plain" ? "/azure/openai/v1" : "/azure/openai/deployments";
    expect(paths().every((path) => path.startsWith(resource))).toBe(true);
  });

  test("messages", async () => {
    const account = await world.account();
    const whole = await askMessage(world, account, { model: "demo/dated" });
    const streamed = messageOf(eventsOf(await askMessage(world, account, { model: "demo/dated", stream: true })));
    expect(streamed.content).toEqual(whole.json.content);
  });

  test("a key that is refused: another route serves, and the log has the status", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/wrong-key" });
    expect([reply.status, reply.headers["x-svc-fallback-layer"]]).toEqual([200, "1"]);
    expect((await world.logOf(reply))!.attempts[0]).toMatchObject({ status: 401 });
  });

  test("a deployment that is gone and a rate limit: another route serves", async () => {
    for (const model of ["demo/gone", "demo/busy"]) {
      const reply = await world.chat(await world.account(), { model });
      expect([reply.status, reply.headers["x-svc-fallback-layer"]]).toEqual([200, "1"]);
    }
  });
});

describe("with Entra", () => {
  test("one token for calls at once, and for those that follow", async () => {
    const account = await world.account();
    const ask = () => world.chat(account, { model: "demo/entra" });
    const replies = await Promise.all([ask(), ask(), ask()]);
    replies.push(await ask());
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const tokens = world.gateway.simulator.calls().filter(({ path }) => path.startsWith("/azure/login"));
    expect(tokens.map(({ path }) => path)).toEqual(["/azure/login/contoso.onmicrosoft.com/oauth2/v2.0/token"]);
    expect(JSON.stringify(replies)).not.toContain(secret);
  });

  test("a certificate of the application, and the machine's own identity", async () => {
    const { pem } = (await (await fetch(`${world.gateway.simulator.url}/azure/certificate`)).json()) as { pem: string };
    writeFileSync(pemFile, pem, { mode: 0o600 });
    const account = await world.account();
    for (const model of ["demo/certificate", "demo/machine"]) {
      const reply = await world.chat(account, { model });
      expect(reply.status, reply.text).toBe(200);
    }
    const asked = world.gateway.simulator.calls().filter(({ path }) => /token/.test(path));
    expect(asked.map(({ method, path }) => `${method} ${path.split("?")[0]}`)).toEqual([
      "POST /azure/login/contoso.onmicrosoft.com/oauth2/v2.0/token",
      "GET /azure/metadata/identity/oauth2/token",
    ]);
  });

  test.each([
    ["demo/wrong-secret", "Entra gave no token: invalid_client, AADSTS7000215 (the secret is wrong, or its id was taken for it)"],
    ["demo/unset", "the variable UNSET_SECRET is not set"],
    ["demo/closed", "the service that gives out credentials can't be reached: nothing listens there (ECONNREFUSED 127.0.0.1:1)"],
  ])("%s: the operator learns why, the caller is served by another route", async (model, detail) => {
    const reply = await world.chat(await world.account(), { model });
    expect([reply.status, reply.headers["x-svc-fallback-layer"]]).toEqual([200, "1"]);
    const [attempt] = (await world.logOf(reply))!.attempts as any[];
    expect(attempt).toMatchObject({ cause: "credentials", detail });
    expect(JSON.stringify(attempt)).not.toContain(secret);
  });
});

describe("the content filter", () => {
  test("403 route_refused for a prompt that it stopped, and nothing is charged", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/filtered" });
    expect([reply.status, reply.json.error.code]).toEqual([403, "route_refused"]);
    await world.expectUntouched(account);
  });

  test("an answer that it cut off ends with content_filter", async () => {
    const { json } = await world.chat(await world.account(), { model: "demo/cut-off" });
    expect(json.choices[0].finish_reason).toBe("content_filter");
  });
});
