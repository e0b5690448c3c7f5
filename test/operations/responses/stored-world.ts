// A gateway whose workspaces may have their responses stored, for the tests of what is stored and of what goes on from it.
import OpenAI from "openai";
import { expect } from "vitest";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { chatWorld, language, provider } from "../chat/chat-gateway.ts";
import { respond } from "./responses-gateway.ts";

export interface StoredRow {
  id: string;
  input: Buffer;
  response: Buffer | null;
}

/** `host`: the address of an upstream of the test's own, which demo/host asks. */
export function storedWorld(more: Parameters<typeof chatWorld>[2] = {}, host?: string) {
  const world = chatWorld(
    [
      language("demo/chat", ["chat"], { supports_tools: true }),
      language("demo/small", ["chat"], { context_window: 400, max_output_tokens: 20 }),
      language("demo/cut", ["chat+sim-cut-after-4"]),
      language("demo/paced", ["chat+sim-pace-100ms"]),
      language("demo/kept", ["chat"], { pricing: { mode: "per-token", input: 2, output: 10, response_cache: 0.1 } }),
      ...(host === undefined ? [] : [language("demo/host", [{ provider: "host", model: "host" }])]),
    ],
    {
      aliases: { best: "demo/chat" },
      providers: [provider("north"), ...(host === undefined ? [] : [provider("host", { base_url: `${host}/v1` })])],
    },
    { ...more, env: { SVC_RESPONSES_SECRET: "a secret of the tests, which is long enough" } },
  );
  const query = <Row extends object>(text: string, values: unknown[]) => world.gateway.context.db.pool.query<Row>(text, values);
  const keepFor = ({ accountId }: TestAccount, days: number | null) =>
    query("update account set response_retention_days = $2 where id = $1", [accountId, days]);
  const ask = ({ key }: Pick<TestAccount, "key">, method: string, path: string, body?: object) =>
    world.gateway.request(method, path, { key, ...(body === undefined ? {} : { body }) });
  return {
    world,
    query,
    keepFor,
    ask,
    /** An account whose responses are stored. */
    async storing(deposit = "20"): Promise<TestAccount> {
      const account = await world.account({ deposit });
      await keepFor(account, 30);
      return account;
    },
    get: (account: Pick<TestAccount, "key">, id: string, path = "") => ask(account, "GET", `/v1/responses/${id}${path}`),
    async answered(account: TestAccount, body: object = {}): Promise<any> {
      const reply = await respond(world, account, { model: "best", ...body });
      expect(reply.status).toBe(200);
      return reply.json;
    },
    promptOf: (call: number) => world.sent()[call]!["messages"] as { role: string; content: unknown }[],
    rowsOf: async ({ accountId }: TestAccount) =>
      (await query<StoredRow>("select * from stored_response where account_id = $1", [accountId])).rows,
    openai: ({ key }: TestAccount) => new OpenAI({ apiKey: key, baseURL: `${world.gateway.url}/v1`, maxRetries: 0 }),
  };
}

export const codeOf = ({ status, json }: TestReply) => [status, json.error?.code, json.error?.param];
export const uuidOf = (id: string) => id.slice("resp_".length);
