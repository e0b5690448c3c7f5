// Makes a golden database (README.md beside it): a run of its own, because what it writes is different each time.
import { defineConfig } from "vitest/config";
import { common } from "../../../vitest.config.ts";

export default defineConfig({
  test: { ...common, name: "golden", globalSetup: ["test/support/global-setup.ts"], include: ["test/db/golden/make.ts"] },
});
