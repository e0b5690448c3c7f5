// Part of leftovers.test.ts: a test that is still under way when its run is ended from outside.
import { spawn } from "node:child_process";
import { test } from "vitest";

test("a test without an end", async () => {
  spawn("sleep", ["987005"], { stdio: "ignore", detached: true }).unref();
  await new Promise(() => setInterval(() => undefined, 1_000));
});
