// The alert rules, run by Prometheus's own promtool: when those about money fire and when not; and each of them has its paragraph in the runbook.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { needTool } from "../support/find-tool.ts";

const folder = fileURLToPath(new URL("../../deploy/prometheus/", import.meta.url));
const promtool = needTool("prometheus");
const run = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(promtool!, words, { cwd: folder, encoding: "utf8" });
  return { status, said: stdout + stderr };
};

test.skipIf(promtool === null)("Prometheus reads the rules and the configuration", () => {
  expect(run("check", "rules", "alerts.yaml")).toMatchObject({ status: 0 });
});

test.skipIf(promtool === null)("the alerts about money fire when they should, and not before", () => {
  expect(run("test", "rules", "alerts.test.yaml")).toMatchObject({ status: 0, said: expect.stringContaining("SUCCESS") });
});

test("each alert whose firing is tested has its paragraph in the operator's runbook", () => {
  const tested = [...readFileSync(`${folder}alerts.test.yaml`, "utf8").matchAll(/alertname: (\w+)/g)].map(([, name]) => name!);
  const guide = readFileSync(new URL("../../src/docs/guides/operator.md", import.meta.url), "utf8");
  const runbook = guide.slice(guide.indexOf("### When an alert fires"));
  expect(new Set(tested).size).toBeGreaterThan(5);
  expect([...new Set(tested)].filter((name) => !runbook.includes(`**\`${name}\`**`))).toEqual([]);
});
