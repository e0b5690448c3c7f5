// What bench:pages asks is all that may be read: nothing new goes unmeasured.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { OperationId } from "../../generated/operations.ts";
import { leftOut, questions } from "./pages-list.ts";

interface Contract {
  paths: Record<string, { get?: { operationId: OperationId } }>;
}

test("bench:pages asks every operation that reads, but for those that it names with why not", () => {
  const { paths } = JSON.parse(readFileSync("generated/openapi.json", "utf8")) as Contract;
  const reads = Object.values(paths).flatMap(({ get }) => (get === undefined ? [] : [get.operationId]));
  expect([...Object.keys(questions), ...Object.keys(leftOut)].sort()).toEqual([...reads].sort());
});

test("what it asks is under the operation's own path", () => {
  const { paths } = JSON.parse(readFileSync("generated/openapi.json", "utf8")) as Contract;
  const known = new Proxy({}, { get: (_, name) => String(name) }) as Parameters<NonNullable<(typeof questions)[OperationId]>>[0];
  for (const [path, { get }] of Object.entries(paths)) {
    const shape = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/?]+")}(\\?|$)`);
    for (const asked of (get && questions[get.operationId])?.(known) ?? []) expect(asked).toMatch(shape);
  }
});
