// The price of batches: a multiple of every token price that a batch's line pays and that no other request can ask for.
import { describe, expect, test } from "vitest";
import { chatWorld, hello, language } from "../chat/chat-gateway.ts";
import { createBatch, ended, linesFor, resultsOf } from "./batch-gateway.ts";

const chat = "/v1/chat/completions";
const directives = "sim-prompt-tokens-1000+sim-completion-tokens-50";
/** 1,000 input and 50 output tokens are 2,500 millionths of a USD, 250,000 units. */
const token = { mode: "per-token", input: 2, output: 10 };
const world = chatWorld(
  [
    language("half/all", [`chat+${directives}`], { pricing: { ...token, batch: 0.5, service_tiers: { priority: 2 } } }),
    language("half/falls", ["chat+sim-fail-503"], { pricing: { ...token, batch: 0.5 }, fallbacks: ["half/other"] }),
    language("half/other", [`chat+${directives}`], { pricing: { ...token, batch: 0.75 } }),
    language("full/all", [`chat+${directives}`], { pricing: token }),
  ],
  {},
  { batches: { lookMs: 50, leaseMs: 600, pauseMs: 50 } },
);
const asked = (model: string, more: object = {}) => ({ model, messages: hello, max_tokens: 100, ...more });

async function lineOf(body: object, deposit = "20") {
  const account = await world.account({ deposit });
  const { gateway } = world;
  const batch = await ended(gateway, account, await createBatch(gateway, account, chat, linesFor(chat, [body])));
  const [result] = await resultsOf(gateway, account, batch.output_file_id ?? batch.error_file_id);
  const receipt = await gateway.request("GET", `/v1/usage/${result!.response!.request_id}`, { key: account.key });
  const { spent, reserved } = await gateway.balance(account);
  return { result: result!.response!, receipt: receipt.json, units: Math.round(spent * 1e8), reserved };
}

describe("a line of a batch", () => {
  test.each([
    ["pays the price of batches", asked("half/all"), 125_000],
    ["pays the usual price of a model that has none", asked("full/all"), 250_000],
    ["pays the priced service tier that it asks for", asked("half/all", { service_tier: "priority" }), 500_000],
    ["pays the price of batches with a tier that has no price", asked("half/all", { service_tier: "auto" }), 125_000],
    ["that a fallback answers never pays more than the model that it asked for", asked("half/falls"), 125_000],
  ])("%s", async (_, body, units) => {
    const line = await lineOf(body);
    expect(line.result.status_code).toBe(200);
    expect(line).toMatchObject({ units, reserved: 0 });
    expect(line.result.body.usage.cost).toBe(units / 1e8);
    expect(line.receipt.charge).toMatchObject({ cost_usd: units / 1e8, rounded_usd: units / 1e8 });
  });

  test("is held at the price of batches: half the credit pays for it", async () => {
    const account = await world.account({ deposit: "20" });
    const reply = await world.chat(account, asked("half/all"));
    const { reserved } = (await world.logOf(reply))!;
    const half = (reserved + 1n) / 2n;
    const deposit = (Number(half) / 1e8).toFixed(8);
    expect(await lineOf(asked("half/all"), deposit)).toMatchObject({ result: { status_code: 200 }, reserved: 0 });
  });
});

test("no other request gets it: a service tier of its name is dropped, and pays the usual price", async () => {
  const account = await world.account({ deposit: "20" });
  const reply = await world.chat(account, asked("half/all", { service_tier: "batch" }));
  expect(reply.json.usage.cost).toBe(250_000 / 1e8);
  expect(world.sent().at(-1)).not.toHaveProperty("service_tier");
});

test("the model list and the price list show it", async () => {
  const ofModels = (await world.gateway.request("GET", "/v1/models")).json.data;
  const ofPrices = (await world.gateway.request("GET", "/v1/pricing")).json;
  const batchOf = (rows: any[], id: string) => rows.find((row) => row.id === id);
  expect(["half/all", "full/all"].map((id) => batchOf(ofModels, id).pricing.batch)).toEqual([0.5, undefined]);
  expect(["half/all", "full/all"].map((id) => batchOf(ofPrices.text, id).batch)).toEqual([0.5, undefined]);
});
