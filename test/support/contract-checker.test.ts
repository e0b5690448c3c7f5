// The checker itself: it must be able to say no.
import { expect, test } from "vitest";
import { createChecker } from "./contract-checker.ts";

const check = createChecker({
  openapi: "3.2.0",
  components: {
    headers: { Id: { required: true, schema: { type: "string", pattern: "^req_" } } },
    schemas: {
      Row: { type: "object", required: ["n"], properties: { n: { type: "integer" }, next: { $ref: "#/components/schemas/Row" } } },
    },
    responses: {
      Bad: {
        headers: { "x-request-id": { $ref: "#/components/headers/Id" } },
        content: { "application/json": { schema: { type: "object", required: ["error"] } } },
      },
    },
  },
  paths: {
    "/v1/rows/{id}": {
      get: {
        operationId: "getRow",
        responses: {
          200: {
            headers: { "x-request-id": { $ref: "#/components/headers/Id" }, "x-count": { schema: { type: "integer" } } },
            content: {
              "application/json": { schema: { $ref: "#/components/schemas/Row" } },
              "text/plain; charset=utf-8": { schema: { type: "string" } },
              "text/event-stream": {
                itemSchema: {
                  type: "object",
                  properties: { event: { type: "string" }, data: { type: "string" } },
                  anyOf: [
                    { properties: { data: { contentMediaType: "application/json", contentSchema: { $ref: "#/components/schemas/Row" } } } },
                    { properties: { data: { contentMediaType: "text/plain", const: "[DONE]" } } },
                  ],
                },
              },
            },
          },
          400: { $ref: "#/components/responses/Bad" },
          204: { headers: {} },
        },
      },
    },
  },
});

const json = { "content-type": "application/json; charset=utf-8", "x-request-id": "req_1" };
const sse = { "content-type": "text/event-stream", "x-request-id": "req_1" };

test.each<[string, number, Record<string, string>, string]>([
  ["a row", 200, json, '{"n":1,"next":{"n":2},"more":true}'],
  ["a numeric header", 200, { ...json, "x-count": "3" }, '{"n":1}'],
  ["text in the declared charset", 200, { ...json, "content-type": "text/plain;charset=UTF-8" }, "1"],
  ["an error by reference", 400, json, '{"error":{}}'],
  ["a stream with comments, CRLF and [DONE]", 200, sse, ': hi\n\ndata: {"n":1}\r\n\r\ndata: {"n":2}\n\ndata: [DONE]\n\n'],
  ["a stream whose data takes two lines", 200, sse, 'data: {"n":\ndata: 1}\n\n'],
  ["no body where none is declared", 204, { "x-request-id": "req_1" }, ""],
])("keeps the contract: %s", (_, status, headers, bodyText) => {
  expect(check("getRow", { status, headers, bodyText })).toEqual([]);
});

test.each<[string, RegExp, number, Record<string, string>, string]>([
  ["an undeclared status", /status 500 is not declared/, 500, json, "{}"],
  ["a missing header", /header x-request-id is missing/, 200, { "content-type": "application/json" }, '{"n":1}'],
  ["a header of another form", /header x-request-id: "abc"/, 200, { ...json, "x-request-id": "abc" }, '{"n":1}'],
  ["a header that is no number", /header x-count/, 200, { ...json, "x-count": "many" }, '{"n":1}'],
  ["an undeclared content type", /content type text\/html is not declared/, 200, { ...json, "content-type": "text/html" }, "<p>"],
  ["text in an undeclared charset", /content type text\/plain is not declared/, 200, { ...json, "content-type": "text/plain" }, "1"],
  ["no content type", /content type \(none\)/, 200, { "x-request-id": "req_1" }, "{}"],
  ["a missing field", /required property 'n'/, 200, json, "{}"],
  ["a wrong field deep inside", /\/next\/n must be integer/, 200, json, '{"n":1,"next":{"n":"2"}}'],
  ["no JSON", /no JSON/, 200, json, "oops"],
  ["a body where none is declared", /a body where none/, 204, { "x-request-id": "req_1" }, "x"],
  ["a wrong record in a stream", /record 1 /, 200, sse, 'data: {"n":1}\n\ndata: {"m":1}\n\n'],
  ["a record after [DONE]", /follows \[DONE\]/, 200, sse, 'data: [DONE]\n\ndata: {"n":1}\n\n'],
  ["a record that is some other word", /record 0/, 200, sse, "data: [END]\n\n"],
])("finds %s", (_, fault, status, headers, bodyText) => {
  expect(check("getRow", { status, headers, bodyText }).join("\n")).toMatch(fault);
});

test("an operation that the contract lacks is a fault", () => {
  expect(check("getNothing", { status: 200, headers: json, bodyText: "{}" })).toEqual(["the contract has no operation getNothing"]);
});
