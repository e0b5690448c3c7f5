// `svc catalog import`: shows what would change, and writes only when told, and only over what an import wrote.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../support/leftovers.ts";
import { callSvc } from "./run-svc.ts";

const folder = scratchFolder("import-");
const row = (input: number) => ({
  ...{ litellm_provider: "mistral", mode: "chat", max_input_tokens: 1000, max_output_tokens: 100 },
  ...{ input_cost_per_token: input, output_cost_per_token: 2e-6 },
});
function list(name: string, value: object): string {
  writeFileSync(join(folder, name), JSON.stringify(value));
  return join(folder, name);
}
const svc = (...words: string[]) => callSvc({}, ["catalog", "import", ...words, "--vendor", "mistral", "--json"]);

test("first shown, then written; the next import shows what it changes, with cost and price", async () => {
  const first = list("first.json", { "mistral/one": row(1e-6), "mistral/two": row(1e-6) });
  const target = join(folder, "mistral.yaml");
  const shown = await svc(first, "--markup", "10");
  expect(shown.json()).toMatchObject({ vendor: "mistral", models: 2, left_out: {}, written: null });
  expect((await svc(first, "--markup", "10", "--write", target)).json()).toMatchObject({ written: target });
  expect(readFileSync(target, "utf8")).toContain("- { provider: mistral, model: one, cost: { input: 1, output: 2 } }");
  const second = list("second.json", { "mistral/one": row(2e-6), "mistral/three": row(1e-6) });
  const { changes } = (await svc(second, "--markup", "10", "--write", target)).json() as any;
  expect(changes.map(({ id, change }: any) => [id, change])).toEqual([
    ["mistral/one", "changed"],
    ["mistral/three", "added"],
    ["mistral/two", "removed"],
  ]);
  expect([changes[0].before.pricing.input, changes[0].after.pricing.input]).toEqual([1.1, 2.2]);
  expect(changes[0].after.margins[0]).toMatchObject({ unit: "input", price_usd: 2.2, cost_usd: 2, margin_usd: 0.2 });
  const check = await callSvc({}, ["catalog", "check", target, "--json"]);
  expect(check.json()).toEqual({ models: 2, providers: 1, problems: [], warnings: [] });
});

test("1: a file that no import wrote is kept; a list without the vendor, or no JSON", async () => {
  const own = list("own.yaml", { providers: [], models: [] });
  const good = list("good.json", { "mistral/one": row(1e-6) });
  const refused = await svc(good, "--write", own);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("was not written by an import")]);
  expect(readFileSync(own, "utf8")).toBe('{"providers":[],"models":[]}');
  expect((await svc(list("none.json", { a: { litellm_provider: "openai" } }))).status).toBe(1);
  writeFileSync(join(folder, "text.json"), "no JSON");
  expect((await svc(join(folder, "text.json"))).status).toBe(1);
});

test("2: an unknown vendor, or a mark-up that is no percentage", async () => {
  const good = list("good.json", { "mistral/one": row(1e-6) });
  expect((await callSvc({}, ["catalog", "import", good, "--vendor", "nobody", "--json"])).status).toBe(2);
  for (const markup of ["-1", "ten", "10001"]) expect((await svc(good, `--markup=${markup}`)).status).toBe(2);
});
