// Part of leftovers.test.ts: what the worst test would leave, each in another way. It passes.
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

test("a passing test", () => {
  const folder = mkdtempSync(join(tmpdir(), "forgotten-"));
  writeFileSync(join(folder, "file"), "");
  const options = { stdio: "ignore", detached: true } as const;
  const inherits = spawn("sleep", ["987001"], options);
  const sitsThere = spawn("sleep", ["987002"], { ...options, env: { PATH: process.env.PATH! }, cwd: folder });
  const deaf = spawn("sh", ["-c", "trap '' TERM; sleep 987003 & wait; wait"], options);
  for (const child of [inherits, sitsThere, deaf]) child.unref();
  expect(inherits.pid).toBeGreaterThan(0);
});
