// Before each test file. CI draws the same random histories every time, so that what passed is what lands; by hand each run draws its own. And
// compiled code is kept from run to run: a process loads the gateway in a third of the time.
import module from "node:module";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll } from "vitest";

if (process.env.CI) fc.configureGlobal({ seed: 20_261_121 });

module.enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/tests-compiled", import.meta.url)));
// A process of Vitest is ended without its own end.
afterAll(() => module.flushCompileCache());
