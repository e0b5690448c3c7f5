// What POST /v1/embeddings refuses: each code with its field and without a charge.
import { describe, expect, test } from "vitest";
import { inputSize } from "../../../src/language/prompt-size.ts";
import { embeddingWorld, price, unreadable } from "./embeddings-gateway.ts";

const world = embeddingWorld();
const { embed, refused } = world;

describe("400 invalid_parameter", () => {
  test.each([
    [{ input: "" }, "input"],
    [{ input: [] }, "input"],
    [{ input: ["a", ""] }, "input[1]"],
    [{ input: ["a", 5] }, "input[1]"],
    [{ input: [5, "a"] }, "input[1]"],
    [{ input: [[5], "a"] }, "input[1]"],
    [{ input: [[5], 5] }, "input[1]"],
    [{ input: [[]] }, "input[0]"],
    [{ input: [[5], []] }, "input[1]"],
    [{ input: [1, -1] }, "input[1]"],
    [{ input: [1.5] }, "input[0]"],
    [{ input: [4294967296] }, "input[0]"],
    [{ input: [[1, "a"]] }, "input[0][1]"],
    [{ input: [[1], [2, -3]] }, "input[1][1]"],
    [{ input: [["a"]] }, "input[0][0]"],
    [{ input: [null] }, "input[0]"],
    [{ input: null }, "input"],
    [{ input: 5 }, "input"],
    [{ input: { text: "a" } }, "input"],
    [{ encoding_format: "hex" }, "encoding_format"],
    // A second prompt beside the counted one; vLLM would load its images.
    [{ messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "http://169.254.169.254/" } }] }] }, "messages"],
    [{ dimensions: 0 }, "dimensions"],
    [{ dimensions: 1.5 }, "dimensions"],
    [{ dimensions: "256" }, "dimensions"],
    [{ model: "demo/one-width", dimensions: 256 }, "dimensions"],
  ])("%j", async (body, param) => {
    const { json } = await refused(body, 400, "invalid_parameter");
    expect(json.error.param).toBe(param);
    expect(world.sent()).toEqual([]);
  });

  test("2049 texts: the message names the most", async () => {
    const { json } = await refused({ input: Array.from({ length: 2049 }, () => "a") }, 400, "invalid_parameter");
    expect(json.error).toMatchObject({ param: "input", message: expect.stringContaining("2048") });
  });

  test("2049 lists of tokens: the message names the most", async () => {
    const { json } = await refused({ input: Array.from({ length: 2049 }, () => [1]) }, 400, "invalid_parameter");
    expect(json.error).toMatchObject({ param: "input", message: expect.stringContaining("2048") });
  });

  test.each([
    [["a", 5], "input[1] is not valid: it must be a string."],
    [[5, "a"], "input[1] is not valid: it must be a whole number."],
    [[[5], "a"], "input[1] is not valid: it must be an array."],
    [[[5, -1]], "input[0][1] is not valid: it must be at least 0."],
  ])("%j mixes kinds: the message says what its first input began", async (input, message) => {
    const { json } = await refused({ input }, 400, "invalid_parameter");
    expect(json.error.message).toBe(message);
  });
});

describe("400", () => {
  test("missing_parameter: no input", async () => {
    const account = await world.account();
    const reply = await world.gateway.request("POST", "/v1/embeddings", { key: account.key, body: { model: "demo/embed" } });
    expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([400, "missing_parameter", "input"]);
  });

  test.each([
    ["demo/chat", "/v1/chat/completions"],
    ["demo/rerank", "/v1/rerank"],
  ])("wrong_endpoint: %s is served by %s", async (model, path) => {
    const { json } = await refused({ model }, 400, "wrong_endpoint");
    expect(json.error.message).toContain(path);
  });

  test.each([400, 413, 422])(
    "request_rejected, whatever status the upstream gave (%i), in its words; no other route is asked",
    async (status) => {
      const { json } = await refused({ model: `reject/${status}` }, 400, "request_rejected");
      expect(json.error.message).toContain("does not support this value with this model");
      expect(world.sent()).toHaveLength(1);
    },
  );

  test("request_rejected: a host that reads no tokens: its own sentence, and nothing is charged", async () => {
    const { json } = await refused({ model: "reject/400", input: [[1, 2]] }, 400, "request_rejected");
    expect(json.error.message).toContain("does not support this value with this model");
    expect(world.sent()).toMatchObject([{ input: [[1, 2]] }]);
  });

  test("request_rejected: every route refused the content", async () => {
    const reply = await refused({ model: "demo/refused" }, 400, "request_rejected");
    expect(reply.json.error.retryable).toBe(false);
    expect(world.sent()).toHaveLength(2);
    expect(await world.logOf(reply)).toMatchObject({ status: "failed", http_status: 400, error_code: "request_rejected", cost: 0n });
  });

  test("request_rejected: vectors longer than the model makes", async () => {
    const { json } = await refused({ model: "demo/full-width", dimensions: 4000 }, 400, "request_rejected");
    expect(json.error).toMatchObject({ param: "dimensions", message: expect.stringContaining("1536 dimensions") });
  });
});

