// `npm run fuzz`: Schemathesis against a real gateway, with all its checks, phases and operations; then the money, the log and the
// memory. `-- --examples N --seed S`; without a seed a new one each time, printed so that the run can be repeated. In CI: `npm run fuzz:ci`.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { toVersion32 } from "../../src/docs/contract.ts";
import { inspect } from "./inspect.ts";
import { findSchemathesis, runSchemathesis } from "./schemathesis.ts";
import { openWorld } from "./world.ts";

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const { values, positionals } = parseArgs({
  options: { examples: { type: "string", default: "50" }, seed: { type: "string" } },
  allowPositionals: true, // the rest goes to Schemathesis as it is: -- --include-path /v1/models
});
const seed = values.seed ?? String(Math.floor(Math.random() * 2 ** 31));
const schemathesis = findSchemathesis();
if ("reason" in schemathesis) {
  console.log(`No fuzzing: ${schemathesis.reason}`);
  process.exit(0);
}

console.log(`Schemathesis by ${schemathesis.how}, ${values.examples} examples an operation, seed ${seed}`);
const world = await openWorld();
let faults: string[];
let passed: number;
try {
  for (const name of ["schemathesis.toml", "hooks.py"]) cpSync(here(name), join(world.folder, name));
  const contract = JSON.parse(readFileSync(here("../../generated/openapi.json"), "utf8")) as object;
  writeFileSync(join(world.folder, "openapi.json"), JSON.stringify(toVersion32(contract)));
  const memoryBefore = world.memoryMb();
  const began = performance.now();
  const options = ["--max-examples", values.examples, "--seed", seed, ...positionals];
  const outcome = await runSchemathesis(schemathesis, world, options);
  const seconds = Math.round((performance.now() - began) / 1000);
  const found = await inspect(world, memoryBefore);
  passed = outcome.cases;
  faults = [...(outcome.status === 0 ? [] : [`Schemathesis ended with ${outcome.status}`]), ...found.faults];
  console.log(`
fuzzed     ${outcome.operations} operations, ${outcome.cases} cases, ${outcome.requests} requests, ${outcome.checks} checks
failures   ${outcome.failures}
money      ${found.money}
log        ${found.log}
memory     ${found.memory}
seed       ${seed}, ${values.examples} examples an operation, ${seconds} s`);
} finally {
  await world.stop();
}
for (const fault of faults) console.error(`FAULT: ${fault}`);
console.log(`fuzzing: ${passed} passed, ${faults.length} failed`); // a closing line that any CI reads: Schemathesis' own looks like one of no test at all
process.exit(faults.length === 0 ? 0 : 1);
