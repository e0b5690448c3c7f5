// The cost in a header, where clients of LiteLLM's proxy look for it: on every whole answer that is billed before its head is sent.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runEnvironment } from "../../support/leftovers.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { oneInThree } from "../../support/size.ts";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const messages = [{ role: "user", content: "Where is the lighthouse?" }];

test.each([
  ["/v1/chat/completions", { model: "north/chat-small", messages }],
  ["/v1/completions", { model: "north/chat-small", prompt: "The lighthouse" }],
  ["/v1/messages", { model: "harbor/chat-pro", messages, max_tokens: 20 }],
  ["/v1/responses", { model: "north/chat-small", input: "Where is the lighthouse?" }],
  ["/v1/responses/compact", { model: "north/chat-small", input: "Where is the lighthouse?" }],
  ["/v1/embeddings", { model: "north/embed-small", input: "sea" }],
  ["/v1/rerank", { model: "heron/rerank", query: "sea", documents: ["land", "water"] }],
  ["/v1/audio/speech", { input: "The sea." }],
])("%s: x-litellm-response-cost is what the balance fell by", async (path, body) => {
  const account = await gateway.createAccount({ deposit: "5" });
  const reply = await gateway.request("POST", path, { key: account.key, body });
  expect(reply.status, JSON.stringify(reply.json)).toBe(200);
  const { balance, spent } = await gateway.balance(account);
  expect(spent).toBeGreaterThan(0);
  expect(reply.headers["x-litellm-response-cost"]).toBe(spent.toFixed(8).replace(/0+$/, ""));
  expect(balance).toBeCloseTo(5 - spent, 8);
});

test("a stream and a refusal have none: their head is sent before anything is known, or nothing was charged", async () => {
  const { key } = await gateway.createAccount({ deposit: "5" });
  const ask = (body: object) => gateway.request("POST", "/v1/chat/completions", { key, body: { model: "north/chat-small", ...body } });
  for (const reply of [await ask({ messages, stream: true }), await ask({ messages: [] })])
    expect(reply.headers).not.toHaveProperty("x-litellm-response-cost");
});

const program = `
import sys, litellm
litellm.telemetry = False
model, base, key = "openai/north/chat-small", sys.argv[1], sys.argv[2]
answer = litellm.completion(model=model, messages=[{"role": "user", "content": "Hello"}], api_base=base, api_key=key)
print(repr(answer._hidden_params["response_cost"]))
`;
oneInThree().skipIf(!existsSync(".python-clients/frameworks/litellm"))(
  "litellm for Python takes it as the cost of the answer",
  async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    const env = { ...runEnvironment(), PYTHONPATH: ".python-clients/frameworks", LITELLM_LOCAL_MODEL_COST_MAP: "True" };
    const { stdout } = await promisify(execFile)(".python-clients/bin/python", ["-c", program, `${gateway.url}/v1`, account.key], { env });
    const { spent } = await gateway.balance(account);
    expect(spent).toBeGreaterThan(0);
    expect(Number(stdout.trim().split("\n").at(-1))).toBe(spent);
  },
);
