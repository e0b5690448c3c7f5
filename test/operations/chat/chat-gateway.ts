// A gateway whose catalog a test file writes as plain objects, and the helpers that every chat test needs. After each file the ledger must
// audit clean with nothing held.
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { eventually } from "../../support/eventually.ts";
import type { SimulatorCall } from "../../../src/simulator/calls.ts";
import { requestFaults } from "../../providers/descriptions/described.ts";
import { type Gateway, type NewAccountOptions, startGateway, type TestAccount, type TestReply } from "../../support/gateway.ts";

export interface ChatWorld {
  readonly gateway: Gateway;
  /** With a deposit of 20 USD by default. */
  account(options?: NewAccountOptions): Promise<TestAccount>;
  /** By default a user's "Hello" to the model. */
  chat(account: TestAccount, body: object, headers?: Record<string, string>): Promise<TestReply>;
  /** The usage log's row of a reply's request; undefined: it was never admitted. */
  logOf(reply: TestReply): Promise<LogRow | undefined>;
  /** Bodies that the simulator got since the test began, in order. */
  sent(): { model: string; [key: string]: unknown }[];
  /** Balance, holds and spending are as before any request. */
  expectUntouched(account: TestAccount, balance?: number): Promise<void>;
}

export type LogRow = Record<string, unknown> & {
  cost: bigint;
  reserved: bigint;
  attempts: { route: string; model: string; outcome: string; status: number | null }[];
};

export const hello = [{ role: "user", content: "Hello" }];

/** `models` as the catalog file gives them; see `language`. The rest of the file may follow. */
export function chatWorld(models: object[], file: object = {}, options: Parameters<typeof startGateway>[0] = {}): ChatWorld {
  let gateway: Gateway;
  const catalog = JSON.stringify({ providers: ["north", "south", "west"].map((id) => provider(id)), models, ...file });
  beforeAll(async () => void (gateway = await startGateway({ ...options, catalog })));
  afterEach(() => {
    const calls = gateway.simulator.calls();
    gateway.simulator.reset();
    expect(calls.filter(isDescribed).flatMap((call) => requestFaults(call) ?? [])).toEqual([]);
  });
  afterAll(async () => {
    // The hold of an interrupted or aborted stream ends a moment after its last record.
    const booksAreClean = async () => expect(await gateway.audit()).toMatchObject({ mismatches: [], reservations_open: 0, holds_open: 0 });
    await eventually(booksAreClean).finally(gateway.stop); // expect.poll is for tests alone
  });
  return {
    get gateway() {
      return gateway;
    },
    account: (options = { deposit: "20" }) => gateway.createAccount(options),
    chat: (account, body, headers = {}) =>
      gateway.request("POST", "/v1/chat/completions", { key: account.key, body: { messages: hello, ...body }, headers }),
    async logOf(reply) {
      const { rows } = await gateway.context.db.pool.query<LogRow>("select * from usage_log where request_id = $1", [
        reply.headers["x-request-id"],
      ]);
      expect(rows.length).toBeLessThanOrEqual(1);
      return rows[0];
    },
    sent: () => gateway.simulator.calls().map((call) => call.json as { model: string }),
    async expectUntouched(account, balance = 20) {
      expect(await gateway.balance(account)).toEqual({ balance, reserved: 0, spent: 0 });
    },
  };
}

/** A host at the plain path only speaks like OpenAI, and may be sent what OpenAI doesn't know; Anthropic's description lacks its betas. */
function isDescribed({ path, json, headers, body }: SimulatorCall): boolean {
  const isBeta = headers["anthropic-beta"] !== undefined || /"(?:context_management|compaction)"/.test(body);
  return json !== undefined && !path.startsWith("/v1/") && !isBeta;
}

export function provider(id: string, more: object = {}): object {
  return { id, protocol: "openai", base_url: "simulator:/v1", ...more };
}

/** USD per million tokens: what most tests pay. */
export const prices = { input: 0.5, output: 1.5, cached: 0.05 };

/** `routes`: upstream ids, the first at provider north, the second at south, the third at west. */
export function language(id: string, routes: (string | object)[], more: object = {}): object {
  const providers = ["north", "south", "west"];
  return {
    id,
    type: "language",
    context_window: 128_000,
    max_output_tokens: 1000,
    pricing: { mode: "per-token", ...prices },
    routes: routes.map((route, index) => ({ provider: providers[index], ...(typeof route === "string" ? { model: route } : route) })),
    ...more,
  };
}

export interface TokenCounts {
  prompt_tokens: number;
  completion_tokens: number;
  prompt_tokens_details: { cached_tokens: number };
}

/** Computed in integers, rounded up once to 8 decimals. Prices in USD per million tokens, at most 6 decimals. */
export function costUsd(usage: TokenCounts, { input, output, cached = input }: { input: number; output: number; cached?: number }): number {
  const perToken = (usd: number) => BigInt(Math.round(usd * 1e6));
  const read = usage.prompt_tokens_details.cached_tokens;
  const exact =
    BigInt(usage.prompt_tokens - read) * perToken(input) +
    BigInt(read) * perToken(cached) +
    BigInt(usage.completion_tokens) * perToken(output);
  return Number((exact + 9_999n) / 10_000n) / 1e8;
}

/** The records of an event stream, parsed, [DONE] as it is; comments are passed over. */
export function recordsOf(reply: TestReply): any[] {
  const blocks = reply.text.split("\n\n").filter((block) => block !== "" && !block.startsWith(":"));
  return blocks.map((block) => {
    expect(block).toMatch(/^data: \S.*$/);
    const data = block.slice("data: ".length);
    return data === "[DONE]" ? data : JSON.parse(data);
  });
}

/** Text of a stream's first answer. */
export function textOf(reply: TestReply): string {
  return recordsOf(reply)
    .map((record) => record.choices?.[0]?.delta?.content ?? "")
    .join("");
}
