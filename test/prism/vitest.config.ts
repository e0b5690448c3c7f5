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
    isolate: false, // as in npm test: a process keeps its modules from file to file
    maxWorkers: 2, // three processes more on the same cores
  },
});
