// `npm run test:failover`: a whole cluster, harmed in all the ways of scenarios.ts under load, and the books compared after each. `-- --only
// leader,standby` runs some, `-- --quick` those of .ci/run; `archive` among them is the restore to a moment in the past, which comes last.
// SVC_FAILOVER=write writes docs/failover.md.
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { clearRun, openRun } from "../support/leftovers.ts";
import { rehearseArchive, whyNoArchive } from "./archive.ts";
import { rehearseRestore } from "./restore.ts";
import { missing } from "./parts.ts";
import { scenarios } from "./scenarios.ts";
import { play, type Result } from "./stage.ts";
import { pageOf, rowsOf } from "./table.ts";
import { openWorld, type World } from "./world.ts";

const { values } = parseArgs({ options: { only: { type: "string" }, quick: { type: "boolean" } } });
const lacking = missing();
if (lacking !== null) {
  console.log(`No failover: ${lacking}`);
  process.exit(0);
}
const chosen = scenarios.filter(({ name, quick }) =>
  values.only === undefined ? !values.quick || quick : values.only.split(",").includes(name),
);
const archives = values.only === undefined ? !values.quick : values.only.split(",").includes("archive");
if (chosen.length === 0 && !archives) throw new Error(`--only takes ${scenarios.map(({ name }) => name).join(", ")}, archive`);

const { folder, runFolder } = openRun();
const began = performance.now();
const elapsed = () => Math.round((performance.now() - began) / 1000);
const results: Result[] = [];
const faults: string[] = [];
let world: World | undefined;
try {
  world = await openWorld(runFolder);
  console.log(`a cluster of three machines, up after ${elapsed()} s`);
  for (const [index, scenario] of chosen.entries()) {
    if (scenario.fills && Object.values(world.cluster.machines).some(({ disk }) => disk === null)) {
      console.log(`${scenario.name}: skipped, since nothing can be mounted here: the machines have no disks of their own`);
      continue;
    }
    const result = await play(world, scenario, index);
    results.push(result);
    faults.push(...result.faults.map((fault) => `${scenario.name}: ${fault}`));
    console.log(`${elapsed()} s, ${scenario.name}: ${result.faults.length === 0 ? "the books agree" : result.faults.join("; ")}`);
  }
  const fault = await rehearseRestore(world);
  if (fault !== null) faults.push(fault);
  const noArchive = archives ? whyNoArchive() : null;
  if (noArchive !== null) console.log(`archive: skipped: ${noArchive}`);
  else if (archives) {
    faults.push(...(await rehearseArchive(world)).map((one) => `archive: ${one}`));
    console.log(`${elapsed()} s, archive: back to a moment in the past`);
  }
} catch (error) {
  faults.push(String((error as Error).stack));
  if (world !== undefined) {
    const lines = world.log().split("\n").slice(-20);
    faults.push(`the gateways said at last:\n${lines.map((line) => line.slice(0, 300)).join("\n")}`);
    faults.push(`the cluster said at last:\n${world.cluster.log(6_000)}`);
  }
} finally {
  await world?.stop();
}
faults.push(...(await clearRun(folder)));
console.log(`\n${rowsOf(results)}\n`);
for (const fault of faults) console.error(`FAULT: ${fault}`);
if (process.env["SVC_FAILOVER"] === "write" && faults.length === 0 && results.length === scenarios.length) {
  const machine = `The last run: ${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores for all of it.`;
  writeFileSync(fileURLToPath(new URL("../../docs/failover.md", import.meta.url)), pageOf(results, machine));
}
console.log(`failover: ${results.length} scenarios, ${faults.length} failed, ${elapsed()} s`);
process.exit(faults.length === 0 ? 0 : 1);
