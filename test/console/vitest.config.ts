// npm run test:console: the console in a real browser, against the real gateway. Beside npm test, because it needs a Chromium and a build.
import { defineConfig } from "vitest/config";
import { common } from "../../vitest.config.ts";

export default defineConfig({
  test: {
    ...common,
    name: "console",
    globalSetup: ["test/support/global-setup.ts"],
    include: ["test/console/**/*.test.ts"],
    maxWorkers: 2,
    isolate: false,
  },
});
