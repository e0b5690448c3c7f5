// The thread that looks at a catalog's text for in-thread.ts: a file of 4 MB takes seconds.
import { parentPort, workerData } from "node:worker_threads";
import { compareCatalogs, textWithoutSecrets } from "./compare.ts";
import type { Look } from "./in-thread.ts";
import { catalogVariables, checkCatalog } from "./load.ts";

const { wants, text, current, known = [] } = workerData as Look;
const variablesOf = (one: string) => catalogVariables({ source: { text: one } });

function unknownVariables(): string[] {
  const names = new Set(known.flatMap(variablesOf));
  return variablesOf(text).filter((variable) => !names.has(variable));
}

const answers = {
  diff: () => compareCatalogs(current, text),
  check: () => ({ ...checkCatalog(text), text: null }),
  text: () => ({ ...checkCatalog(text), text: textWithoutSecrets(text) }),
  variables: () => ({ ...checkCatalog(text), unknown: unknownVariables() }),
};
parentPort!.postMessage(answers[wants]());
