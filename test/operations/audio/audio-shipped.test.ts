// The shipped catalog's speech and music: every active model answers and is billed at its published prices.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { decodeMp3 } from "../../simulator/audio-check.ts";

let gateway: Gateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startGateway();
  account = await gateway.createAccount({ deposit: "100" });
});
afterAll(() => gateway.stop());

const ask = (path: string, body: object) => gateway.request("POST", `/v1/audio/${path}`, { key: account.key, body });

test.each([
  ["lyra/multilingual-quality", "0.0405"],
  ["lyra/flash", "0.02025"],
  ["lyra/turbo", "0.02025"],
  ["mimir/speech-hd", "0.007"],
  ["mimir/speech-turbo", "0.004"],
])("%s says a hundred characters for %s USD, in a voice of OpenAI's name or in its own", async (model, cost) => {
  for (const voice of [{}, { voice: "alloy" }]) {
    const reply = await ask("speech", { model, input: "a".repeat(100), stream: true, ...voice });
    expect([reply.status, reply.headers["x-svc-cost-usd"]]).toEqual([200, cost]);
    expect((await decodeMp3(reply.bytes)).seconds).toBeGreaterThan(6);
  }
});

test.each([
  ["lyra/music", "0.675", "5"],
  ["verse/song", "0.108", undefined],
])("%s makes music for %s USD", async (model, cost, seconds) => {
  const reply = await ask("music", { model, prompt: "Calm piano", music_length_ms: 5000 });
  expect([reply.status, reply.headers["x-svc-cost-usd"]]).toEqual([200, cost]);
  const heard = await decodeMp3(reply.bytes);
  expect(Math.abs(heard.seconds - Number(reply.headers["x-svc-duration-sec"]))).toBeLessThan(0.1);
  if (seconds !== undefined) expect(reply.headers["x-svc-duration-sec"]).toBe(seconds);
});

test("where none is named, the quality model of family A speaks and the per-second model plays", async () => {
  expect((await ask("speech", { input: "Hello" })).headers["x-svc-model"]).toBe("lyra/multilingual-quality");
  expect((await ask("music", { prompt: "Hello", duration_ms: 3000 })).headers["x-svc-model"]).toBe("lyra/music");
});

test.each([
  ["speech", { model: "lyra/expressive", input: "Hello" }],
  ["music", { model: "mimir/song-1", prompt: "Hello" }],
  ["music", { model: "mimir/song-2", prompt: "Hello" }],
  ["sfx", { prompt: "Hello" }],
  ["sfx", {}],
  ["understand", {}],
])("%s %j: 404 model_not_found", async (path, body) => {
  const reply = await ask(path, body);
  expect([reply.status, reply.json.error.code]).toEqual([404, "model_not_found"]);
});
