import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../generated/operations.ts";
import { patternOf } from "../../src/server/match.ts";
import { auth, call, head, json, openSocket, startEdge } from "./start-edge.ts";
import type { EdgeUnderTest } from "./start-edge.ts";

let edge: EdgeUnderTest;
beforeAll(async () => {
  edge = await startEdge({
    publicUrl: "https://gw.example/",
    handlers: {
      getModel: (_context, request) => json({ path: request.path }),
      listModels: (_context, request) => json({ query: request.query }),
    },
  });
});
afterAll(() => edge.close());

const all = Object.values(operations);

describe("404 endpoint_not_found under /v1, with the endpoints that are near", () => {
  test.each([
    "/v1/nothing",
    "/v1/",
    "/v1/models/",
    "/v1/chat",
    "/v1/jobs/a/b",
    "/v1/%zz",
    "/v1/MODELS",
    "/v1/responses/resp_1/items",
    "/v1/v1/messages",
  ])("%s", async (path) => {
    const { status, body, headers, text } = await call(edge, path, { headers: auth });
    expect(status).toBe(404);
    expect(headers.get("x-should-retry")).toBe("false");
    expect(body).toEqual({
      error: {
        message: expect.stringContaining(path) as string,
        type: "not_found_error",
        code: "endpoint_not_found",
        param: null,
        retryable: false,
        request_id: headers.get("x-request-id"),
        doc_url: "https://gw.example/docs/errors#endpoint_not_found",
      },
      available_endpoints: expect.any(Array) as string[],
    });
    const known = all.map((operation) => `${operation.method.toUpperCase()} ${operation.path}`);
    for (const endpoint of body.available_endpoints) expect(known).toContain(endpoint);
    // SDKs put the whole body into the text of their exceptions.
    expect(text.length).toBeLessThan(700);
  });
  test.each([
    ["/v1/chat/completion", ["POST /v1/chat/completions"]],
    ["/v1/chat", ["POST /v1/chat/completions"]],
    ["/v1/completion", ["POST /v1/completions"]],
    ["/v1/embedding", ["POST /v1/embeddings"]],
    ["/v1/images/edit", ["POST /v1/images/edits", "POST /v1/images/variations", "POST /v1/images/generations"]],
    ["/v1/messages/batches", ["POST /v1/messages", "POST /v1/messages/count_tokens"]],
    ["/v1/threads", ["POST /v1/chat/completions", "POST /v1/messages", "POST /v1/responses", "POST /v1/embeddings", "GET /v1/models"]],
  ])("%s: names %j", async (path, near) => {
    expect((await call(edge, path, { method: "POST" })).body.available_endpoints).toEqual(near);
  });
  test("at most five of many that are as near", async () => {
    expect((await call(edge, "/v1/audio/separations", { method: "POST" })).body.available_endpoints).toHaveLength(5);
  });
  test("a long path is repeated neither at length nor in the list", async () => {
    const { text } = await call(edge, `/v1/${"a/".repeat(3_000)}`);
    expect(text.length).toBeLessThan(900);
  });
  test.each([
    ["/v1/messages/batches", {}],
    ["/v1/messages/batches/b_1/results", {}],
    ["/v1/threads", { "anthropic-version": "2023-06-01" }],
    ["/messages", { "anthropic-version": "2023-06-01" }],
  ])("%s %j: in Anthropic's envelope", async (path, more) => {
    const { body, headers } = await call(edge, path, { headers: { ...auth, ...more } });
    expect(body).toMatchObject({
      type: "error",
      error: { type: "not_found_error", code: "endpoint_not_found", param: null, details: { error_code: "endpoint_not_found" } },
      request_id: headers.get("x-request-id"),
    });
  });
  test("the message helps with known mistakes", async () => {
    expect((await call(edge, "/v1/v1/messages", { method: "POST" })).body.error.message).toContain("/v1 twice");
    expect((await call(edge, "/v1/responses/resp_1/cancel")).body.error.message).toContain("POST /v1/responses");
    expect((await call(edge, "/v1/models/")).body.error.message).toContain("Did you mean /v1/models?");
  });
});

