// npm run test:prism: the suites that talk HTTP a second time, with Prism's proxy between them and the gateway.
import { defineConfig, mergeConfig } from "vitest/config";
import ordinary from "../../vitest.config.ts";
import { suites, suitesLeftOut } from "./scope.ts";

export default mergeConfig(
  { ...ordinary, test: { ...ordinary.test, include: suites } },
  defineConfig({
    test: {
      name: "prism",
      exclude: Object.keys(suitesLeftOut),
      globalSetup: ["test/prism/start-prism.ts"],
      testTimeout: 60_000, // three processes more on the same cores
    },
  }),
);
