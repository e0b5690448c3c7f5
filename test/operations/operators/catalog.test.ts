// The catalog for operators: what is in use, what is wrong in another text, and what that would change.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { newOperator } from "../../support/operators.ts";

const model = (id: string, input: number, more = "") =>
  `  - { id: ${id}, type: language, pricing: { mode: per-token, input: ${input}, output: 12 }, routes: [{ provider: north, model: up, cost: { input: 2, output: 10 } }]${more} }\n`;
const providers = (headers = "{ Authorization: Bearer sk-plain, X-Team: 'Bearer ${TEAM_KEY}' }") =>
  `# ours\nproviders:\n  - { id: north, base_url: https://api.example.com/v1, protocol: openai, api_key_env: NORTH_KEY, headers: ${headers} }\nmodels:\n`;
const inUse = providers() + model("north/a", 4) + model("north/b", 1) + model("north/c", 4);

let gateway: Gateway;
let support: { account: TestAccount; key: string };
beforeAll(async () => {
  gateway = await startGateway({ catalog: inUse, env: { NORTH_KEY: "sk-secret", TEAM_KEY: "sk-team" } });
  support = await newOperator(gateway, "support");
});
afterAll(() => gateway.stop());

const get = (query = "") => gateway.request("GET", `/v1/operator/catalog${query}`, { key: support.key });
const post = (what: "check" | "diff", body: unknown) => gateway.request("POST", `/v1/operator/catalog/${what}`, { key: support.key, body });
const codeOf = ({ status, json }: { status: number; json: { error?: { code: string; param?: string } } }) => [
  status,
  json.error?.code,
  json.error?.param,
];

describe("the catalog in use", () => {
  test("shows its counts, its hash and prices below cost, and no text unless asked", async () => {
    const { json } = await get();
    expect(json).toMatchObject({
      ...{ object: "operator.catalog", path: null, models: 3, providers: 1, problems: [], text: null },
      sha256: createHash("sha256").update(inUse).digest("hex"),
      warnings: expect.arrayContaining([
        { line: 6, message: expect.stringContaining("north/b is sold below cost: its price for input is 1 USD") },
      ]),
    });
    expect(Date.parse(json.loaded_at)).toBeLessThanOrEqual(Date.now());
    expect((await get()).json).toEqual(json);
  });

  test("shows its text with the names of variables, without what headers hold otherwise and without any key", async () => {
    const { json, text } = await get("?text=true");
    expect(json.text).toBe(inUse.replace("Bearer sk-plain", '"(hidden)"'));
    for (const secret of ["sk-plain", "sk-secret", "sk-team"]) expect(text).not.toContain(secret);
  });

  test("400 invalid_parameter: text is neither true nor false", async () => {
    expect(codeOf(await get("?text=maybe"))).toEqual([400, "invalid_parameter", "text"]);
  });
});

describe("checking a text", () => {
  test("names each problem with its line, as the gateway would refuse it; warnings where there are no problems", async () => {
    const wrong = providers().replace("north, base", "south, base") + model("north/a", 4);
    const { json } = await post("check", { text: wrong });
    expect(json).toMatchObject({ object: "operator.catalog.check", models: 1, providers: 1, warnings: [] });
    expect(json.problems).toEqual([{ line: 5, message: expect.stringContaining('there is no provider "north"') }]);
    expect((await post("check", { text: inUse })).json).toMatchObject({ problems: [], warnings: (await get()).json.warnings });
    expect((await post("check", { text: "providers: [" })).json.problems).toHaveLength(1);
  });

  test("400 and 413: no text, a text of another type, one that is too long", async () => {
    for (const what of ["check", "diff"] as const) {
      expect(codeOf(await post(what, {}))).toEqual([400, "missing_parameter", "text"]);
      expect(codeOf(await post(what, { text: 7 }))).toEqual([400, "invalid_parameter", "text"]);
      expect(codeOf(await post(what, { text: "x".repeat(4_000_001) }))).toEqual([400, "invalid_parameter", "text"]);
      const big = await gateway.request("POST", `/v1/operator/catalog/${what}`, {
        key: support.key,
        body: { text: "x".repeat(8_000_001) },
      });
      expect(codeOf(big).slice(0, 2)).toEqual([413, "request_too_large"]);
      const broken = await post(what, "{");
      expect(codeOf(broken).slice(0, 2)).toEqual([400, "invalid_json"]);
    }
  });
});

describe("comparing a text with the catalog in use", () => {
  test("names the models that are added, removed and changed, with prices and margins of both, and other parts", async () => {
    const next = `${providers("{}") + model("north/a", 5) + model("north/b", 1) + model("north/d", 3, ", state: { paused: true }")}aliases: { big: north/a }\n`;
    const { json } = await post("diff", { text: next });
    expect(json).toMatchObject({ models: 3, problems: [], other_changes: ["aliases"], truncated: false });
    expect(json.provider_changes).toEqual([{ id: "north", change: "changed", fields: ["headers"] }]);
    expect(json.changes.map(({ id, change }: { id: string; change: string }) => [id, change])).toEqual([
      ["north/a", "changed"],
      ["north/c", "removed"],
      ["north/d", "added"],
    ]);
    const [changed, removed, added] = json.changes;
    expect(changed.fields).toEqual(["pricing"]);
    const marginOf = (terms: { margins: { unit: string }[] }) => terms.margins.find(({ unit }) => unit === "input");
    expect(marginOf(changed.before)).toEqual({ route: "north/up", unit: "input", price_usd: 4, cost_usd: 2, margin_usd: 2 });
    expect(marginOf(changed.after)).toMatchObject({ price_usd: 5, margin_usd: 3 });
    expect(changed.after).toMatchObject({ state: "active", pricing: { mode: "per-token", input: 5, output: 12 }, routes: ["north/up"] });
    expect([removed.after, added.before]).toEqual([null, null]);
    expect(added.after.state).toBe("paused");
    expect(JSON.stringify(json)).not.toContain("sk-");
  });

  test("finds nothing in the same text, and compares nothing where there are problems", async () => {
    expect((await post("diff", { text: `${inUse}# a comment\n` })).json).toMatchObject({
      changes: [],
      provider_changes: [],
      other_changes: [],
    });
    const { json } = await post("diff", { text: providers() + model("north/a", -1) });
    expect(json.problems).not.toEqual([]);
    expect(json.changes).toEqual([]);
  });
});
