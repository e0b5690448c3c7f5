// GET /v1/pricing, GET /v1/credits/pricing and GET /v1/limits/tiers over HTTP, on the shipped catalog.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../support/gateway.ts";

let gateway: Gateway;
let rows: Record<string, any>[];
beforeAll(async () => {
  gateway = await startGateway();
  rows = (await gateway.request("GET", "/v1/models")).json.data;
});
afterAll(() => gateway.stop());

describe("getPricing 200", () => {
  test("one row a listed model, but for per-song and per-call; both lists sorted and counted; kept for a minute", async () => {
    const { status, headers, json } = await gateway.request("GET", "/v1/pricing");
    expect([status, headers["cache-control"]]).toEqual([200, "public, max-age=60"]);
    expect(json).toMatchObject({ object: "pricing.catalog", text_count: json.text.length, media_count: json.media.length });
    const idsOf = (list: { id: string }[]) => list.map(({ id }) => id);
    const expected = (priced: (mode: string) => boolean) =>
      idsOf(rows.filter((row) => priced(row.pricing_mode)) as { id: string }[]).sort();
    expect(idsOf(json.text)).toEqual(expected((mode) => mode === "per-token"));
    expect(idsOf(json.media)).toEqual(expected((mode) => !["per-token", "per-song", "per-call"].includes(mode)));
  });

  test("text rows say today's rates and the list rates, as the model row does", async () => {
    const { text } = (await gateway.request("GET", "/v1/pricing")).json;
    for (const price of text) {
      const { pricing, list_price } = rows.find((row) => row.id === price.id)!;
      expect(price).toMatchObject({ input_per_1m: pricing.input, output_per_1m: pricing.output, cached_input_per_1m: pricing.cached });
      expect(price).toMatchObject({ list_input_per_1m: list_price.input, list_output_per_1m: list_price.output });
    }
  });
});

describe("getLegacyPricing", () => {
  const get = (key?: string) => gateway.request("GET", "/v1/credits/pricing", key === undefined ? {} : { key });

  test("200: per token, a millionth of the rate per million, placeholders elsewhere; it says what replaces it", async () => {
    const { status, headers, json } = await get((await gateway.createAccount()).key);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ deprecation: "true", link: expect.stringContaining("/v1/pricing") });
    expect(json.data).toHaveLength(rows.length);
    for (const row of json.data) {
      const { pricing } = rows.find(({ id }) => id === row.model)!;
      expect(row.placeholder).toBe(pricing.mode !== "per-token");
      expect(row.input_per_token * 1e6).toBeCloseTo(pricing.input, 9);
      expect(row.output_per_token * 1e6).toBeCloseTo(pricing.output, 9);
    }
  });

  test("401 missing_api_key and invalid_api_key", async () => {
    const [missing, invalid] = [await get(), await get("svc_nonsense")];
    expect([missing.status, missing.json.error.code]).toEqual([401, "missing_api_key"]);
    expect([invalid.status, invalid.json.error.code]).toEqual([401, "invalid_api_key"]);
  });
});

describe("listTiers 200", () => {
  test("five rows from 0 to 4, the shared pool on tier 4 only, kept for five minutes", async () => {
    const { status, headers, json } = await gateway.request("GET", "/v1/limits/tiers");
    expect([status, headers["cache-control"]]).toEqual([200, "public, max-age=300"]);
    expect(json.object).toBe("tier.matrix");
    expect(json.tiers.map(({ tier }: { tier: number }) => tier)).toEqual([0, 1, 2, 3, 4]);
    expect(json.tiers[0]).toMatchObject({
      ...{
        min_deposit: 0,
        rpm: 30,
        per_model_rpm: 25,
        tpm: 200_000,
        max_single_request: 200_000,
        image_concurrent: 2,
        image_queue_depth_cap: 6,
      },
      ...{
        video_concurrent: 0,
        video_queue_depth_cap: 0,
        audio_concurrent: 2,
        audio_concurrent_per_capability: { transcription: 1, understanding: 2, speech: 1 },
      },
    });
    expect(json.tiers[4]).toMatchObject({ combined_media_concurrent: 38, combined_queue_depth_cap: 114, audio_concurrent: 100 });
    expect(json.tiers.slice(0, 4).some((row: object) => "combined_media_concurrent" in row || "combined_queue_depth_cap" in row)).toBe(
      false,
    );
  });
});
