// If the tokenizer can't be loaded, answers are still charged: tokens without a count are four bytes each, never above the hold.
// The gateway is a process of its own, since a tokenizer that was loaded once stays.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Gateway } from "../../support/gateway.ts";
import { checkedRequest } from "../../support/request.ts";
import { scratchFolder } from "../../support/leftovers.ts";
import { spawnGateway, type SpawnedGateway } from "../../support/spawned-gateway.ts";
import { type ChatWorld, chatWorld, costUsd, hello, language, prices, provider, recordsOf } from "./chat-gateway.ts";
import { leave } from "./disconnect.ts";

const refuseTokenizer = `
  import { registerHooks } from "node:module";
  registerHooks({
    resolve(name, context, next) {
      if (name.includes("gpt-tokenizer")) throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
      return next(name, context);
    },
  });`;

const quay = (model: string) => ({ provider: "quay", model });
const models = [
  language("demo/uncounted", ["chat+sim-no-usage+sim-tokens-40"]),
  language("demo/tight", ["chat+sim-no-usage+sim-tokens-400"], { context_window: 100, max_output_tokens: 4 }),
  language("demo/paced", ["chat+sim-pace-20ms+sim-tokens-500"]),
  language("demo/silent", [quay("silent+sim-no-usage")]),
];
const providers = [provider("north"), provider("quay", { protocol: "anthropic", base_url: "simulator:/anthropic/v1" })];

/** It has the accounts, the simulator and the ledger; the gateway without a tokenizer answers. */
const beside = chatWorld(models, { providers });
let answering: SpawnedGateway;
beforeAll(async () => {
  const { databaseUrl, simulator } = beside.gateway;
  const catalog = join(scratchFolder("uncounted-"), "catalog.json");
  writeFileSync(catalog, JSON.stringify({ providers, models }).replaceAll("simulator:/", `${simulator.url}/`));
  const options = `--import=data:text/javascript,${encodeURIComponent(refuseTokenizer)}`;
  answering = await spawnGateway({ DATABASE_URL: databaseUrl, SVC_CATALOG: catalog, NODE_OPTIONS: options });
});
afterAll(() => answering.kill("SIGTERM"));

const world: ChatWorld = {
  ...beside,
  get gateway() {
    const { url } = answering;
    return { ...beside.gateway, url, request: (method, path, options) => checkedRequest(url, method, path, options) } satisfies Gateway;
  },
  chat: ({ key }, body) => world.gateway.request("POST", "/v1/chat/completions", { key, body: { messages: hello, ...body } }),
};

/** "user" and "Hello" are 9 bytes, and 4 tokens are the frame of one message; the tokenizer says 6. */
const likely = 7;

describe("200", () => {
  test("an answer without usage is charged by its prompt's bytes, and the log tells the operator why", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/uncounted" });
    expect(reply.status).toBe(200);
    const { usage } = reply.json;
    expect(usage.prompt_tokens).toBe(likely);
    expect(usage.cost).toBe(costUsd(usage, prices));
    expect(await world.logOf(reply)).toMatchObject({ estimated: true, status: "success" });
    expect(await world.gateway.balance(account)).toMatchObject({ reserved: 0, spent: usage.cost });
    await expect.poll(answering.output).toContain("could not be counted");
  });

  test("never above what was reserved", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/tight" });
    const row = (await world.logOf(reply))!;
    expect(row).toMatchObject({ estimated: true, status: "success", output_tokens: 400n });
    const charged = { prompt_tokens: likely, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 0 } };
    expect(row.cost).toBe(BigInt(Math.round(costUsd(charged, prices) * 1e8)));
    expect(row.cost).toBeLessThanOrEqual(row.reserved);
  });

  test("a prompt whose bytes alone are too many for its context window is refused", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/tight", messages: [{ role: "user", content: "a".repeat(1_000) }] });
    expect([reply.status, reply.json.error.code]).toEqual([400, "request_rejected"]);
    await world.expectUntouched(account);
  });

  test("a stream without usage ends as others do, and is charged", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/uncounted", stream: true, stream_options: { include_usage: true } });
    const records = recordsOf(reply);
    expect(records.at(-1)).toBe("[DONE]");
    expect(records.at(-2).usage).toMatchObject({ prompt_tokens: likely, completion_tokens: 40 });
    expect((await world.gateway.balance(account)).spent).toBe(costUsd(records.at(-2).usage, prices));
    expect(await world.logOf(reply)).toMatchObject({ estimated: true, status: "success" });
  });

  test.each(["demo/uncounted", "demo/silent"])("a message stream of %s, which begins with an estimate, too", async (model) => {
    const account = await world.account();
    const body = { model, max_tokens: 100, messages: hello, stream: true };
    const reply = await world.gateway.request("POST", "/v1/messages", { key: account.key, body });
    expect(reply.text).toContain(`"input_tokens":${likely}`);
    expect(reply.text).toContain("message_stop");
    expect(await world.logOf(reply)).toMatchObject({ estimated: true, status: "success", input_tokens: BigInt(likely) });
  });

  test("a count of tokens is that estimate", async () => {
    const account = await world.account();
    const body = { model: "demo/uncounted", messages: hello };
    const reply = await world.gateway.request("POST", "/v1/messages/count_tokens", { key: account.key, body });
    expect(reply.json).toEqual({ input_tokens: likely });
  });
});

test("a caller who aborts a stream without usage midway pays for what was delivered, and nothing stays held", async () => {
  const enough = (text: string) => text.split("data: ").length > 3;
  const { row, balance } = await leave(world, "/v1/chat/completions", { model: "demo/paced", messages: hello }, enough);
  expect(row).toMatchObject({ status: "aborted", http_status: 499, estimated: true, input_tokens: BigInt(likely) });
  expect(row.cost).toBeGreaterThan(0n);
  expect(balance).toMatchObject({ reserved: 0, spent: Number(row.cost) / 1e8 });
});
