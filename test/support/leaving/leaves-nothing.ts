// Part of leftovers.test.ts: a process that ends by itself, folders that are the run's.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../leftovers.ts";

test("a passing test", () => {
  const folder = mkdtempSync(join(tmpdir(), "removed-"));
  rmSync(folder, { recursive: true });
  spawn("sleep", ["1"], { stdio: "ignore", detached: true }).unref();
  expect(scratchFolder("kept-")).toContain("kept-");
});
