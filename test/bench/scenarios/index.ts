// All scenarios, in the order of a run.
import { manyAccounts } from "./accounts.ts";
import { bodyScenarios } from "./bodies.ts";
import { closedScenarios } from "./closed.ts";
import { openLoop } from "./open-loop.ts";
import { pacedStreams } from "./paced.ts";
import { readScenarios } from "./reads.ts";
import type { Scenario } from "./types.ts";
import { twoWorkers } from "./workers.ts";

export const scenarios: Scenario[] = [
  ...closedScenarios,
  openLoop,
  pacedStreams,
  ...bodyScenarios,
  manyAccounts,
  ...readScenarios,
  twoWorkers,
];
