// The Python SDK for tests that use it: generating it takes many seconds of a processor, so one of a run does it for all.
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { buildPythonSdk } from "../../../spec/python-sdk/build.ts";
import { runVariable, scratchFolder } from "../../support/leftovers.ts";

let built: Promise<string> | undefined;

/** Its folder, not to be written to. */
export function builtPythonSdk(): Promise<string> {
  return (built ??= build());
}

/** Two processes that begin at once both make it, and use the first. */
async function build(): Promise<string> {
  const run = process.env[runVariable];
  const own = join(scratchFolder("python-sdk-"), "sdk");
  const shared = run === undefined ? own : join(run, "run", "python-sdk");
  if (existsSync(shared)) return shared;
  await buildPythonSdk(own);
  try {
    if (own !== shared) renameSync(own, shared);
  } catch (error) {
    if (!existsSync(shared)) throw error;
  }
  return shared;
}
