// How the tests run: in a few processes on one Postgres server that test/support/global-setup.ts starts. A process keeps its modules from
// file to file, and Node itself loads them: both halve what a run costs.
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { filesNotDrawn } from "./test/support/drawn-files.ts";
import { testsToSkip } from "./test/support/packages.ts";

/** What looks at which modules are loaded, at what runs in them, or at the timer that all streams of a process share: each has one of its own. */
const alone = [
  "test/clock.test.ts",
  "test/language/stream-answer.test.ts",
  "test/media/kinds-load.test.ts",
  "test/operations/chat/length-of-the-way.test.ts",
];

// test/console needs a browser and a build: npm run test:console.
const left = [...configDefaults.exclude, "test/console/**", ...testsToSkip(), ...filesNotDrawn(process.argv.slice(2))];

/** For every run. */
export const common = {
  setupFiles: ["test/support/seeds.ts"],
  pool: "forks" as const, // tests end child processes and read memory; threads would share both
  execArgv: ["--max-semi-space-size=32"], // as the gateway itself starts: a third less work for the garbage collector
  experimental: { viteModuleRunner: false, nodeLoader: false },
  // Time-outs end only what hangs: a busy machine is no fault, and what is waited for is an event.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  teardownTimeout: 20_000,
  restoreMocks: true,
  expect: { poll: { timeout: 550_000 } },
  env: { NODE_ENV: "test", TZ: "UTC" },
};

/** Rooms whose tests repeat much and start processes. */
const longRooms = /\/test\/(?:robustness|scale|overload|ledger|jobs)\//;

/**
 * Where no durations are known, as in a fresh checkout, Vitest runs the smallest files last: a few lines that repeat a call 10,000 times would
 * run when all other processes are done.
 */
class LongRoomsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const first = (file: TestSpecification) => file.project.name === "alone" || longRooms.test(file.moduleId);
    return [...sorted.filter(first), ...sorted.filter((file) => !first(file))];
  }
}

export default defineConfig({
  test: {
    sequence: process.env.CI ? { sequencer: LongRoomsFirst } : {},
    globalSetup: ["test/support/global-setup.ts", ...(process.env.TEST_PRISM ? ["test/prism/start-prism.ts"] : [])],
    // Many tests wait, for an upstream or for a time-out: more than the processors can work for at once.
    maxWorkers: 4,
    projects: [
      { test: { ...common, name: "shared", include: ["test/**/*.test.ts"], exclude: [...left, ...alone], isolate: false } },
      { test: { ...common, name: "alone", include: alone } },
    ],
  },
});
