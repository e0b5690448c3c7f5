// Once a run with TEST_PRISM: Prism's own proxy on the contract, in front of the desk. At the end the count of answers that it judged, and what
// of the contract it never saw.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { ranEverything } from "../support/global-setup.ts";
import { openDesk } from "./desk.ts";
import { startProxy } from "./proxy.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where TEST_PRISM is set. */
    prism: { proxyUrl: string; deskUrl: string } | undefined;
  }
}

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Pairs of operation and status that the contract declares and nothing answers. Prism has to see every other. */
const neverAnswered = ["understandAudio 200"]; // retired: kept for reading old code

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const desk = await openDesk();
  const proxy = await startProxy(desk.url);
  project.provide("prism", { proxyUrl: proxy.url, deskUrl: desk.url });
  return async () => {
    const file = join(project.getProvidedContext().runFolder, "judged.txt");
    const judged = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
    const seen = new Set(judged);
    const declared = declaredPairs();
    const unseen = declared.filter((pair) => !seen.has(pair));
    console.log(
      `\nPrism judged ${judged.length} different answers of ${declared.length - unseen.length} of ${declared.length} pairs of operation and status.`,
    );
    await proxy.stop();
    await desk.close();
    const missing = unseen.filter((pair) => !neverAnswered.includes(pair));
    if (missing.length === 0 || !(await ranEverything(project, "/test/operations/"))) return;
    console.error(`\nPrism did not see ${missing.join(", ")}`);
    process.exitCode = 1;
  };
}

function declaredPairs(): string[] {
  const { paths } = JSON.parse(readFileSync(join(root, "generated/openapi.json"), "utf8")) as {
    paths: Record<string, Record<string, { operationId: string; responses: object }>>;
  };
  return Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ operationId, responses }) => Object.keys(responses).map((status) => `${operationId} ${status}`)),
  );
}
