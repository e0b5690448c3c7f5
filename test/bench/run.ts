// npm run bench: the gateway, accounting on and durable, beside a bare pass-through, nginx and its peers, in one run. Every slice of a
// target is preceded by one of the reference: believe the ratios, not the absolute figures. docs/benchmarks.md says how to read it.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openFleet } from "./fleet.ts";
import { type Ground, openGround } from "./ground.ts";
import { describeMachine, peerVersions } from "./machine.ts";
import type { Slice } from "./measure.ts";
import { type Options, readOptions, usage } from "./options.ts";
import { checkParity, type Parity, lineOf } from "./parity.ts";
import { openProfiler } from "./profile.ts";
import { scenarios } from "./scenarios/index.ts";
import { peers } from "./scenarios/names.ts";
import type { Bench, Result } from "./scenarios/types.ts";
import { scenarioTable } from "./table.ts";
import { targetTable } from "./target-table.ts";
import { targets } from "./targets/index.ts";
import { peersFolder } from "./targets/install.ts";
import type { Running } from "./targets/types.ts";

const options = readOptions(process.argv.slice(2));
const unknown = [
  ...(options.only ?? []).filter((name) => !scenarios.some((one) => one.name === name)),
  ...(options.targets ?? []).filter((name) => !targets.some((one) => one.name === name)),
];
if (unknown.length > 0) {
  console.error(`no such scenario or target: ${unknown.join(", ")}\n${usage}`);
  console.error(`scenarios: ${scenarios.map(({ name }) => name).join(", ")}\ntargets: ${targets.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
const ground = await openGround();
// Ended from outside it still ends what it started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void ground.close().finally(() => process.exit(130)));
try {
  await runAll(ground, options);
} finally {
  await ground.close();
}

async function runAll(ground: Ground, options: Options): Promise<void> {
  const machine = describeMachine();
  console.log(
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.node}, commit ${machine.commit}, load ${machine.load.toFixed(1)} at the start`,
  );
  console.log(
    machine.pinned
      ? "target on core 0; mock, load generator and Postgres on core 1"
      : "nothing is pinned: taskset or a second core is missing",
  );
  console.log("ours logs at its default level (info) into a file; Postgres waits for the disk");
  const fleet = openFleet(ground, targets, { inspect: options.profile, workers: 1, accounts: 1, pinned: true, env: {} });
  const [reference] = (await fleet.of(["bare"])) as [Running];
  const wanted = (name: string) => options.targets === null || options.targets.includes(name);
  const profiler = options.profile ? openProfiler() : null;
  const parities: Parity[] = [];
  const check = async (running: Running[]) => {
    for (const target of running) {
      const parity = await checkParity(ground, target);
      if (parity === null) continue;
      parities.push(parity);
      if (!parity.ok) process.exitCode = 1;
      console.log(lineOf(parity));
    }
  };
  const bench: Bench = {
    ground,
    fleet,
    options,
    reference,
    wanted,
    targets: (names) => fleet.of(names.filter(wanted)),
    async checkAndStop(running) {
      await check(running);
      for (const target of running) await target.stop();
    },
    profiled: (target, work) => profiler?.around(target, work) ?? work(),
  };
  const results = new Map<string, Result>();
  for (const scenario of scenarios) {
    if (options.only !== null && !options.only.includes(scenario.name)) continue;
    const startedAt = performance.now();
    const result = await scenario.run(bench).catch((error: unknown) => {
      console.error(`${scenario.name} failed:`, error);
      process.exitCode = 1;
      return null;
    });
    await fleet.stop(peers);
    if (result !== null) {
      results.set(scenario.name, result);
      console.log(`\n${scenarioTable(scenario, result)}\n`);
      profiler?.report(scenario.name, unitsOf(result), result.unit);
    }
    await check(fleet.running());
    console.log(`${scenario.name} took ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  }
  profiler?.close();
  const table = targetTable(results);
  console.log(`\n${table}\n`);
  const file = options.out ?? join(peersFolder, "results", `${machine.at.replaceAll(":", "-")}.json`);
  mkdirSync(dirname(file), { recursive: true });
  const versions = { ...machine.versions, ...peerVersions() };
  const leftOut = Object.fromEntries(fleet.leftOut);
  writeFileSync(
    file,
    JSON.stringify({ machine: { ...machine, versions }, options, leftOut, parities, results: Object.fromEntries(results) }, null, 1),
  );
  console.log(`all slices: ${file}`);
}

/** How many of each target were measured. */
function unitsOf({ raw, unit }: Result): Map<string, number> {
  const count = (slices: Slice[]) => slices.reduce((sum, slice) => sum + (unit === "request" ? slice.requests : slice.records), 0);
  const references = raw.flatMap(({ pairs }) => pairs.map(({ reference }) => reference));
  return new Map([
    ["bare", count(references)],
    ...raw.map(({ target, pairs }) => [target, count(pairs.map(({ slice }) => slice))] as const),
  ]);
}
