// The dashboard and the alert rules use only metrics that a real gateway shows, and every metric of ours appears in one of them.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { language, provider } from "../operations/chat/chat-gateway.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { startCollector } from "./collector.ts";

interface Dashboard {
  panels: { id: number; targets?: { expr: string }[]; gridPos: { x: number; w: number } }[];
}
interface Rules {
  groups: { rules: { alert: string; expr: string; labels: { severity: string }; annotations: { summary: string } }[] }[];
}

const read = (path: string) => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), "utf8");
const { panels } = JSON.parse(read("grafana/svc-gateway.json")) as Dashboard;
const rules = (parse(read("prometheus/alerts.yaml")) as Rules).groups.flatMap((group) => group.rules);
const asked = [...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)), ...rules.map(({ expr }) => expr)];

let gateway: Gateway;
let shown: Map<string, string>;
beforeAll(async () => {
  await using collector = await startCollector();
  const catalog = JSON.stringify({ providers: [provider("north")], models: [language("demo/chat", ["chat"])] });
  gateway = await startGateway({ catalog, env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  const { text } = await gateway.request("GET", "/metrics", { unchecked: true });
  shown = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name!, type!]));
});
afterAll(() => gateway.stop());

/** Names of figures in an expression; a histogram's without its ending. */
function namesIn(expression: string): string[] {
  const bare = expression.replaceAll(/"[^"]*"/g, "");
  return [...bare.matchAll(/\b((?:svc|nodejs|process)_\w+)/g)].map(([, name]) => {
    const whole = name!.replace(/_(?:bucket|sum|count)$/, "");
    return shown.get(whole) === "histogram" ? whole : name!;
  });
}

test("every figure that is asked for is shown by a real gateway", () => {
  expect(asked.length).toBeGreaterThan(40);
  expect([...new Set(asked.flatMap(namesIn))].filter((name) => !shown.has(name))).toEqual([]);
});

test("every figure of ours is on the dashboard", () => {
  const used = new Set(panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => namesIn(expr))));
  expect([...shown.keys()].filter((name) => name.startsWith("svc_") && !used.has(name))).toEqual([]);
});

test("the margin is shown by model, by route and by provider, without what was charged at unknown cost", () => {
  const margins = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).filter((expr) => expr.includes(" - sum by"));
  for (const by of ["model", "route", "provider"])
    expect(margins).toContainEqual(expect.stringMatching(new RegExp(`sum by \\(${by}\\) \\(rate\\(svc_route_charged_usd_total.* - sum by \\(${by}\\) \\(rate\\(svc_route_charged_without_cost_usd_total.* - sum by \\(${by}\\) \\(rate\\(svc_route_cost_usd_total`))); // prettier-ignore
});

test("a counter is only ever asked for its rate or increase, and anything else never is", () => {
  for (const expression of asked)
    for (const [, name] of expression.matchAll(/\b(?:rate|increase)\((\w+)/g)) {
      const whole = name!.replace(/_(?:bucket|sum|count)$/, "");
      expect([shown.get(name!), shown.get(whole)]).toSatisfy((types: (string | undefined)[]) => types.some((type) => type === "counter" || type === "histogram")); // prettier-ignore
    }
  for (const expression of asked) {
    const unrated = expression.replaceAll(/\b(?:rate|increase)\(\w+/g, "");
    for (const name of namesIn(unrated)) expect(`${name} ${shown.get(name)}`).toMatch(/ gauge$/);
  }
});

test("brackets are closed", () => {
  for (const expression of asked) {
    let rest = expression.replaceAll(/"[^"]*"/g, "").replaceAll(/[^()[\]{}]/g, "");
    while (/\(\)|\[\]|\{\}/.test(rest)) rest = rest.replaceAll(/\(\)|\[\]|\{\}/g, "");
    expect(rest).toBe("");
  }
});

describe("each alert", () => {
  test.each(rules)("$alert has a severity and an explanation", ({ labels, annotations }) => {
    expect(["critical", "warning", "info"]).toContain(labels.severity);
    expect(annotations.summary).toMatch(/^.{20,}\.$/);
  });
});

test("panels have unique ids and fit the grid", () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(panels.filter(({ gridPos }) => gridPos.x + gridPos.w > 24)).toEqual([]);
});
