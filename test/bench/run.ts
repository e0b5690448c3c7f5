// npm run bench: the gateway, accounting on and durable, beside a bare pass-through, nginx and its peers, in one run. Every slice of a
// target is preceded by one of the reference: believe the ratios, not the absolute figures. README "Measured" says how to read it.
import { openFleet } from "./fleet.ts";
import { openGround } from "./ground.ts";
import { type Options, readOptions } from "./options.ts";
import type { Slice } from "./measure.ts";
import { openProfiler } from "./profile.ts";
import { checkParity, type Parity } from "./parity.ts";
import { scenarios } from "./scenarios/index.ts";
import type { Bench, Result, Scenario } from "./scenarios/types.ts";
import { scenarioTable } from "./table.ts";
import { peers } from "./scenarios/names.ts";
import { targets } from "./targets/index.ts";
import type { Running } from "./targets/types.ts";

const options = readOptions(process.argv.slice(2));
const chosen = scenarios.filter(({ name }) => options.only === null || options.only.includes(name));
const ground = await openGround();
try {
  await runAll(options, chosen);
} finally {
  await ground.close();
}

async function runAll(options: Options, chosen: Scenario[]): Promise<void> {
  const fleet = openFleet(ground, targets, { inspect: options.profile, workers: 1, accounts: 1 });
  const [reference] = (await fleet.of(["bare"])) as [Running];
  const known = targets.map(({ name }) => name);
  const wanted = (name: string) =>
    known.includes(name) &&
    (options.targets === null || options.targets.some((one) => name === one || (one === "ours" && name === "ours-full")));
  const profiler = options.profile ? openProfiler() : null;
  const bench: Bench = {
    ground,
    fleet,
    options,
    reference,
    targets: (names) => fleet.of(names.filter(wanted)),
    known: new Map(),
    profiled: (target, work) => profiler?.around(target, work) ?? work(),
  };
  const results: { scenario: Scenario; result: Result; parity: Parity[] }[] = [];
  for (const scenario of chosen) {
    const startedAt = performance.now();
    const result = await scenario.run(bench);
    await fleet.stop(peers);
    const parity = await Promise.all(fleet.running().map((target) => checkParity(ground, target)));
    results.push({ scenario, result, parity: parity.filter((one) => one !== null) });
    console.log(`\n${scenarioTable(scenario, result)}`);
    profiler?.report(scenario.name, unitsOf(result), result.unit);
    for (const one of results.at(-1)?.parity ?? []) {
      const said = `${one.target}: ${one.requests} answers, ${one.entries} entries, charged ${one.charged} = delivered ${one.delivered} (1e-8 USD)`;
      console.log(one.ok ? `parity ${said}` : `PARITY BROKEN ${said}: ${one.faults.join("; ")}`);
      if (!one.ok) process.exitCode = 1;
    }
    console.log(`(${((performance.now() - startedAt) / 1000).toFixed(0)} s)`);
  }
  profiler?.close();
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
