// GET /v1/errors over HTTP. Its rate limit is tested in every-rate.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errors } from "../../../generated/errors.ts";
import { type OperationId, operations } from "../../../generated/operations.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

let gateway: Gateway;
let rows: Record<string, any>[];
beforeAll(async () => {
  gateway = await startGateway();
  rows = (await gateway.request("GET", "/v1/errors")).json.data;
});
afterAll(() => gateway.stop());

const rowOf = (code: string) => rows.find((row) => row.code === code)!;

describe("listErrors 200", () => {
  test("every code of the catalogue, in its order, with its texts; no key is needed; kept for five minutes", async () => {
    const { status, headers, json } = await gateway.request("GET", "/v1/errors");
    expect([status, headers["cache-control"], json.object]).toEqual([200, "public, max-age=300", "list"]);
    expect(rows.map(({ code }) => code as string)).toEqual(Object.keys(errors));
    for (const { code, happened, fix, retryable } of rows)
      expect({ happened, fix, retryable }).toEqual({
        happened: errors[code as "overloaded"].happened,
        fix: errors[code as "overloaded"].fix,
        retryable: errors[code as "overloaded"].retryable,
      });
  });

  test("its doc_url is the one that an error of this gateway carries", async () => {
    const { json } = await gateway.request("GET", "/v1/credits/ledger");
    expect(rowOf("missing_api_key").doc_url).toBe(json.error.doc_url);
    for (const { code, doc_url } of rows) expect(doc_url).toBe(`${gateway.url}/docs/errors#${code}`);
  });

  test("the operations are those that declare it, under the word that they say", () => {
    for (const { operations: ids } of rows) for (const id of ids as OperationId[]) expect(operations).toHaveProperty(id);
    expect(rowOf("internal_error").operations).toEqual(
      expect.arrayContaining(Object.keys(operations).filter((id) => id !== "createRerank")),
    );
    expect(rowOf("insufficient_credits").operations).toContain("createChatCompletion");
    expect(rowOf("insufficient_credits").operations).not.toContain("createImage");
    expect(rowOf("insufficient_balance").operations).toContain("createImage");
  });

  test("statuses are those of answers: none for codes of streams; a job's where its run is waited for", () => {
    expect(rowOf("request_rejected").statuses).toEqual([400, 413, 415, 422]);
    expect(rowOf("provider_error").statuses).toEqual([500, 502]);
    expect(rowOf("stream_interrupted")).toMatchObject({ statuses: [], in_streams: true, operations: [] });
    expect(rowOf("timeout")).toMatchObject({ statuses: [504], in_jobs: true });
    expect(rowOf("timeout").operations).toEqual([
      "runGenmedia",
      "createImageEdit",
      "createImage",
      "createImageVariation",
      "getJob",
      "getGenmediaJob",
    ]);
    // What operators alone may do is unknown to everybody else.
    expect(rowOf("endpoint_not_found")).toMatchObject({ statuses: [404], operations: expect.arrayContaining(["getOperator"]) });
    expect(rowOf("voice_required")).toMatchObject({ reserved: true });
  });

  test("a status at which a code has another type or retry rule says so", () => {
    expect(rowOf("provider_error")).toMatchObject({ type: "upstream_error", retryable: true });
    expect(rowOf("provider_error").by_status).toMatchObject([{ status: 500, type: "api_error", retryable: false }]);
    expect(rowOf("request_rejected").by_status).toMatchObject([{ status: 413, type: "request_too_large", retryable: false }]);
    expect(rowOf("overloaded").by_status).toEqual([]);
  });

  test("the message is a sentence with names for its values; a fixed time to wait is said", () => {
    expect(rowOf("model_not_found").message).toContain("{model}");
    expect(rows.filter(({ message }) => /[[\]]/.test((message as string).replaceAll("[]", "")))).toEqual([]);
    expect([rowOf("overloaded").retry_after, rowOf("missing_api_key").retry_after]).toEqual([5, null]);
  });
});

test("500 internal_error: without detail, under a request id", async () => {
  const { context } = gateway;
  const { publicUrl } = context;
  Object.defineProperty(context, "publicUrl", {
    configurable: true,
    get: () => {
      throw new Error("broken");
    },
  });
  const reply = await gateway
    .request("GET", "/v1/errors")
    .finally(() => Object.defineProperty(context, "publicUrl", { configurable: true, writable: true, value: publicUrl }));
  expect([reply.status, reply.json.error.code]).toEqual([500, "internal_error"]);
  expect(reply.text).not.toContain("broken");
});

test("405 method_not_allowed with Allow; HEAD is the GET without its body", async () => {
  const post = await gateway.request("POST", "/v1/errors", { body: {} });
  expect([post.status, post.headers["allow"], post.json.error.code]).toEqual([405, "GET, HEAD, OPTIONS", "method_not_allowed"]);
  const head = await gateway.request("HEAD", "/v1/errors");
  expect([head.status, head.text]).toEqual([200, ""]);
});
