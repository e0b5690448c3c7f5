// A run for leftovers.test.ts: the ordinary set-up, over tests that leave something behind or don't.
import { defineConfig } from "vitest/config";
import { common } from "../../../vitest.config.ts";

export default defineConfig({
  test: {
    ...common,
    include: ["test/support/leaving/*.ts"],
    exclude: ["**/vitest.config.ts"],
    globalSetup: ["test/support/global-setup.ts"],
  },
});
