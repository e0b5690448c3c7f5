// What the second run rests on: Prism's proxy lets every documented answer pass, and notices a fault in each of them.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OperationId, operations } from "../../generated/operations.ts";
import { type Answer, operation, resolved } from "../contract/read-contract.ts";
import { type Proxy, startProxy } from "./proxy.ts";
import { oneInThree } from "../support/size.ts";

interface Given {
  status: number;
  headers: Record<string, string>;
  text: string;
}

let given: Given;
let upstream: Server;
let proxy: Proxy;
beforeAll(async () => {
  upstream = createServer((request, response) => {
    request.resume();
    response.writeHead(given.status, given.headers).end(given.text);
  }).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  proxy = await startProxy(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`);
});
afterAll(async () => {
  await proxy.stop();
  upstream.close();
});

/** What Prism says of an answer; null where nothing. */
async function violations(id: OperationId, answer: Given): Promise<string | null> {
  given = answer;
  const { method, path, auth } = operations[id];
  const response = await fetch(proxy.url + path.replaceAll(/\{\w+\}/g, "given"), {
    method: method.toUpperCase(),
    ...(auth === "none" ? {} : { headers: { authorization: "Bearer any" } }),
  });
  await response.arrayBuffer();
  return response.headers.get("sl-violations");
}

const headersOf = ({ headers = {} }: Answer): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, { example }]) => [name, String(example)]));
const ids = Object.keys(operations) as OperationId[];

/** Every documented answer with each of its examples, and what its body must have. */
function documented(id: OperationId) {
  return Object.entries(operation(id).responses).flatMap(([status, answer]) =>
    Object.entries(answer.content ?? {}).flatMap(([type, { schema, examples }]) =>
      Object.values(examples ?? {}).map((example) => ({
        answer: { status: Number(status), headers: { ...headersOf(answer), "content-type": type } as Record<string, string> },
        value: resolved(example).value,
        schema: resolved(schema),
      })),
    ),
  );
}

describe.each(ids)("%s", (id) => {
  test("documented answers pass", async () => {
    for (const { answer, value } of documented(id)) {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      expect([answer.status, await violations(id, { ...answer, text })]).toEqual([answer.status, null]);
    }
  });

  oneInThree()("a missing or wrong field, a missing header, another content type do not", async () => {
    for (const { answer, value, schema } of documented(id)) {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      const { "x-request-id": _, ...without } = answer.headers;
      expect(await violations(id, { ...answer, headers: without, text })).toContain("x-request-id");
      expect(await violations(id, { ...answer, headers: { ...answer.headers, "content-type": "text/html" }, text })).toContain(
        "media type",
      );
      if (typeof value === "string") continue;
      for (const name of schema.required ?? []) {
        const { [name]: _gone, ...rest } = value as Record<string, unknown>;
        expect([name, await violations(id, { ...answer, text: JSON.stringify(rest) })]).toEqual([name, expect.any(String)]);
        const wrong = { ...rest, [name]: [[true]] };
        expect([name, await violations(id, { ...answer, text: JSON.stringify(wrong) })]).toEqual([name, expect.any(String)]);
      }
    }
  });
});

test("an undocumented status is a violation too, though Prism lets it pass", async () => {
  const text = JSON.stringify({ error: "teapot" });
  expect(await violations("listModels", { status: 418, headers: { "content-type": "application/json" }, text })).toContain("status code");
});