describe("404 endpoint_not_found elsewhere, in the full shape", () => {
  test.each(["/nothing", "/v2/models", "//v1/models", "/v1", "/%zz", "/chat/completions", "/docs/errors/", "/..%2f..%2fetc/passwd"])(
    "%s",
    async (path) => {
      const { status, body, headers } = await call(edge, path);
      expect(status).toBe(404);
      expect(body.error).toMatchObject({
        code: "endpoint_not_found",
        type: "not_found_error",
        param: null,
        retryable: false,
        request_id: headers.get("x-request-id"),
        doc_url: "https://gw.example/docs/errors#endpoint_not_found",
      });
    },
  );
  test("a base address without /v1 is told to add it", async () => {
    expect((await call(edge, "/chat/completions", { method: "POST" })).body.error.message).toContain("Add /v1");
    expect((await call(edge, "/models/demo%2Fchat")).body.error.message).toContain("Add /v1");
  });
});

describe("405 method_not_allowed with exactly the documented methods in Allow", () => {
  const expected = (path: string) => {
    const fixed = all.filter((operation) => operation.path === path);
    const onPath = fixed.length > 0 ? fixed : all.filter((operation) => patternOf(operation.path).test(path));
    const methods = onPath.map(({ method }) => method.toUpperCase());
    return new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"]);
  };
  const allowOf = (headers: Headers) => new Set(headers.get("allow")?.split(", "));

  test("on every path, and again in the answer to OPTIONS", async () => {
    for (const path of new Set(all.map((operation) => operation.path))) {
      const filled = path.replace(/\{[^}]+\}/g, "some_id-1");
      const wrong = await call(edge, filled, { method: "PUT" });
      expect([path, wrong.status, allowOf(wrong.headers)]).toEqual([path, 405, expected(filled)]);
      expect(wrong.headers.get("x-should-retry")).toBe("false");
      const options = await call(edge, filled, { method: "OPTIONS" });
      expect([path, options.status, allowOf(options.headers), options.text]).toEqual([path, 204, expected(filled), ""]);
    }
  });
  test("before authentication, in the envelope of the path", async () => {
    const messages = await call(edge, "/v1/messages", { method: "DELETE" });
    expect(messages.body).toMatchObject({
      type: "error",
      request_id: messages.headers.get("x-request-id"),
      error: { type: "invalid_request_error" },
    });
    const rerank = await call(edge, "/v1/rerank", { method: "GET" });
    expect(Object.keys(rerank.body.error).sort()).toEqual(["message", "request_id", "type"]);
  });
  test("on pages", async () => {
    const { status, headers } = await call(edge, "/healthz", { method: "POST", body: "x" });
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });
  test("for methods that only a raw socket can send", async () => {
    for (const method of ["TRACE", "PROPFIND", "QUERY"]) {
      const socket = await openSocket(edge.port);
      await socket.send(head(method, "/v1/models", { connection: "close" }));
      expect(await socket.ended()).toMatch(/^HTTP\/1.1 405 /);
    }
  });
});

describe("HEAD answers like GET, without the body", () => {
  test.each(["/", "/v1/models", "/healthz", "/openapi.json", "/v1/nothing"])("%s", async (path) => {
    const headers = { "accept-encoding": "identity" };
    const get = await fetch(edge.url + path, { headers });
    const length = (await get.arrayBuffer()).byteLength;
    const answer = await fetch(edge.url + path, { method: "HEAD", headers });
    expect([answer.status, await answer.text()]).toEqual([get.status, ""]);
    expect(answer.headers.get("content-type")).toBe(get.headers.get("content-type"));
    if (path !== "/v1/nothing") expect(Number(answer.headers.get("content-length"))).toBe(length);
  });
});

