// x-sdk: what each operation is called in the client library. Names are for good, so they are held here.
import { expect, it } from "vitest";
import { allOperations } from "./read-contract.ts";

/** Operations that the client library leaves out, and why. */
const leftOut: Record<string, string> = {
  receivePaymentEvent: "the payment provider calls it, not a client",
  understandAudio: "retired: every call is refused",
  getLegacyPricing: "deprecated: pricing.get replaces it",
  exportAccount: "a file for a person, of any length: the console saves it",
  createSystemOneDecision: "another path of decisions.create",
};

const names = new Map(allOperations().map((one) => [one.operationId, one["x-sdk"]]));
const given = [...names.values()].filter((name) => name !== undefined);

it("every operation has a name in the client library or a reason to have none", () => {
  const without = [...names].filter(([, name]) => name === undefined).map(([id]) => id);
  expect(without.sort()).toEqual(Object.keys(leftOut).sort());
});

it("a name is a noun or several, and then a verb, in the words of the language", () => {
  for (const name of given) expect(name).toMatch(/^[a-z][a-zA-Z]*(\.[a-z][a-zA-Z]*){1,3}$/);
});

it("no two operations have one name, and no name is the beginning of another: a group is no method", () => {
  expect(new Set(given).size).toBe(given.length);
  const groups = new Set(given.flatMap((name) => name.split(".").map((_, at, parts) => parts.slice(0, at).join("."))));
  expect(given.filter((name) => groups.has(name))).toEqual([]);
});
