// `npm run bench:soak -- --minutes 30 --rate 40 --compare --json FILE`: a mixed load with clients that disconnect, upstreams that break and bodies of
// megabytes on one gateway process; then whether its heap and memory still rise, and whether a socket, a hold, a job, a row or a file is left.
// --compare tells which constructors grew (two heap snapshots, which themselves cost memory).
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startEmbedded } from "../../src/db/embedded.ts";
import { runSoak } from "./soak-run.ts";
import { reportOf } from "./soak-report.ts";
import { openSoakWorld } from "./soak-world.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    rate: { type: "string", default: "40" },
    compare: { type: "boolean", default: false },
    json: { type: "string" },
    flag: { type: "string", multiple: true, default: [] },
    env: { type: "string", multiple: true, default: [] },
  },
});
// Ended from outside it still ends what it started: below, once its gateway is gone.
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());
const folder = mkdtempSync(join(tmpdir(), "svc-soak-"));
const embedded = await startEmbedded({ dataDir: folder, durable: true });
try {
  const env = Object.fromEntries(values.env.map((pair) => pair.split("=", 2) as [string, string]));
  const world = await openSoakWorld({ databaseUrl: embedded.url, folder, flags: values.flag, env });
  try {
    const options = { minutes: Number(values.minutes), rate: Number(values.rate), compare: values.compare };
    const report = reportOf(await runSoak(world, { ...options, signal: interrupted.signal, print: (line) => console.log(line) }));
    if (values.json !== undefined)
      writeFileSync(
        values.json,
        `${JSON.stringify(report, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value instanceof Map ? Object.fromEntries(value) : value), 2)}\n`,
      );
    console.log(report.text.join("\n"));
    for (const fault of report.faults) console.error(`FAULT: ${fault}`);
    if (report.faults.length > 0) process.exitCode = 1;
  } finally {
    await world.stop();
  }
} finally {
  await embedded.stop();
  rmSync(folder, { recursive: true, force: true });
}
