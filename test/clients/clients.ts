// A gateway for one test file, and the real clients pointed at it with every HTTP exchange they make noted.
// Ends each file with the promise that all of them share: the books are right and nothing is left open.
import { type AnthropicProvider, createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI, type OpenAIProvider } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type AnthropicInput, ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI, type ChatOpenAIFields } from "@langchain/openai";
import OpenAI, { type ClientOptions } from "openai";
import { afterAll, beforeAll, expect } from "vitest";
import { until } from "../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { clientsCatalog } from "./upstreams.ts";

/** One HTTP exchange of a client. */
export interface Exchange {
  path: string;
  status: number;
  headers: Headers;
  /** What the client sent. */
  body: any;
}

export interface Customer {
  account: TestAccount;
  exchanges: Exchange[];
  /** Notes what goes through it in `exchanges`. */
  fetch: typeof globalThis.fetch;
  openai(options?: ClientOptions): OpenAI;
  aiSdk(options?: { includeUsage?: boolean; supportsStructuredOutputs?: boolean }): ReturnType<typeof createOpenAICompatible>;
  /** The AI SDK's provider for OpenAI itself. */
  aiOpenai(): OpenAIProvider;
  aiAnthropic(): AnthropicProvider;
  langchain(model: string, fields?: ChatOpenAIFields): ChatOpenAI;
  langchainAnthropic(model: string, fields?: AnthropicInput): ChatAnthropic;
  /** USD spent so far, settled; nothing may still be held. */
  spent(): Promise<number>;
}

export interface Clients {
  readonly gateway: Gateway;
  customer(options?: Parameters<Gateway["createAccount"]>[0]): Promise<Customer>;
}

export function useClients(catalog = clientsCatalog): Clients {
  let gateway: Gateway;
  beforeAll(async () => void (gateway = await startGateway({ catalog })));
  afterAll(async () => {
    try {
      await quiet(gateway);
      await until(async () => (await gateway.audit()).reservations_open === 0);
      expect(await gateway.audit()).toMatchObject({ mismatches: [], holds_open: 0, reservations_open: 0 });
    } finally {
      await gateway.stop();
    }
  });
  return {
    get gateway() {
      return gateway;
    },
    // Enough for the highest tier: rate limits are other tests' business.
    customer: async (options = { deposit: "2000" }) => customerOf(gateway, await gateway.createAccount(options)),
  };
}

function customerOf(gateway: Gateway, account: TestAccount): Customer {
  const exchanges: Exchange[] = [];
  const fetch = notingFetch(exchanges);
  const baseURL = `${gateway.url}/v1`;
  return {
    account,
    exchanges,
    fetch,
    openai: (options = {}) => new OpenAI({ apiKey: account.key, baseURL, fetch, ...options }),
    aiSdk: (options = {}) => createOpenAICompatible({ name: "svc", apiKey: account.key, baseURL, fetch, ...options }),
    aiOpenai: () => createOpenAI({ apiKey: account.key, baseURL, fetch }),
    aiAnthropic: () => createAnthropic({ apiKey: account.key, baseURL, fetch }),
    langchainAnthropic: (model, fields = {}) =>
      new ChatAnthropic({ model, apiKey: account.key, anthropicApiUrl: gateway.url, maxRetries: 0, clientOptions: { fetch }, ...fields }),
    langchain: (model, fields = {}) =>
      new ChatOpenAI({ model, apiKey: account.key, maxRetries: 0, configuration: { baseURL, fetch }, ...fields }),
    async spent() {
      await until(async () => (await gateway.balance(account)).reserved === 0);
      return (await gateway.balance(account)).spent;
    },
  };
}

function notingFetch(exchanges: Exchange[]): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const body = typeof init?.body === "string" ? (JSON.parse(init.body) as unknown) : undefined;
    exchanges.push({ path: new URL(response.url).pathname, status: response.status, headers: response.headers, body });
    return response;
  };
}

/** No call is open towards the upstream any more. */
export async function quiet({ simulator }: Gateway): Promise<void> {
  await until(() => simulator.calls().every(({ outcome }) => outcome !== "open"));
}

export function userMessage(content: string): { role: "user"; content: string }[] {
  return [{ role: "user", content }];
}

/** Prices of the language models of upstreams.ts. */
export function costOf(tokens: { input: number; cached?: number; output: number }): number {
  return (tokens.input * 0.5 + (tokens.cached ?? 0) * 0.125 + tokens.output * 1.5) / 1e6;
}

/** The gateway's own member of `usage`, which no client's types know. */
export function costIn(usage: unknown): number {
  return (usage as { cost: number }).cost;
}
