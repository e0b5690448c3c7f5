// The shipped catalog's voices over the simulator, all of them; and the whole life of an account's own voice: made, listed first, used by its
// account, refused to every other.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseDocument } from "yaml";
import { wavFile } from "../../simulator/audio-check.ts";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";
import { formOf } from "../transcriptions/transcription-gateway.ts";

const shipped = readFileSync(fileURLToPath(new URL("../../../src/catalog/default.yaml", import.meta.url)), "utf8");
/** With the paused ways to make a voice opened; designed voices get ids that the provider chooses. */
function opened(): string {
  const file = parseDocument(shipped).toJS() as { models: Record<string, any>[]; providers: Record<string, any>[]; tiers?: object };
  for (const model of file.models) if (/^voice-(clone|design)$/.test(model.capability as string)) delete model.state;
  const host = file.providers.find(({ id }) => id === "voices-b")!;
  host.headers = { "x-sim-knobs": "voice_design=sim-other-voice-id" };
  const designer = file.models.find(({ capability }) => capability === "voice-design")!;
  const failing = [400, 429, 503].map((status) => {
    file.providers.push({ ...host, id: `fails-${status}`, headers: { "x-sim-knobs": `voice_design=sim-fail-${status}` } });
    return { ...designer, id: `mimir/design-${status}`, routes: [{ provider: `fails-${status}`, model: "design" }] };
  });
  return JSON.stringify({ ...file, models: [...file.models, ...failing], tiers: highTiers() });
}

let gateway: Gateway;
let owner: TestAccount;
let other: TestAccount;
beforeAll(async () => {
  gateway = await startGateway({ catalog: opened() });
  [owner, other] = [await gateway.createAccount({ deposit: "50" }), await gateway.createAccount({ deposit: "50" })];
});
afterAll(async () => {
  const audited = await gateway.audit();
  await gateway.stop();
  expect(audited).toMatchObject({ mismatches: [], reservations_open: 0, holds_open: 0 });
});

const list = async ({ key }: TestAccount, provider: string) =>
  (await gateway.request("GET", `/v1/audio/voices?provider=${provider}`, { key })).json.data as Record<string, any>[];
const clone = async ({ key }: TestAccount, file = wavFile(11)) => {
  const { body, type } = await formOf({ name: "My narrator" }, file);
  return gateway.request("POST", "/v1/audio/voice-clone", { key, body, headers: { "content-type": type } });
};
const design = ({ key }: TestAccount, body: object) =>
  gateway.request("POST", "/v1/audio/voice-design", { key, body: { description: "An old sailor", ...body } });
const speak = ({ key }: TestAccount, voice_id: string, model = "mimir/speech-hd") =>
  gateway.request("POST", "/v1/audio/speech", { key, body: { model, input: "The lantern burns all night.", voice_id } });

describe("the catalogs", () => {
  test("three thousand voices of family A, each with its facets and a sample", async () => {
    const voices = await list(owner, "provider_a");
    expect(voices).toHaveLength(3_000);
    expect(new Set(voices.map(({ voice_id }) => voice_id)).size).toBe(3_000);
    for (const voice of voices)
      expect(voice).toMatchObject({
        category: "premade",
        labels: { gender: expect.any(String), age: expect.any(String), accent: expect.any(String), use_case: expect.any(String) },
        preview_url: expect.stringMatching(/^https:/),
        description: expect.any(String),
      });
  });
  test("three hundred of family B, each with its tags", async () => {
    const voices = await list(owner, "provider_b");
    expect(voices).toHaveLength(300);
    for (const { description } of voices) expect(description.length).toBeGreaterThan(1);
  });
  test("all is both", async () => {
    expect(await list(owner, "all")).toEqual([...(await list(owner, "provider_a")), ...(await list(owner, "provider_b"))]);
  });
});

describe("a voice of one's own", () => {
  test.each([
    ["cloned", /^svcv_[0-9a-f]{32}$/, () => clone(owner)],
    [
      "designed, under an id of the provider's",
      /^svcv_x_ttv-voice-/,
      () => design(owner, { name: "Sailor", gender: "male", age_group: "elderly" }),
    ],
  ])("%s: listed first, spoken with by its account, 403 voice_not_owned for every other", async (_, id, make) => {
    const before = await list(owner, "provider_b");
    const { status, json } = await make();
    expect([status, json.voice_id]).toEqual([200, expect.stringMatching(id)]);
    const own = { provider: "provider_b", voice_id: json.voice_id, name: json.name, category: "cloned" };
    expect(await list(owner, "provider_b")).toEqual([own, ...before]);
    expect((await list(owner, "all"))[0]).toEqual(own);
    expect(await list(other, "provider_b")).toHaveLength(300);
    const spoken = await speak(owner, json.voice_id);
    expect([spoken.status, spoken.headers["content-type"]]).toEqual([200, "audio/mpeg"]);
    // As the provider calls it, too.
    for (const called of [json.voice_id, json.voice_id.replace("svcv_x_", "")]) {
      const refused = await speak(other, called);
      expect([refused.status, refused.json.error.code]).toEqual([403, "voice_not_owned"]);
    }
    expect(await list(owner, "provider_b")).toEqual([own, ...before]);
  });

  test("a voice sample whose length the provider does not accept: 400 invalid_request, uncharged", async () => {
    const { balance } = await gateway.balance(owner);
    const { status, json } = await clone(owner, wavFile(9.7));
    expect([status, json.error.code]).toEqual([400, "invalid_request"]);
    expect(json.error.message).toContain("voice duration too short or too long");
    expect(await gateway.balance(owner)).toMatchObject({ balance, reserved: 0 });
  });

  test.each([
    [400, 400, "invalid_request"],
    [429, 502, "provider_error"],
    [503, 502, "provider_error"],
  ])("the provider answers %i: %i %s, uncharged", async (upstream, status, code) => {
    const { balance } = await gateway.balance(owner);
    const reply = await design(owner, { model: `mimir/design-${upstream}` });
    expect([reply.status, reply.json.error.code]).toEqual([status, code]);
    expect(await gateway.balance(owner)).toMatchObject({ balance, reserved: 0 });
  });
});
