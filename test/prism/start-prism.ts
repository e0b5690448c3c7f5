// Once a run of `npm run test:prism`: Prism's own proxy on the contract, in front of the desk. At the end the count of
// what went through it and what round, and what of the contract it never saw.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { ranEverything } from "../support/global-setup.ts";
import { openDesk } from "./desk.ts";
import { startProxy } from "./proxy.ts";
import { neverAnswered, suitesLeftOut } from "./scope.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Of `npm run test:prism` alone. */
    prism: { proxyUrl: string; deskUrl: string } | undefined;
  }
}

const root = fileURLToPath(new URL("../../", import.meta.url));

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const desk = await openDesk();
  const proxy = await startProxy(desk.url);
  project.provide("prism", { proxyUrl: proxy.url, deskUrl: desk.url });
  return async () => {
    const unseen = report(project.getProvidedContext().runFolder);
    await proxy.stop();
    await desk.close();
    if (unseen.length === 0 || !(await ranEverything(project))) return;
    console.error(`\nPrism did not see ${unseen.join(", ")}`);
    process.exitCode = 1;
  };
}

/** Returns the pairs of operation and status that Prism should have seen and didn't. */
function report(runFolder: string): string[] {
  const through = countLines(join(runFolder, "went-through.txt"));
  const round = countLines(join(runFolder, "went-round.txt"));
  const sum = (counts: Map<string, number>) => [...counts.values()].reduce((a, b) => a + b, 0);
  const declared = declaredPairs();
  const seen = declared.filter((pair) => through.has(pair));
  console.log(
    `\nThrough Prism: ${sum(through)} requests, ${seen.length} of ${declared.length} pairs of operation and status. Round it: ${sum(round)}.`,
  );
  for (const [reason, count] of round) console.log(`  ${count}: ${reason}`);
  for (const [suite, reason] of Object.entries(suitesLeftOut)) console.log(`  left out: ${suite}: ${reason}`);
  return declared.filter((pair) => !through.has(pair) && !neverAnswered.includes(pair));
}

function countLines(file: string): Map<string, number> {
  const counts = new Map<string, number>();
  if (!existsSync(file)) return counts;
  for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

function declaredPairs(): string[] {
  const { paths } = JSON.parse(readFileSync(join(root, "generated/openapi.json"), "utf8")) as {
    paths: Record<string, Record<string, { operationId: string; responses: object }>>;
  };
  return Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ operationId, responses }) => Object.keys(responses).map((status) => `${operationId} ${status}`)),
  );
}