describe("CORS", () => {
  test("a preflight gets what it asked for, for a day, without a key", async () => {
    const { status, headers } = await call(edge, "/v1/chat/completions", {
      method: "OPTIONS",
      headers: {
        origin: "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,x-stainless-os",
      },
    });
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-headers")).toBe("authorization,x-stainless-os");
    expect(headers.get("access-control-allow-methods")).toContain("POST");
    expect(headers.get("access-control-max-age")).toBe("86400");
    expect(headers.get("x-request-id")).toBeTruthy();
  });
  test("replies and errors to a page can be read with their headers", async () => {
    for (const path of ["/v1/models", "/v1/credits/balance", "/nothing"]) {
      const { headers } = await call(edge, path, { headers: { origin: "https://app.example" } });
      expect(headers.get("access-control-allow-origin")).toBe("*");
      const exposed = headers.get("access-control-expose-headers")?.split(", ");
      expect(exposed).toEqual(
        expect.arrayContaining([
          "x-request-id",
          "request-id",
          "retry-after",
          "retry-after-ms",
          "x-should-retry",
          "x-svc-model",
          "x-ratelimit-limit-requests",
        ]),
      );
    }
  });
  test("nobody else is bothered with them", async () => {
    expect((await call(edge, "/v1/models")).headers.get("access-control-expose-headers")).toBeNull();
  });
});

describe("request targets", () => {
  test("a slash of a model id may come encoded, as SDKs send it, or plain, as a person does", async () => {
    for (const path of ["/v1/models/acme%2Fzap-1", "/v1/models/acme/zap-1"])
      expect((await call(edge, path)).body).toEqual({ path: { id: "acme/zap-1" } });
  });
  test("400 invalid_parameter: malformed percent-encoding and NUL name the parameter", async () => {
    for (const path of ["/v1/models/%zz", "/v1/models/a%00", "/v1/models/%c3%28"]) {
      const { status, body } = await call(edge, path);
      expect([path, status, body.error.code, body.error.param]).toEqual([path, 400, "invalid_parameter", "id"]);
    }
  });
  test("a query is no part of the path, and unknown keys are passed over", async () => {
    expect((await call(edge, "/v1/models?beta=true&%zz=%zz")).status).toBe(200);
  });
  test("a whole URL, as proxies send it", async () => {
    const socket = await openSocket(edge.port);
    await socket.send(head("GET", `http://edge:${edge.port}/v1/models/x?y=1`, { connection: "close" }));
    expect(await socket.ended()).toMatch(/^HTTP\/1.1 200 /);
  });
  test.each(["http://a:99999999/x", "http://a/%zz", "/\\\\x", "http://[::1/nothing"])("%s is an ordinary 404", async (target) => {
    const socket = await openSocket(edge.port);
    await socket.send(head("GET", target, { connection: "close" }));
    expect(await socket.ended()).toMatch(/^HTTP\/1.1 404 [^]*x-request-id: [^]*endpoint_not_found/);
  });
  test("OPTIONS *", async () => {
    const socket = await openSocket(edge.port);
    await socket.send(head("OPTIONS", "*", { connection: "close" }));
    expect(await socket.ended()).toMatch(/^HTTP\/1.1 204 /);
  });
});

describe("x-request-id is on every response", () => {
  test.each(["/", "/healthz", "/nothing", "/v1/nothing", "/v1/models", "/v1/credits/balance"])(
    "%s: the caller's own when it is sane",
    async (path) => {
      expect((await call(edge, path, { headers: { "x-request-id": "mine.1-2_3" } })).headers.get("x-request-id")).toBe("mine.1-2_3");
      for (const bad of ["a b", "x".repeat(129), "ünicode", "", '{"a":1}', "a/b"]) {
        const { headers } = await call(edge, path, { headers: { "x-request-id": Buffer.from(bad).toString("latin1") } });
        expect(headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
      }
    },
  );
  test("and as request-id on /v1/messages, which Anthropic's clients read", async () => {
    const { headers, body } = await call(edge, "/v1/messages?beta=true", { json: {} });
    expect(headers.get("request-id")).toBe(headers.get("x-request-id"));
    expect(body).toMatchObject({
      type: "error",
      request_id: headers.get("x-request-id"),
      error: { type: "authentication_error", code: "missing_api_key" },
    });
    expect((await call(edge, "/v1/models")).headers.get("request-id")).toBeNull();
  });
});
