// What a run could not test: said where it is found, and once more at the run's end, where it is read.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";

const listOf = (runFolder: string) => join(runFolder, "skipped");

/** In a test file: what is not tested, and why. */
export function saySkipped(what: string): void {
  console.warn(`skipped: ${what}`);
  appendFileSync(listOf(inject("runFolder")), `${what}\n`);
}

/** Each once. */
export function whatWasSkipped(runFolder: string): string[] {
  const path = listOf(runFolder);
  return existsSync(path) ? [...new Set(readFileSync(path, "utf8").trimEnd().split("\n"))] : [];
}
