// Refusals before the stream, as the OpenAI SDK shows them: class, code, request id, and how often it tries again
// (docs/behaviour/errors.md#retry). Streamed requests are refused with a status too, never inside a 200.
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { type Customer, userMessage, useClients } from "./clients.ts";

const clients = useClients();
const { APIError } = OpenAI;
const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
const messages = userMessage("hello");

interface Case {
  title: string;
  status: number;
  code: string;
  error: unknown;
  request: Record<string, unknown>;
  param?: string;
}

const cases: Case[] = [
  {
    title: "a bad value",
    status: 400,
    code: "invalid_parameter",
    error: OpenAI.BadRequestError,
    request: { temperature: 9 },
    param: "temperature",
  },
  {
    title: "no messages",
    status: 400,
    code: "missing_parameter",
    error: OpenAI.BadRequestError,
    request: { messages: undefined },
    param: "messages",
  },
  {
    title: "a model of another endpoint",
    status: 400,
    code: "wrong_endpoint",
    error: OpenAI.BadRequestError,
    request: { model: "vectors/small" },
  },
  {
    title: "an image for a model that cannot see",
    status: 400,
    code: "unsupported_content",
    error: OpenAI.BadRequestError,
    request: { messages: [{ role: "user", content: [image] }] },
  },
  {
    title: "an upstream's 400",
    status: 400,
    code: "request_rejected",
    error: OpenAI.BadRequestError,
    request: { model: "fail/rejects-400" },
  },
  {
    title: "a prompt too long for the upstream",
    status: 400,
    code: "request_rejected",
    error: OpenAI.BadRequestError,
    request: { model: "fail/context" },
  },
  { title: "an upstream's 413", status: 413, code: "request_rejected", error: APIError, request: { model: "fail/rejects-413" } },
  {
    title: "an upstream's 422",
    status: 422,
    code: "request_rejected",
    error: OpenAI.UnprocessableEntityError,
    request: { model: "fail/rejects-422" },
  },
  {
    title: "content that every route refuses",
    status: 403,
    code: "route_refused",
    error: OpenAI.PermissionDeniedError,
    request: { model: "fail/refuses" },
  },
  { title: "an unknown model", status: 404, code: "model_not_found", error: OpenAI.NotFoundError, request: { model: "plain/chatt" } },
  {
    title: "a model that no host serves now",
    status: 503,
    code: "model_unavailable",
    error: OpenAI.InternalServerError,
    request: { model: "fail/gone" },
  },
];

describe.each([false, true])("not retryable, stream: %s", (stream) => {
  test.each(cases)("$status $code for $title: one attempt, the SDK's class, code, type and request id, nothing charged", async (row) => {
    const customer = await clients.customer();
    const error = await refused(customer, { ...row.request, stream });
    expect(error).toBeInstanceOf(row.error);
    expect(error).toMatchObject({ status: row.status, code: row.code, error: { retryable: false, request_id: error.requestID } });
    expect(error.requestID).toMatch(/^req_/);
    expect(error.headers!.get("x-should-retry")).toBe("false");
    expect(error.headers!.get("content-type")).toMatch(/^application\/json/);
    if (row.param !== undefined) expect(error.param).toBe(row.param);
    expect(customer.exchanges.map(({ status }) => status)).toEqual([row.status]);
    expect(await customer.spent()).toBe(0);
  });

  test("401 invalid_api_key: AuthenticationError, one attempt", async () => {
    const customer = await clients.customer();
    const error = await refused(customer, { stream }, { apiKey: `${customer.account.key}x` });
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(error).toMatchObject({ status: 401, code: "invalid_api_key" });
    expect(customer.exchanges).toHaveLength(1);
  });

  test("402 insufficient_credits: the base class with the numbers in the message, one attempt", async () => {
    const customer = await clients.customer({ deposit: "0.000001" });
    const error = await refused(customer, { stream });
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 402, code: "insufficient_credits" });
    expect(error.message).toContain("0.000001");
    expect(customer.exchanges).toHaveLength(1);
  });

  test("402 model_requires_paid: an account that never added credits, on a model that is not free", async () => {
    const customer = await clients.customer({ signupCredit: true });
    const error = await refused(customer, { model: "dear/chat", stream });
    expect(error).toMatchObject({ status: 402, code: "model_requires_paid" });
    expect(customer.exchanges).toHaveLength(1);
    expect(await customer.spent()).toBe(0);
  });

  test("413 request_too_large: a body above 25 MB", async () => {
    const customer = await clients.customer();
    const error = await refused(customer, { messages: userMessage("x".repeat(26 * 1024 * 1024)), stream });
    expect(error).toMatchObject({ status: 413, code: "request_too_large" });
    expect(customer.exchanges).toHaveLength(1);
  });
});

