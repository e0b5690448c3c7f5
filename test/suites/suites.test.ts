// Other people's public suites against a gateway whose models are the simulator's. docs/public-suites.md is the result: what was run, and
// each test that does not pass with its reason. `npm run test:suites` brings the suites and writes the page; elsewhere this says what is missing.
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { folderOf, suites } from "./list.ts";
import { pageOf, readPage, type Result, writePage } from "./page.ts";
import { suitesCatalog } from "./catalog.ts";

const results: Result[] = [];
let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway({ catalog: suitesCatalog })));
afterAll(() => gateway.stop());

const missing = suites.map((suite) => (existsSync(folderOf(suite)) ? (suite.whyNot?.() ?? null) : "npm run test:suites brings it"));
for (const [index, suite] of suites.entries()) {
  const reason = missing[index]!;
  describe.skipIf(reason !== null)(reason === null ? suite.name : `${suite.name} (${reason})`, () => {
    test("passes, but for what has a reason; and every reason is of a test that does not pass", async () => {
      const { key } = await gateway.createAccount({ deposit: "2000" });
      const target = { base: gateway.url, key, model: "copilot/gpt-4o", embedder: "vectors/small" };
      const outcomes = await suite.run(folderOf(suite), target);
      results.push({ suite, outcomes });
      const failed = outcomes.filter(({ faults }) => faults.length > 0);
      expect(failed.filter(({ name }) => suite.reasons[name] === undefined)).toEqual([]);
      expect(Object.keys(suite.reasons).filter((name) => !failed.some((one) => one.name === name))).toEqual([]);
    });
  });
}

test("docs/public-suites.md says what was found and why", () => {
  if (process.env["SVC_SUITES"] === "write") {
    if (missing.some((reason) => reason !== null))
      throw new Error(`without all suites the page would lose their rows: ${missing.join(", ")}`);
    writePage(pageOf(results));
  }
  const page = readPage();
  for (const result of results) for (const line of pageOf([result]).split("\n").filter((text) => text.startsWith("| "))) expect(page).toContain(line); // prettier-ignore
  for (const { reasons } of suites) for (const [name, reason] of Object.entries(reasons)) expect(page).toContain(`| ${name} | ${reason} |`);
});
