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

interface Violation {
  /** "response", the part of it, and the way to the field. */
  location: string[];
  message: string;
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

/** What Prism says of an answer: its header holds the first 8,000 bytes of that, its error all of it. */
async function judged(id: OperationId, answer: Given): Promise<{ header: string | null; violations: Violation[] }> {
  given = answer;
  const { method, path, auth } = operations[id];
  const response = await fetch(proxy.url + path.replaceAll(/\{\w+\}/g, "given"), {
    method: method.toUpperCase(),
    ...(auth === "none" ? {} : { headers: { authorization: "Bearer any" } }),
  });
  const text = await response.text();
  const header = response.headers.get("sl-violations");
  const isError = response.headers.get("content-type") === "application/problem+json";
  return { header, violations: isError ? (JSON.parse(text) as { validation: Violation[] }).validation : [] };
}

/** The names of the body's own fields that an answer lacks, or in which something is wrong. */
const fieldsMissing = (violations: readonly Violation[]) =>
  violations.flatMap(({ message }) => /^Response body must have required property '(.+)'$/.exec(message)?.[1] ?? []);
const fieldsWrong = (violations: readonly Violation[]) =>
  violations.map(({ location: [, part, name] }) => (part === "body" ? name : undefined));

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
      expect([answer.status, (await judged(id, { ...answer, text })).header]).toEqual([answer.status, null]);
    }
  });

  // All at once, as Prism names each: one at a time they are thousands of requests more.
  oneInThree()("a missing or wrong field, a missing header, another content type do not", async () => {
    const told = new Set<string>();
    for (const { answer, value, schema } of documented(id)) {
      const place = `${answer.status} ${answer.headers["content-type"]}`;
      const isFirst = !told.has(place);
      told.add(place);
      const text = typeof value === "string" ? value : JSON.stringify(value);
      if (isFirst) {
        const { "x-request-id": _, ...without } = answer.headers;
        const { header } = await judged(id, { ...answer, headers: { ...without, "content-type": "text/html" }, text });
        expect(header).toContain("x-request-id");
        expect(header).toContain("media type");
      }
      const names = schema.required ?? [];
      if (typeof value === "string" || names.length === 0) continue;
      const rest = Object.fromEntries(Object.entries(value as object).filter(([name]) => !names.includes(name)));
      const wrong = { ...rest, ...Object.fromEntries(names.map((name) => [name, [[true]]])) };
      for (const [fault, fieldsOf] of [
        [rest, fieldsMissing],
        [wrong, fieldsWrong],
      ] as const) {
        const body = JSON.stringify(fault);
        // Of two examples that differ in these fields alone nothing different is left.
        if (told.has(place + body)) continue;
        told.add(place + body);
        const { violations } = await judged(id, { ...answer, text: body });
        expect([place, fieldsOf(violations)]).toEqual([place, expect.arrayContaining(names)]);
      }
    }
  });
});

test("an undocumented status is a violation too, though Prism lets it pass", async () => {
  const text = JSON.stringify({ error: "teapot" });
  const { header } = await judged("listModels", { status: 418, headers: { "content-type": "application/json" }, text });
  expect(header).toContain("status code");
});
