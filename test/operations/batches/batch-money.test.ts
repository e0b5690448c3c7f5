// What a customer could try with batches to be answered more than is paid: one file in several batches at once, lines that the balance does not
// pay for, and ends that race with running lines. Each line is charged once, or its provider was not asked.
import { describe, expect, test } from "vitest";
import { chatWorld, hello, language } from "../chat/chat-gateway.ts";
import { createBatch, ended, linesFor, resultsOf, upload } from "./batch-gateway.ts";

const chat = "/v1/chat/completions";
/** 0.01 USD a call, held and charged. */
const flat = { mode: "per-token", input: 0, output: 0, per_request: 0.01 };
const world = chatWorld(
  [
    language("flat/now", ["chat+sim-tokens-3"], { pricing: flat }),
    language("flat/slow", ["chat+sim-tokens-3+sim-slow-60ms"], { pricing: flat }),
    language("dear/now", ["chat+sim-tokens-3+sim-split-9"], { pricing: { ...flat, per_request: 5 } }),
  ],
  {},
  { batches: { lookMs: 20, leaseMs: 600, pauseMs: 20 } },
);
const lines = (count: number, model = "flat/now") => Array.from({ length: count }, () => ({ model, messages: hello, max_tokens: 5 }));
/** What the provider was asked for. */
const asked = () => world.sent().length;

describe("a batch", () => {
  test("one file in four batches at once, and a balance for 7 of its 40 lines: 7 are answered and charged, the others are never sent", async () => {
    const account = await world.account({ deposit: "0.07" });
    const { id } = await upload(world.gateway, account, linesFor(chat, lines(10)));
    const body = { input_file_id: id, endpoint: chat, completion_window: "24h" };
    const before = asked();
    const created = await Promise.all(
      Array.from({ length: 4 }, () => world.gateway.request("POST", "/v1/batches", { key: account.key, body })),
    );
    expect(created.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const batches = await Promise.all(created.map(({ json }) => ended(world.gateway, account, json)));
    expect(batches.reduce((sum, { request_counts }) => sum + request_counts.completed, 0)).toBe(7);
    expect(asked() - before).toBe(7);
    expect(await world.gateway.balance(account)).toEqual({ balance: 0, reserved: 0, spent: 0.07 });
  });

  test("a line with a model above the balance is refused by itself, and takes nothing from the others", async () => {
    const account = await world.account({ deposit: "0.03" });
    const before = asked();
    const mixed = [...lines(1), ...lines(2, "dear/now"), ...lines(2)];
    const batch = await ended(world.gateway, account, await createBatch(world.gateway, account, chat, linesFor(chat, mixed)));
    expect(batch.request_counts).toEqual({ total: 5, completed: 3, failed: 2 });
    const refused = await resultsOf(world.gateway, account, batch.error_file_id);
    expect(refused.map(({ custom_id, response }) => [custom_id, response!.status_code])).toEqual([
      ["r1", 402],
      ["r2", 402],
    ]);
    expect(asked() - before).toBe(3);
    expect(await world.gateway.balance(account)).toEqual({ balance: 0, reserved: 0, spent: 0.03 });
  });

  test("cancelled many times while its lines run, its file deleted meanwhile: what the provider was asked for is charged, once each", async () => {
    const account = await world.account({ deposit: "1" });
    const before = asked();
    const created = await createBatch(world.gateway, account, chat, linesFor(chat, lines(30, "flat/slow")));
    await expect.poll(() => asked() - before).toBeGreaterThan(0);
    const cancel = () => world.gateway.request("POST", `/v1/batches/${created.id}/cancel`, { key: account.key });
    const replies = await Promise.all([
      ...Array.from({ length: 10 }, cancel),
      world.gateway.request("DELETE", `/v1/files/${created["input_file_id"] as string}`, { key: account.key }),
    ]);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    const batch = await ended(world.gateway, account, created);
    const answered = await resultsOf(world.gateway, account, batch.output_file_id);
    const { spent, reserved } = await world.gateway.balance(account);
    expect({ answered: answered.length, cents: Math.round(spent * 100), reserved }).toEqual({
      answered: asked() - before,
      cents: asked() - before,
      reserved: 0,
    });
  });
});
