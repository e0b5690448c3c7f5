// GET /v1/audio/voices is large: compressed for clients that accept it, the same text for all.
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { TestAccount } from "../../support/gateway.ts";
import { rawRequest, voice, voicesWorld } from "./voices-gateway.ts";

const world = voicesWorld();
const labels = { gender: "female", age: "middle-aged", accent: "british", use_case: "narration" };
const many = (count: number, more: object) =>
  Array.from({ length: count }, (_, n) => voice(`${(n * 7919).toString(36)}Xk2vGq81`, { name: `Voice Ünïque ${n}`, ...more }));
const stock = () => {
  const previewUrl = "https://assets.example.com/voices/sample.mp3";
  world.families.a.list = () => Promise.resolve(many(3_000, { labels, previewUrl, description: "Warm and unhurried." }));
  world.families.b.list = () => Promise.resolve(many(300, { tags: ["calm", "english"] }));
};
const raw = (account: TestAccount, query: string, encoding: string | null, method = "GET") =>
  rawRequest(`${world.gateway.url}/v1/audio/voices?provider=${query}`, {
    method,
    headers: { authorization: `Bearer ${account.key}`, ...(encoding !== null && { "accept-encoding": encoding }) },
  });

describe.each(["without", "with"])("%s voices of one's own", (own) => {
  test.each(["provider_a", "provider_b", "all"])(
    "%s: compressed and plain are the same text, and their lengths are said",
    async (query) => {
      stock();
      const account = await world.gateway.createAccount();
      if (own === "with") for (let n = 0; n < 20; n += 1) await world.own(account, `svcv_${query}_${n}`);
      const plain = await raw(account, query, null);
      const compressed = await raw(account, query, "gzip, deflate, br");
      expect(plain.headers).not.toHaveProperty("content-encoding");
      expect(compressed.headers["content-encoding"]).toBe("gzip");
      for (const { headers, bytes } of [plain, compressed])
        expect([headers.vary, Number(headers["content-length"])]).toEqual(["accept-encoding", bytes.length]);
      expect(gunzipSync(compressed.bytes).equals(plain.bytes)).toBe(true);
      const { data } = JSON.parse(plain.bytes.toString()) as { data: object[] };
      const voices = { provider_a: 3_000, provider_b: 300, all: 3_300 }[query]!;
      expect(data).toHaveLength(voices + (own === "with" && query !== "provider_a" ? 20 : 0));
      expect(compressed.bytes.length * 8).toBeLessThan(plain.bytes.length);
      expect((await world.list(account, `?provider=${query}`)).json.data).toEqual(data);
    },
  );
});

test("HEAD says the length that GET would have", async () => {
  stock();
  const account = await world.gateway.createAccount();
  for (const encoding of ["gzip", "identity"]) {
    const [get, head] = [await raw(account, "all", encoding), await raw(account, "all", encoding, "HEAD")];
    expect(head.bytes.length).toBe(0);
    expect(head.headers["content-length"]).toBe(String(get.bytes.length));
    expect(head.headers["content-encoding"]).toBe(get.headers["content-encoding"]);
  }
});

describe("Accept-Encoding", () => {
  test.each([
    ["gzip", true],
    ["GZIP;q=1.0", true],
    ["x-gzip", true],
    ["br, *;q=0.1", true],
    ["gzip;q=0.5, identity;q=0.4", true],
    ["gzip;q=0", false],
    ["gzip; q=0.000", false],
    ["gzip;q=nonsense", false],
    ["gzip;q=0, *", false],
    ["identity, gzip;q=0.5", false],
    ["identity", false],
    ["br", false],
    ["*;q=0", false],
    ["", false],
  ])("%j", async (encoding, compressed) => {
    world.families.a.list = () => Promise.resolve([voice("one")]);
    const { headers } = await raw(await world.gateway.createAccount(), "provider_a", encoding);
    expect(headers["content-encoding"] === "gzip").toBe(compressed);
  });
});