describe("402", () => {
  test("model_requires_paid: refused before anything is charged", async () => {
    const account = await world.account({ signupCredit: true });
    const { json } = await refused({}, 402, "model_requires_paid", account);
    expect(json).toMatchObject({ have_usd: 0.5, details: { model: "demo/embed" } });
    expect(world.sent()).toEqual([]);
  });

  test("insufficient_credits: the balance doesn't cover the bound; max_tokens is not mentioned, as there is none", async () => {
    const input = "harbour ".repeat(100);
    const bound = Math.ceil((inputSize([input]).tokensMax * price * 1e6) / 1e4) / 1e8;
    const account = await world.account({ deposit: (bound - 0.00000001).toFixed(8) });
    const { json } = await refused({ input }, 402, "insufficient_credits", account);
    expect(json).toMatchObject({ need_usd: bound, required: bound, details: { model: "demo/embed", tier: 0 } });
    expect(json.details).not.toHaveProperty("affordable_max_tokens");
    expect(json.error.message).not.toContain("max_tokens");
    expect(world.sent()).toEqual([]);
    const enough = await world.account({ deposit: bound.toFixed(8) });
    expect((await embed(enough, { input })).status).toBe(200);
  });

  test("insufficient_credits: of tokens the bound is their very number", async () => {
    const input = [Array.from({ length: 300 }, (_, at) => at), Array.from({ length: 200 }, (_, at) => at)];
    const bound = Math.ceil((500 * price * 1e6) / 1e4) / 1e8;
    const short = await world.account({ deposit: (bound - 0.00000001).toFixed(8) });
    const { json } = await refused({ input }, 402, "insufficient_credits", short);
    expect(json.need_usd).toBe(bound);
    const enough = await world.account({ deposit: bound.toFixed(8) });
    const reply = await embed(enough, { input });
    expect([reply.status, reply.json.usage.prompt_tokens]).toEqual([200, 500]);
    expect(await world.gateway.balance(enough)).toEqual({ balance: 0, reserved: 0, spent: bound });
  });

  test("key_limit_reached: the key's own budget doesn't", async () => {
    const account = await world.account();
    await world.gateway.context.db.pool.query("update key_budget set limit_amount = 1 where account_id = $1", [account.accountId]);
    await refused({ input: "harbour ".repeat(100) }, 402, "key_limit_reached", account);
  });
});

describe("404 model_not_found", () => {
  test("names the nearest", async () => {
    const { json } = await refused({ model: "demo/embd" }, 404, "model_not_found");
    expect(json.did_you_mean).toBe("demo/embed");
    expect(json.suggested_models).toEqual(expect.any(Array));
  });
});

describe("502 and 503", () => {
  test.each(unreadable)("502 upstream_invalid_response: sim-%s", async (fault) => {
    await refused({ model: `unreadable/${fault}` }, 502, "upstream_invalid_response");
  });

  test("503 model_unavailable: each route said 404", async () => {
    await refused({ model: "demo/gone" }, 503, "model_unavailable");
  });

  test.each(["fail-500", "429", "402", "reset"])("503 provider_unavailable: sim-%s on the only route", async (fault) => {
    const { headers } = await refused({ model: `down/${fault}` }, 503, "provider_unavailable");
    expect(headers["retry-after"]).toBe("5");
  });
});
