// How the tests run: forked processes on one Postgres server that test/support/global-setup.ts starts.
import { configDefaults, defineConfig } from "vitest/config";
import { testsToSkip } from "./test/support/packages.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...testsToSkip()],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/seeds.ts"],
    pool: "forks", // tests end child processes and read memory; threads would share both
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    restoreMocks: true,
    expect: { poll: { timeout: 10_000 } }, // a busy machine is no fault; what is waited for is an event
    env: { NODE_ENV: "test", TZ: "UTC" },
  },
});
