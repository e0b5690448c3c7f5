// What an operator's role is too low for: every operation of the contract's tag Operator, asked with every role. Everybody else: operators.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Operation, operations } from "../../../generated/operations.ts";
import { isAtLeast, type OperatorRole, operatorRoles } from "../../../src/accounts/operators.ts";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { allOperations } from "../../contract/read-contract.ts";
import { type Gateway, startGateway, type TestReply } from "../../support/gateway.ts";
import { newOperator } from "../../support/operators.ts";

/** Each operation of the tag, and the role that the contract names. */
const tagged = allOperations()
  .filter(({ tags }) => tags.includes("Operator"))
  .map((one) => [one.operationId as Operation["id"], one["x-operator"] as OperatorRole] as const);

let gateway: Gateway;
const keys = new Map<OperatorRole, string>();
beforeAll(async () => {
  gateway = await startGateway({ catalog: smallCatalog });
  for (const role of operatorRoles) keys.set(role, (await newOperator(gateway, role)).key);
});
afterAll(() => gateway.stop());

/** Its body lacks what is required, and its path names nothing: nothing changes where it is let in. */
const ask = (role: OperatorRole, { method, path }: Operation) =>
  gateway.request(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "none"), {
    key: keys.get(role)!,
    ...(method === "get" ? {} : { body: {} }),
  });
const isTooLow = ({ status, json }: TestReply, needed: OperatorRole) =>
  status === 403 && json.error.code === "permission_denied" && json.error.message.includes(`it needs an operator with the role ${needed}`);

test("the tag and the paths name the operations that only operators may", () => {
  const named = tagged.map(([id]) => id).sort();
  const ids = (which: (operation: Operation) => boolean) =>
    Object.values(operations)
      .filter(which)
      .map(({ id }) => id)
      .sort();
  expect(named).toEqual(ids(({ operator }) => operator !== undefined));
  expect(named).toEqual(ids(({ path }) => path.startsWith("/v1/operator")));
  expect(new Set(tagged.map(([, needed]) => needed))).toEqual(new Set(operatorRoles));
});

describe("403 permission_denied for each role that is too low, and for no other", () => {
  test.each(tagged)("%s needs %s", async (id, needed) => {
    for (const role of operatorRoles) {
      const reply = await ask(role, operations[id]);
      expect([role, isTooLow(reply, needed)]).toEqual([role, !isAtLeast(role, needed)]);
    }
  });

  test("nobody did anything", async () => {
    expect((await gateway.context.db.pool.query("select 1 from operator_action")).rowCount).toBe(0);
  });
});
