// `npm run mock`: every operation and every error of the contract, answered from its examples.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OperationId, operations } from "../../generated/operations.ts";
import { allExampleRequests, bodyToSend, type ExampleRequest, exampleRequests } from "../contract/example-requests.ts";
import { operation } from "../contract/read-contract.ts";
import { faultsOf } from "../support/contract.ts";
import { type MockServer, startMock } from "./mock-server.ts";

let mock: MockServer;
beforeAll(async () => {
  mock = await startMock();
});
afterAll(() => mock.stop());

const ids = Object.keys(operations) as OperationId[];

async function ask(request: ExampleRequest, headers: Record<string, string> = {}) {
  const response = await fetch(mock.url + request.path, {
    method: request.method,
    headers: {
      authorization: "Bearer svc_any",
      ...(request.contentType === "application/json" ? { "content-type": request.contentType } : {}),
      ...headers,
    },
    body: bodyToSend(request),
  });
  const bodyText = await response.text();
  const received = Object.fromEntries(response.headers);
  return {
    status: response.status,
    headers: received,
    bodyText,
    faults: faultsOf(request.id, { status: response.status, headers: received, bodyText }),
  };
}

const named = (requests: ExampleRequest[]) => requests.map((request) => [`${request.id} ${request.contentType ?? ""}`, request] as const);

describe("the contract's own example request", () => {
  test.each(named(allExampleRequests))("%s: gets the first success, which keeps the contract", async (_, request) => {
    const { status, faults } = await ask(request);
    expect({ status, faults }).toEqual({ status: Math.min(...operations[request.id].successes), faults: [] });
  });

  const streaming = allExampleRequests.filter(
    ({ id }) => operations[id].streams && "text/event-stream" in (operation(id).responses["200"]!.content ?? {}),
  );
  test.each(named(streaming))("%s with stream: true: gets the whole stream, each record by the contract", async (_, request) => {
    const { headers, bodyText, faults } = await ask({ ...request, body: { ...request.body, stream: true } });
    expect({ type: headers["content-type"], faults }).toEqual({ type: "text/event-stream", faults: [] });
    expect(bodyText.match(/^data: /gm)!.length).toBeGreaterThan(2);
  });

  test.each(named(allExampleRequests))("%s: no header says a number that nobody would send", async (_, request) => {
    const { headers } = await ask(request);
    expect(JSON.stringify(headers)).not.toMatch(/e\+?308|-2147483648|"string"/);
  });
});

describe("Prefer: code=…, example=…", () => {
  test.each(ids)("%s: gives each error that the operation declares, by its code", async (id) => {
    const [request] = exampleRequests(id);
    for (const [status, { content }] of Object.entries(operation(id).responses)) {
      if (Number(status) < 400) continue;
      for (const code of Object.keys(content!["application/json"]!.examples ?? {})) {
        const reply = await ask(request!, { prefer: `code=${status}, example=${code}` });
        expect({ code, status: reply.status, faults: reply.faults }).toEqual({ code, status: Number(status), faults: [] });
        expect(reply.bodyText).toContain(`"${code}"`);
      }
    }
  });

  test("code=402 alone gives a documented 402", async () => {
    const { status, faults } = await ask(exampleRequests("createChatCompletion")[0]!, { prefer: "code=402" });
    expect({ status, faults }).toEqual({ status: 402, faults: [] });
  });
});

describe("what is refused", () => {
  const chat = exampleRequests("createChatCompletion")[0]!;

  test("401 missing_api_key without a key", async () => {
    const response = await fetch(mock.url + chat.path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: bodyToSend(chat),
    });
    expect([response.status, ((await response.json()) as any).error.code]).toEqual([401, "missing_api_key"]);
  });

  test.each([
    ["a field missing", "{}"],
    ["a wrong field", JSON.stringify({ ...chat.body, messages: 5 })],
    ["no JSON", "{"],
  ])("400 invalid_parameter: %s", async (_, body) => {
    const headers = { "content-type": "application/json", authorization: "Bearer svc_any" };
    const response = await fetch(mock.url + chat.path, { method: "POST", headers, body });
    expect([response.status, ((await response.json()) as any).error.code]).toEqual([400, "invalid_parameter"]);
  });
});

describe("what is not there", () => {
  const envelopeOf = async (path: string, method: string) => {
    const response = await fetch(mock.url + path, { method });
    return { status: response.status, type: response.headers.get("content-type"), body: (await response.json()) as any };
  };

  test("404 for an unknown path, with the endpoints that there are", async () => {
    const { status, type, body } = await envelopeOf("/v1/chat/completion?x=1", "GET");
    expect({ status, type }).toEqual({ status: 404, type: "application/json" });
    expect(body.error).toMatchObject({
      type: "not_found_error",
      code: "endpoint_not_found",
      message: "There is no endpoint at /v1/chat/completion.",
    });
    expect(body.available_endpoints).toContain("POST /v1/chat/completions");
  });

  test("405 method_not_allowed for another method", async () => {
    const { status, body } = await envelopeOf("/v1/models", "DELETE");
    expect([status, body.error.code]).toEqual([405, "method_not_allowed"]);
  });
});

test("400 invalid_parameter blames a field that the operation has", async () => {
  const refusedField = async (path: string) => {
    const headers = { authorization: "Bearer svc_any", "content-type": "application/json" };
    const response = await fetch(mock.url + path, { method: "POST", headers, body: "{}" });
    return ((await response.json()) as any).error.param as string;
  };
  expect(await refusedField("/v1/chat/completions")).toBe("messages[0].role");
  expect(await refusedField("/v1/embeddings")).toBe("input");
});

test("a model's id may hold slashes", async () => {
  const response = await fetch(`${mock.url}/v1/models/north/chat-large`);
  expect([response.status, ((await response.json()) as any).object]).toEqual([200, "model"]);
});
