// All scenarios, in the order of a run.
import { closedScenarios } from "./closed.ts";
import type { Scenario } from "./types.ts";

export const scenarios: Scenario[] = [...closedScenarios];
