// /docs/changelog: what changed in the contract, newest day first. The text is spec/CHANGELOG.md, which `npm run generate` copies.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page, PortalFacts } from "./types.ts";

export function readChangelog(): string {
  return readFileSync(fileURLToPath(new URL("../../generated/changelog.md", import.meta.url)), "utf8");
}

export function changelogPage({ here }: Pick<PortalFacts, "here">): Page {
  return {
    path: "changelog",
    title: "Changelog",
    summary: "What was added to the API, newest first. Codes and fields are added, never renamed or given another meaning.",
    blocks: () => daysOf(here.text(readChangelog())).map(([day, changes]) => `## ${day}\n\n${changes.join("\n")}`),
  };
}

/** Its entries are `- DATE: text` and `- DATE, what of: text`, the oldest first; a longer entry goes on in indented lines. */
function daysOf(text: string): [day: string, changes: string[]][] {
  const entries = [...text.matchAll(/^- (\d{4}-\d\d-\d\d)(?:, beyond the specification)?(, [^:]*)?: (.*(?:\n {2}.*)*)/gm)];
  const changes = entries.map(([, day = "", of = "", said = ""]) => ({ day, text: `- ${capital(of.replace(/^, /, ""), said)}` }));
  return [...Map.groupBy(changes.reverse(), ({ day }) => day)].map(([day, all]) => [day, all.map((one) => one.text)]);
}

function capital(of: string, said: string): string {
  const text = of === "" ? said : `${of}: ${said}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
