// What Bedrock has beside Converse: InvokeModel for embeddings and rankings, and credentials of every kind.
import { describe, expect, test } from "vitest";
import { accessKeyId, roleArn, secretAccessKey } from "../../../src/simulator/bedrock/signature.ts";
import { chatWorld, language, provider } from "./chat-gateway.ts";

const north = (model: string) => ({ provider: "north", model });
const cloud = (model: string) => ({ provider: "cloud", model });
const keys = { access_key_id_env: "CLOUD_ID", secret_access_key_env: "CLOUD_SECRET" };
const bedrock = (id: string, more: object = {}) =>
  provider(id, { protocol: "bedrock", base_url: "simulator:/bedrock", region: "eu-central-1", ...more });

const world = chatWorld(
  [
    {
      ...{ id: "demo/titan", type: "embedding", context_window: 8000, pricing: { mode: "per-token", input: 0.5 } },
      routes: [cloud("amazon.titan-embed-text-v2:0")],
    },
    {
      ...{ id: "demo/embed", type: "embedding", context_window: 8000, pricing: { mode: "per-token", input: 0.5 } },
      routes: [cloud("cohere.embed-v4:0")],
    },
    {
      id: "demo/rank",
      type: "reranking",
      context_window: 8000,
      pricing: { mode: "per-token", input: 0.5 },
      routes: [cloud("cohere.rerank-v3-5:0")],
    },
    language("demo/role", [{ provider: "role", model: "role" }]),
    language("demo/wrong", [{ provider: "wrong", model: "wrong" }, north("second")]),
    language("demo/unset", [{ provider: "unset", model: "unset" }, north("second")]),
    language("demo/bearer", [{ provider: "bearer", model: "bearer" }]),
  ],
  {
    providers: [
      provider("north"),
      bedrock("cloud", keys),
      bedrock("role", { ...keys, role_arn: roleArn }),
      bedrock("wrong", { ...keys, secret_access_key_env: "CLOUD_ID" }),
      bedrock("unset", { access_key_id_env: "NOT_SET", secret_access_key_env: "NOT_SET" }),
      bedrock("bearer", { api_key_env: "CLOUD_SECRET" }),
    ],
  },
  { env: { CLOUD_ID: accessKeyId, CLOUD_SECRET: secretAccessKey, AWS_ENDPOINT_URL_STS: "simulator:/bedrock/sts" } },
);

describe("InvokeModel", () => {
  test("embeddings: Titan takes one text a request, Cohere 96; tokens are those that the host counted", async () => {
    const account = await world.account();
    const texts = Array.from({ length: 100 }, (_, index) => `text number ${index}`);
    const ask = (model: string, input: unknown) =>
      world.gateway.request("POST", "/v1/embeddings", { key: account.key, body: { model, input } });
    const one = await ask("demo/titan", texts.slice(0, 3));
    expect(one.status).toBe(200);
    expect(one.json.data.map(({ index }: any) => index)).toEqual([0, 1, 2]);
    expect(
      world
        .sent()
        .map((body) => body["inputText"])
        .sort(),
    ).toEqual(texts.slice(0, 3));
    world.gateway.simulator.reset();
    const many = await ask("demo/embed", texts);
    expect([many.status, many.json.data.length]).toEqual([200, 100]);
    expect(
      world
        .sent()
        .map((body) => (body["texts"] as string[]).length)
        .sort(),
    ).toEqual([4, 96]);
    for (const reply of [one, many]) {
      expect(reply.json.usage.prompt_tokens).toBeGreaterThan(0);
      expect(await world.logOf(reply)).toMatchObject({ estimated: false });
    }
  });

  test("rankings", async () => {
    const account = await world.account();
    const body = { model: "demo/rank", query: "sea", documents: ["a hill", "the sea"], top_n: 1 };
    const reply = await world.gateway.request("POST", "/v1/rerank", { key: account.key, body });
    expect(reply.status).toBe(200);
    expect(reply.json.results).toMatchObject([{ index: 1 }]);
    expect(world.sent()).toEqual([{ query: "sea", documents: ["a hill", "the sea"], top_n: 1, api_version: 2 }]);
  });
});

describe("credentials", () => {
  test("a role is assumed once for many calls", async () => {
    const account = await world.account();
    const ask = () => world.chat(account, { model: "demo/role" });
    const replies = await Promise.all([ask(), ask(), ask()]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    const calls = world.gateway.simulator.calls();
    expect(calls.filter(({ path }) => path === "/bedrock/sts")).toHaveLength(1);
    for (const call of calls.filter(({ path }) => path.includes("/model/")))
      expect(call.headers["authorization"]).toMatch(/Credential=ASIA[0-9A-F]{16}\//);
  });

  test.each(["demo/wrong", "demo/unset"])("%s: another route answers, and the log names the cause", async (model) => {
    const reply = await world.chat(await world.account(), { model });
    expect([reply.status, reply.headers["x-svc-fallback-layer"]]).toEqual([200, "1"]);
    expect((await world.logOf(reply))!.attempts[0]).toMatchObject({ outcome: "our_fault", cause: "credentials" });
    expect(JSON.stringify(await world.logOf(reply), (_, value) => (typeof value === "bigint" ? String(value) : value))).not.toContain(
      secretAccessKey,
    );
  });

  test("an API key of Bedrock's own goes as a bearer", async () => {
    expect((await world.chat(await world.account(), { model: "demo/bearer" })).status).toBe(200);
    expect(world.gateway.simulator.calls()[0]!.headers["authorization"]).toBe(`Bearer ${secretAccessKey}`);
  });
});
