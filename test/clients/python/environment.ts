// Where the Python clients are installed, and whether they are. install.ts fills the folder; the tests only read it.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const folder = fileURLToPath(new URL("../../../.python-clients", import.meta.url));
export const interpreter = `${folder}/bin/python`;
/** Packages that take the place of others: put it on PYTHONPATH. */
export const anthropic2 = `${folder}/anthropic-2`;

/** A server that speaks S3, for test/media: Python too, and installed here so that there is one such step. */
export const s3Server = `${folder}/s3-server`;

/** Says, in a file, why there is nothing to run with: no Python, or no index to install from. */
export const excuse = `${folder}/excuse.txt`;
/** What was installed. A change of the pins makes it out of date. */
export const installed = `${folder}/installed.txt`;

export const requirements = ["requirements.txt", "requirements-anthropic-2.txt", "requirements-s3-server.txt"].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
) as [string, string, string];

/** The text of all files of pins. */
export function pins(): string {
  return requirements.map((path) => readFileSync(path, "utf8")).join("");
}

export function hasPython(): boolean {
  return spawnSync("python3", ["--version"]).status === 0;
}

/** Null where the tests can run; else why not. */
export function whyNot(): string | null {
  if (existsSync(installed) && readFileSync(installed, "utf8") === pins()) return null;
  if (existsSync(excuse)) return readFileSync(excuse, "utf8").trim();
  return hasPython() ? "the Python clients of these pins are not installed: npm run clients:python" : "there is no python3";
}
