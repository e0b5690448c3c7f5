// npm run test:prism: the suites that talk HTTP a second time, with Prism's proxy between them and the gateway.
import { defineConfig } from "vitest/config";
import { common } from "../../vitest.config.ts";
import { suites, suitesLeftOut } from "./scope.ts";

export default defineConfig({
  test: {
    ...common,
    name: "prism",
    include: suites,
    exclude: Object.keys(suitesLeftOut),
    globalSetup: ["test/support/global-setup.ts", "test/prism/start-prism.ts"],
    maxWorkers: 2,
    testTimeout: 60_000, // three processes more on the same cores
  },
});
