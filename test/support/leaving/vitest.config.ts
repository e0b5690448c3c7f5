// A run for leftovers.test.ts: the ordinary set-up, over tests that leave something behind or don't.
import { defineConfig, mergeConfig } from "vitest/config";
import ordinary from "../../../vitest.config.ts";

export default mergeConfig(
  { ...ordinary, test: { ...ordinary.test, include: ["test/support/leaving/*.ts"] } },
  defineConfig({ test: { exclude: ["**/vitest.config.ts"] } }),
);
