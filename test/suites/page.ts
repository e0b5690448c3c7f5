// docs/public-suites.md: how many tests of each suite pass, and why the others do not.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Outcome, Suite } from "./suite.ts";

export interface Result {
  suite: Suite;
  outcomes: readonly Outcome[];
}

const path = fileURLToPath(new URL("../../docs/public-suites.md", import.meta.url));

const head = `# Other people's suites

Written by \`npm run test:suites\`, which brings the suites from their repositories and runs each against a gateway whose models are the simulator's. A
test that stops to pass, or begins to, fails the run until this page says so. Nothing of the suites is in this repository.

Not run: the end-to-end tests of lightseekorg/smg, whose harness starts its own gateway and the models behind it.
`;

export function pageOf(results: readonly Result[]): string {
  const rows = results.map(({ suite: { name, repository, commit }, outcomes }) => {
    const passed = outcomes.filter(({ faults }) => faults.length === 0).length;
    return `| [${name}](${repository}) | ${commit.slice(0, 12)} | ${outcomes.length} | ${passed} |`;
  });
  const lists = results.map(({ suite: { name, reasons } }) => {
    const lines = Object.entries(reasons).map(([test, reason]) => `| ${test} | ${reason} |`);
    return lines.length === 0 ? "" : `\n## ${name}: what does not pass\n\n| test | why |\n| --- | --- |\n${lines.join("\n")}\n`;
  });
  return `${head}\n| suite | at | tests | pass |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n${lists.join("")}`;
}

export const writePage = (text: string): void => writeFileSync(path, text);
export const readPage = (): string => readFileSync(path, "utf8");
