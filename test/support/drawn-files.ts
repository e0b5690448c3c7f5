// Test files that take tens of seconds each, because they start processes, browsers or published clients, or harm and load what runs. An
// everyday run of all tests has those of the rooms where something is not yet committed, and one in three of the others, drawn anew each time;
// .ci/run, which sets CI, has all, and so have runs of chosen files.
import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

const long = [
  "{clients,overload,prism,robustness,scale}/**/*",
  "cli/{backup,catalog-versions,compare-jobs,environment,ledger-head,lost-deposit,provider}",
  "db/{embedded,hosts,upgrade,upgrade-beside}",
  "deploy/{plans,shards}",
  "docs/{*-guide,guides,operation-samples}",
  "jobs/{crash,kill-steps,lost-end,run-job}",
  "ledger/{clock-jump,crash,escrow,escrow-crash,heartbeat,member-budget,period-budget,race,replica,slices,summary,verify}",
  "media/{audio-hostile,stores}",
  "portal/{accessibility,browser,choices,links,own-catalog,samples,sample-key,sdk-package}",
  "sdk/{editor,jobs,package,types}",
  "support/{gateway,leftovers}",
  "telemetry/{alert-rules,database-unavailable,metrics,traces,tracing-off,workers}",
];

const checkout = fileURLToPath(new URL("../..", import.meta.url));

/** Relative to the checkout. `words`: what follows the program on Vitest's command line; a name among them chooses files. */
export function filesNotDrawn(words: readonly string[]): string[] {
  const isEveryday = !process.env.CI && words.every((word) => word === "run" || word.startsWith("-"));
  if (!isEveryday) return [];
  const files = globSync(
    long.map((names) => `test/${names}.test.ts`),
    { cwd: checkout },
  );
  const changed = new Set(uncommitted().map(roomOf));
  const left = files.filter((file) => !changed.has(roomOf(file)) && Math.random() > 1 / 3);
  console.log(`NOT DRAWN: ${left.length} of the ${files.length} test files that take long; CI=1 npm test runs them all`);
  return left;
}

/** src/ledger and test/ledger are one room; guides are tested in test/docs. */
const roomOf = (file: string) => /^(?:(?:src|test|generated)\/)?([^/]+)\//.exec(file)?.[1];

function uncommitted(): string[] {
  const git = (...given: string[]) => execFileSync("git", given, { cwd: checkout, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  try {
    return [git("diff", "--name-only", "HEAD"), git("ls-files", "--others", "--exclude-standard")].flatMap((names) => names.split("\n"));
  } catch {
    return []; // no checkout, but a copy of one
  }
}