describe("retryable", () => {
  test.concurrent(
    "502 upstream_invalid_response: InternalServerError after 1 + 2 attempts, each with a request id of its own",
    async () => {
      const customer = await clients.customer();
      const error = await refused(customer, { model: "fail/unreadable" });
      expect(error).toBeInstanceOf(OpenAI.InternalServerError);
      expect(error).toMatchObject({ status: 502, code: "upstream_invalid_response", error: { retryable: true } });
      expect(customer.exchanges.map(({ status }) => status)).toEqual([502, 502, 502]);
      expect(customer.exchanges.map(({ headers }) => headers.get("x-should-retry"))).toEqual(["true", "true", "true"]);
      expect(new Set(customer.exchanges.map(({ headers }) => headers.get("x-request-id"))).size).toBe(3);
      expect(await customer.spent()).toBe(0);
    },
  );

  test.concurrent("503 provider_unavailable: tried again after Retry-After", async () => {
    const customer = await clients.customer();
    const error = await refused(customer, { model: "fail/down", stream: true }, { maxRetries: 1 });
    expect(error).toMatchObject({ status: 503, code: "provider_unavailable", error: { retryable: true } });
    expect(error.headers!.get("retry-after")).toBe("5");
    expect(customer.exchanges.map(({ status }) => status)).toEqual([503, 503]);
  });

  test.concurrent("a fault that passes is not seen by the caller: the second attempt answers and is the one that is charged", async () => {
    const customer = await clients.customer();
    const { usage } = await customer.openai().chat.completions.create({ model: "fail/down-once", messages });
    expect(customer.exchanges.map(({ status }) => status)).toEqual([502, 200]);
    expect(await customer.spent()).toBe((usage as unknown as { cost: number }).cost);
  });
});

test("an unknown model names near ones, where the SDK keeps the inner object only and a person reads the message", async () => {
  const customer = await clients.customer();
  const error = await refused(customer, { model: "plain/chatt" });
  expect(error.message).toContain("plain/chatt");
  const reply = await clients.gateway.request("POST", "/v1/chat/completions", {
    key: customer.account.key,
    body: { model: "plain/chatt", messages },
  });
  expect(reply.json.did_you_mean).toBe("plain/chat");
});

test("a path that does not exist, such as an endpoint of a newer SDK, is a NotFoundError", async () => {
  const customer = await clients.customer();
  const error = await caught(customer.openai().fineTuning.jobs.list());
  expect(error).toBeInstanceOf(OpenAI.NotFoundError);
  expect(error).toMatchObject({ type: "not_found_error", code: "endpoint_not_found", param: null });
  expect(customer.exchanges).toHaveLength(1);
});

test("401 missing_api_key: a client that sends no key", async () => {
  const customer = await clients.customer();
  const error = await refused(customer, {}, { defaultHeaders: { authorization: null } });
  expect(error).toMatchObject({ status: 401, code: "missing_api_key" });
});

test("a base address without /v1 is told to add it", async () => {
  const customer = await clients.customer();
  const error = await refused(customer, {}, { baseURL: clients.gateway.url });
  expect(error).toMatchObject({ status: 404, code: "endpoint_not_found" });
  expect(error.message).toContain("/v1");
});

test("405: listing stored completions, which the gateway does not keep, is the wrong method", async () => {
  const customer = await clients.customer();
  const error = await caught(customer.openai().chat.completions.list());
  expect(error).toMatchObject({ status: 405, code: "method_not_allowed" });
  expect(error.headers!.get("allow")).toContain("POST");
});

test("models.retrieve of an unknown id is a NotFoundError that names a near one", async () => {
  const error = await caught((await clients.customer()).openai().models.retrieve("plain/chatt"));
  expect(error).toBeInstanceOf(OpenAI.NotFoundError);
  expect(error).toMatchObject({ code: "model_not_found" });
});

test("a prompt too long for the upstream says what the upstream said, with its numbers", async () => {
  const error = await refused(await clients.customer(), { model: "fail/context" });
  expect(error.message).toMatch(/\d+.*\d+/);
});

async function refused(customer: Customer, request: Record<string, unknown>, options: Parameters<Customer["openai"]>[0] = {}) {
  const body = { model: "plain/chat", messages, ...request } as OpenAI.ChatCompletionCreateParamsNonStreaming;
  return caught(customer.openai(options).chat.completions.create(body));
}

async function caught(call: PromiseLike<unknown>): Promise<InstanceType<typeof APIError>> {
  const error: unknown = await call.then(
    () => "answered",
    (cause: unknown) => cause,
  );
  if (!(error instanceof APIError)) throw new Error("the call was not refused by the gateway", { cause: error });
  return error;
}
