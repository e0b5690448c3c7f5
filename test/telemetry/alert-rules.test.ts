// The alert rules, run by Prometheus's own promtool: when each fires and when not; and each has its paragraph in the runbook.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { needTool } from "../support/find-tool.ts";

interface Check {
  alertname: string;
  exp_alerts: unknown[];
}

const folder = fileURLToPath(new URL("../../deploy/prometheus/", import.meta.url));
const promtool = needTool("prometheus");
const run = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(promtool!, words, { cwd: folder, encoding: "utf8" });
  return { status, said: stdout + stderr };
};

test.skipIf(promtool === null)("Prometheus reads the rules and the configuration", () => {
  expect(run("check", "rules", "alerts.yaml")).toMatchObject({ status: 0 });
});

test.skipIf(promtool === null)("the alerts fire when they should, and not before", () => {
  expect(run("test", "rules", "alerts.test.yaml")).toMatchObject({ status: 0, said: expect.stringContaining("SUCCESS") });
});

test("each alert has a test of when it fires and of when not, and its paragraph in the operator's runbook", () => {
  const text = (file: string) => readFileSync(`${folder}${file}`, "utf8");
  const alerts = [...text("alerts.yaml").matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
  const checks = (parse(text("alerts.test.yaml")) as { tests: { alert_rule_test: Check[] }[] }).tests.flatMap((one) => one.alert_rule_test);
  const checked = (fires: boolean) => checks.filter(({ exp_alerts }) => exp_alerts.length > 0 === fires).map(({ alertname }) => alertname);
  const guide = readFileSync(new URL("../../src/docs/guides/operator.md", import.meta.url), "utf8");
  const runbook = guide.slice(guide.indexOf("### When an alert fires"), guide.indexOf("### Why a call failed"));
  const explained = [...runbook.matchAll(/^\*\*`(\w+)`\*\*: /gm)].map(([, name]) => name!);
  expect(alerts.length).toBeGreaterThan(25);
  for (const names of [checked(true), checked(false), explained]) expect([...new Set(names)].sort()).toEqual([...alerts].sort());
  expect(new Set(explained).size).toBe(explained.length);
});
