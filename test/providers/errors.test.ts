// Which fault an upstream's error is (docs/behaviour/providers.md#faults), and what may be shown of it.
import { describe, expect, test } from "vitest";
import { errorOfAnswer, errorUnder200 } from "../../src/providers/errors/faults.ts";
import { providerAt } from "./upstream-fixture.ts";
import { ask, askStream, askWhole, expectFault, json, sse } from "./openai/chat-fixture.ts";
import { startHost } from "./upstream-fixture.ts";

const provider = providerAt("http://demo.example/v1", { headers: { "x-tenant": "tenant-secret-7" } });
const classify = (status: number, body: unknown) =>
  errorOfAnswer(status, typeof body === "string" ? body : JSON.stringify(body), null, provider);

describe("classification", () => {
  test.each([
    [400, { error: { message: "bad temperature", type: "invalid_request_error", code: "invalid_value" } }, "rejected"],
    [413, { error: { message: "too large" } }, "rejected"],
    [422, { detail: [{ loc: ["body", "n"], msg: "not an int" }] }, "rejected"],
    [400, { error: { message: "maximum context length is 8192, you asked for 9000", code: "context_length_exceeded" } }, "rejected"],
    [401, { error: { message: "no" } }, "our_fault"],
    [403, { error: { message: "no" } }, "our_fault"],
    [402, { error: { message: "pay" } }, "our_fault"],
    [429, { error: { message: "quota", code: "insufficient_quota", type: "insufficient_quota" } }, "our_fault"],
    [429, { error: { message: "slow down", code: "rate_limit_exceeded" } }, "rate_limited"],
    [429, "slow", "rate_limited"],
    [413, { error: { message: "TPM", type: "tokens", code: "rate_limit_exceeded" } }, "rate_limited"], // Groq
    [404, { error: { message: "no such model" } }, "gone"],
    [400, { error: { message: "gone", code: "model_decommissioned" } }, "gone"], // Groq
    [400, { code: "Client specified an invalid argument", error: "Incorrect API key provided: xa***9." }, "our_fault"], // xAI
    [400, [{ error: { code: 400, message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" } }], "our_fault"], // Gemini
    [400, { error: { message: "filtered", code: "content_filter" } }, "refused"], // Azure
    [400, { error: { message: "filtered", code: "400", innererror: { code: "ResponsibleAIPolicyViolation" } } }, "refused"],
    [400, { error: { message: "no", code: "content_policy_violation" } }, "refused"],
    [400, { error: { message: "no", type: "image_generation_user_error", code: "moderation_blocked" } }, "refused"],
    [400, { error: { message: "no", code: "bad_prompt" } }, "refused"],
    [400, [{ error: { message: "no", status: "PROHIBITED_CONTENT" } }], "refused"],
    [403, { error: { message: "flagged", code: 403, metadata: { reasons: ["violence"], flagged_input: "…" } } }, "refused"], // OpenRouter
    [403, { error: { message: "no", type: "safety" } }, "refused"],
    [500, { error: { message: "no", code: "content_filter" } }, "unavailable"],
    [408, "", "unavailable"],
    [500, "<html><title>502 Bad Gateway</title></html>", "unavailable"],
    [503, { error: { message: "overloaded" } }, "unavailable"],
    [529, "", "unavailable"],
    [302, "", "unavailable"],
    [405, "", "our_fault"],
  ] as const)("%i %j: %s", (status, body, fault) => {
    expect(classify(status, body)).toMatchObject({ fault, status });
  });

  test.each([
    [{ error: { code: 429, message: "busy" } }, "rate_limited"],
    [{ error: { code: 502, message: "upstream died" } }, "unavailable"],
    [{ error: { message: "no", type: "content_filter" } }, "refused"],
    [{ error: { message: "quota", code: "insufficient_quota" } }, "our_fault"],
    [{ error: { message: "bad", type: "BadRequestError", code: 400 } }, "rejected"],
    [{ error: { message: "bad", type: "invalid_request_error" } }, "rejected"],
    [{ error: { message: "hm", type: "server_error" } }, "unavailable"],
    [{ error: { message: "hm" } }, "unreadable"],
    ["broken", "unreadable"],
  ] as const)("under a 200, %j is %s", (error, fault) => {
    expect(errorUnder200(error, provider).fault).toBe(fault);
  });
});

describe("what may be shown", () => {
  test.each([
    [{ error: { message: "a" } }, "a"],
    [{ error: "b" }, "b"],
    [{ object: "error", message: "c" }, "c"],
    [{ detail: "d" }, "d"],
    [{ detail: { error: "e" } }, "e"],
    [
      {
        detail: [
          { loc: ["body", "n"], msg: "not an int" },
          { loc: ["body", "x"], msg: "odd" },
        ],
      },
      "body.n: not an int; body.x: odd",
    ],
    [[{ error: { code: 400, message: "f", status: "INVALID" } }], "f"],
    [{ errors: [{ message: "g" }] }, "g"],
    ["plain words", "plain words"],
    ["<html><head><title>400 Bad\n Request</title></head><body>nginx</body></html>", "400 Bad Request"],
    ["", "the upstream answered 400"],
    ["[]", "the upstream answered 400"],
    ["null", "the upstream answered 400"],
    [{ error: {} }, "the upstream answered 400"],
  ])("%j: %s", (body, reason) => {
    expect(classify(400, body).reason).toBe(reason);
  });

  test("secrets are hidden: our key, the operator's headers, bearer tokens, masked and other keys", () => {
    const message = "key sk-demo-secret-0001 bearer abc.def tenant-secret-7 sk-proj-abcdefgh sk-p***wxyz AIzaSyA1234567890 end";
    const { reason } = classify(400, { error: { message } });
    expect(reason).toMatch(/^key \[hidden\].* end$/);
    for (const secret of ["demo-secret", "abc.def", "tenant-secret", "abcdefgh", "wxyz", "AIzaSy"]) expect(reason).not.toContain(secret);
  });

  test("the provider's address is hidden, in every form and case", () => {
    const address = providerAt("https://Inference.demo.example:8443/deep/v1");
    const shown = (message: string) => errorOfAnswer(400, JSON.stringify({ error: { message } }), null, address).reason;
    expect(shown("no https://inference.demo.example:8443/deep/v1/chat/completions here")).toBe("no [hidden] here");
    expect(shown("no https://inference.demo.example:8443/other here")).toBe("no [hidden] here");
    expect(shown("host inference.demo.example:8443, or INFERENCE.demo.example.")).toBe("host [hidden], or [hidden].");
    const local = providerAt("http://vllm:8000/v1");
    expect(errorOfAnswer(400, "vllm:8000: vllm refuses n", null, local).reason).toBe("[hidden]: vllm refuses n");
  });

  test.each([
    [{ error: { message: "no", param: "temperature" } }, "temperature"],
    [{ error: { message: "no", param: "messages[0].content" } }, "messages[0].content"],
    [{ object: "error", message: "no", param: "n" }, "n"],
    [[{ error: { message: "no", param: "n" } }], "n"],
    [{ error: { message: "no", param: null } }, null],
    [{ error: { message: "no" } }, null],
    [{ error: { message: "no", param: "" } }, null],
    [{ error: { message: "no", param: { name: "n" } } }, null],
    [{ error: { message: "no", param: "x".repeat(201) } }, null],
    [{ error: { message: "no", param: "a\nb" } }, null],
    [{ error: { message: "no", param: "sk-demo-secret-0001" } }, null],
    ["plain words", null],
  ])("%j names the parameter %j", (body, param) => {
    expect(classify(400, body).param).toBe(param);
    if (typeof body !== "string") expect(errorUnder200(body, provider).param).toBe(param);
  });

  test("500 characters at most, never half a character, no control characters", () => {
    const { reason } = classify(400, { error: { message: `a\u0000\n${"😀".repeat(2_000)}` } });
    expect([...reason]).toHaveLength(500);
    expect(reason.isWellFormed()).toBe(true);
    expect(reason.startsWith("a 😀")).toBe(true);
  });
});

describe("over a socket", () => {
  test("retry-after comes with the fault", async () => {
    const host = await startHost(json(429, '{"error":{"message":"slow"}}', { "retry-after": "3" }));
    expect((await expectFault(ask(host), "rate_limited")).retryAfterMs).toBe(3_000);
    expect((await expectFault(ask(host, { stream: true }), "rate_limited")).retryAfterMs).toBe(3_000);
  });

  test("an endless error body delays nothing, and its status decides", async () => {
    const host = await startHost((_request, response) => {
      response.writeHead(503);
      const pump = setInterval(() => response.write("x".repeat(20_000)), 2);
      response.on("close", () => clearInterval(pump));
    });
    await expectFault(ask(host), "unavailable");
  });

  test.each([
    ["an error under 200", '{"error":{"message":"no"}}'],
    ["no JSON", "<html>hello</html>"],
    ["nothing", ""],
    ["no choices", '{"id":"x","choices":[]}'],
    ["no object", "[1]"],
    ["a choice without a message", '{"choices":[{"index":0}]}'],
    ["cut JSON", '{"choices":[{"message":{"content":"a'],
  ])("a 200 with %s is unreadable, also where a stream was asked for", async (_name, body) => {
    await expectFault(askWhole(body), "unreadable");
    await expectFault(askStream(json(200, body)), "unreadable");
  });

  test.each([
    [{ error: { code: "content_filter", message: "no" } }, "refused"],
    [{ error: { type: "invalid_request_error", message: "no", param: "n" } }, "rejected"],
    [{ error: { code: 429, message: "busy" } }, "rate_limited"],
    [{ error: { code: "insufficient_quota" } }, "our_fault"],
    [{ x_groq: { error: { type: "server_error" } } }, "unavailable"],
    [{ object: "error", message: "bad", type: "BadRequestError", code: 400 }, "rejected"],
    [{ error: "hm", choices: [{ message: { content: "a" } }] }, "unreadable"],
  ] as const)("a whole answer of status 200 that is %j: %s, as the error says", async (body, fault) => {
    await expectFault(askWhole(JSON.stringify(body)), fault);
    await expectFault(askStream(json(200, JSON.stringify(body))), fault);
  });

  test("a stream whose first record is an error fails before it starts, with the fault of that error", async () => {
    await expectFault(askStream(sse({ error: { code: 429, message: "busy" } }, "[DONE]")), "rate_limited");
    await expectFault(askStream(': x\n\nevent: error\ndata: {"message":"hm","type":"server_error"}\n\n'), "unavailable");
    await expectFault(askStream(sse({ x_groq: { error: "over capacity" } })), "unreadable");
    await expectFault(askStream(sse({ object: "error", message: "bad", type: "BadRequestError", code: 400 })), "rejected");
  });
});
