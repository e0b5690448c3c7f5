// The thread that looks at a catalog's text for in-thread.ts: a file of 4 MB takes seconds.
import { parentPort, workerData } from "node:worker_threads";
import { compareCatalogs, textWithoutSecrets } from "./compare.ts";
import type { Look } from "./in-thread.ts";
import { checkCatalog } from "./load.ts";

const { wants, text, current } = workerData as Look;
parentPort!.postMessage(
  wants === "diff" ? compareCatalogs(current, text) : { ...checkCatalog(text), text: wants === "text" ? textWithoutSecrets(text) : null },
);
