// `svc catalog diff`, `apply`, `revert` and `history` beside a running gateway, which follows; what refuses them, and what processes do that can't follow.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { callSvc } from "./run-svc.ts";

const catalog = (input: number, more = "", provider = "") => `providers:
  - { id: north, protocol: openai, base_url: "simulator:/openai/v1"${provider} }
models:
  - { id: demo/chat, type: language, pricing: { mode: per-token, input: ${input}, output: 10 }, routes: [{ provider: north, model: chat+sim-tokens-3, cost: { input: 2, output: 8 } }] }
${more}`;
const other =
  "  - { id: demo/other, type: language, pricing: { mode: per-token, input: 1, output: 1 }, routes: [{ provider: north, model: other }] }\n";

let gateway: Gateway;
let folder: string;
let env: Record<string, string>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-versions-"));
  gateway = await startGateway({ catalog: catalog(3) });
  env = { DATABASE_URL: gateway.databaseUrl, SVC_CATALOG: fileOf(catalog(3)) };
});
afterEach(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

function fileOf(text: string): string {
  const path = join(folder, `${Math.random().toString(36).slice(2)}.yaml`);
  writeFileSync(path, text);
  return path;
}

const svc = (...words: string[]) => callSvc(env, words);
const apply = (text: string, ...options: string[]) => svc("catalog", "apply", fileOf(text), ...options);
const inputPrice = async (url = gateway.url, id = "demo/chat") => {
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string; pricing: { input: number } }[] };
  return data.find((model) => model.id === id)?.pricing.input;
};
const figure = async (name: string) => {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
};
const changes = async () =>
  (
    await gateway.context.db.pool.query<Record<string, unknown>>(
      "select model, price_before as before, price_after as after from price_change order by id",
    )
  ).rows;
const price = (input: number) => expect.objectContaining({ mode: "per-token", input, output: 10 });

describe("svc catalog diff", () => {
  const diff = (path: string, ...options: string[]) => svc("catalog", "diff", path, ...options);

  test("ends with 1 and shows prices, margins and what else differs; changes nothing and asks for no key", async () => {
    const shown = await diff(fileOf(catalog(5, other, ", api_key_env: NEW_NORTH_KEY")));
    expect([shown.status, shown.stderr]).toEqual([1, ""]);
    for (const part of [
      "changed: demo/chat (pricing)\n  input: 3 -> 5\n",
      "input: 5 less 2, margin 3 USD",
      "added: demo/other",
      "changed: provider north",
    ])
      expect(shown.stdout).toContain(part);
    expect(shown.stdout).toContain("compared with the file of SVC_CATALOG, which is in use");
    expect((await diff(fileOf(catalog(5)), "--json")).json()).toMatchObject({ differs: true, version: 0, changes: [{ id: "demo/chat" }] });
    expect([(await svc("catalog", "history", "--json")).json(), await inputPrice()]).toEqual([{ data: [] }, 3]);
  });

  test("ends with 0 where nothing but comments differs, of the file or of the version in use", async () => {
    expect((await diff(fileOf(`# new\n${catalog(3)}`))).status).toBe(0);
    await apply(catalog(5), "--yes");
    expect((await diff(fileOf(catalog(5)), "--json")).json()).toMatchObject({ differs: false, version: 1 });
    expect((await diff(fileOf(catalog(3)))).stdout).toContain("compared with version 1, which is in use");
  });

  test("ends with 2 on trouble: a file with problems, none at all, no database", async () => {
    const wrong = await diff(fileOf(catalog(-1)));
    expect([wrong.status, wrong.stdout, wrong.stderr]).toEqual([2, "", expect.stringContaining(".yaml:4: models[0]")]);
    const none = await diff(join(folder, "none.yaml"));
    expect([none.status, none.stderr]).toEqual([2, expect.stringContaining("none.yaml can't be read")]);
    expect((await svc("catalog", "diff")).status).toBe(2);
    env.DATABASE_URL = "postgres://127.0.0.1:1/none";
    expect((await diff(fileOf(catalog(3)))).status).toBe(2);
  });
});

describe("svc catalog apply", () => {
  test("without --yes shows prices, margins and what else differs, and changes nothing", async () => {
    const shown = await apply(catalog(5, other));
    expect([shown.status, shown.stderr]).toEqual([0, ""]);
    expect(shown.stdout).toContain("changed: demo/chat (pricing)\n  input: 3 -> 5\n");
    expect(shown.stdout).toContain("north/chat+sim-tokens-3 input: 5 less 2, margin 3 USD");
    expect(shown.stdout).toContain("added: demo/other");
    expect(shown.stdout).toContain("nothing is changed without --yes; the file of SVC_CATALOG is in use (--expect 0)");
    expect((await svc("catalog", "history", "--json")).json()).toEqual({ data: [] });
    expect(await inputPrice()).toBe(3);
  });

  test("with --yes the running gateway serves it, at its prices to the unit, and so does one that starts later", async () => {
    const { key } = await gateway.createAccount({ deposit: "5" });
    const cost = async () => {
      const body = { model: "demo/chat", messages: [{ role: "user", content: "abcdefghijkl" }] };
      const {
        prompt_tokens,
        completion_tokens,
        cost: charged,
      } = (await gateway.request("POST", "/v1/chat/completions", { key, body })).json.usage;
      return { charged, at: (input: number) => Number(((prompt_tokens * input + completion_tokens * 10) / 1e6).toFixed(8)) };
    };
    const before = await cost();
    expect(before.charged).toBe(before.at(3));
    const applied = await apply(catalog(5, other), "--yes", "--reason", "dearer", "--json");
    expect(applied.json()).toMatchObject({ applied: true, version: 1 });
    await eventually(async () => expect(await inputPrice()).toBe(5));
    const after = await cost();
    expect(after.charged).toBe(after.at(5));
    expect(await figure("svc_catalog_version")).toBe(1);

    const second = await startGateway({ catalog: catalog(3), databaseUrl: gateway.databaseUrl });
    expect([await inputPrice(second.url), await inputPrice(second.url, "demo/other")]).toEqual([5, 1]);
    expect((await svc("catalog", "revert")).status).toBe(0);
    for (const { url } of [gateway, second]) await eventually(async () => expect(await inputPrice(url)).toBe(3));
    await second.stop();
    expect((await gateway.audit()).mismatches).toEqual([]);
  });

  test("the text in use changes nothing, be it the file's or a version's", async () => {
    expect((await apply(catalog(3), "--yes", "--json")).json()).toMatchObject({ applied: false, version: 0, changes: [] });
    await apply(catalog(5), "--yes");
    const again = await apply(catalog(5), "--yes");
    expect([again.status, again.stdout]).toEqual([0, expect.stringContaining("version 1 is this text; nothing is changed")]);
    expect((await svc("catalog", "history", "--json")).json().data).toHaveLength(1);
  });

  test("refuses a file with problems, names their lines, and warns of prices below cost", async () => {
    const wrong = await apply(catalog(-1), "--yes");
    expect([wrong.status, wrong.stdout]).toEqual([1, expect.stringContaining(".yaml:4: models[0]")]);
    expect((await apply(catalog(1))).stdout).toContain("warning: models[0].routes[0].cost.input: demo/chat is sold below cost");
    expect((await svc("catalog", "apply", join(folder, "none.yaml"), "--yes")).status).toBe(1);
    expect((await svc("catalog", "history", "--json")).json()).toEqual({ data: [] });
  });

  test("refuses one that names a variable which is not set, unless the catalog in use names it too", async () => {
    const keyed = (input: number) => catalog(input, "", ", api_key_env: NEW_NORTH_KEY");
    const refused = await apply(keyed(5), "--yes");
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("not set in this environment: NEW_NORTH_KEY")]);
    env.SVC_CATALOG = fileOf(keyed(3));
    expect((await apply(keyed(5), "--yes")).status).toBe(0);
  });

  test("of two operators who saw the same version one wins, and the other is told", async () => {
    const both = await Promise.all([apply(catalog(5), "--yes", "--expect", "0"), apply(catalog(6), "--yes", "--expect", "0")]);
    expect(both.map(({ status }) => status).sort()).toEqual([0, 1]);
    expect(both.find(({ status }) => status === 1)!.stderr).toContain("version 1 of the catalog is in use by now, not 0; compare again");
    expect((await svc("catalog", "history", "--json")).json().data).toHaveLength(1);
  });
});

describe("svc catalog revert and history", () => {
  test("goes back version by version, to the file at last, each a row; then there is nothing before", async () => {
    await apply(catalog(5), "--yes");
    await apply(catalog(6), "--yes");
    expect((await svc("catalog", "revert", "--json")).json()).toEqual({ version: 3, restores: 1 });
    await eventually(async () => expect(await inputPrice()).toBe(5));
    expect((await svc("catalog", "revert", "--json", "--reason", "as before")).json()).toEqual({ version: 4, restores: 0 });
    await eventually(async () => expect(await inputPrice()).toBe(3));
    const refused = await svc("catalog", "revert");
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("nothing was applied before it")]);
    const { data } = (await svc("catalog", "history", "--json")).json() as { data: Record<string, unknown>[] };
    expect(data.map(({ version, restores, in_use }) => [version, restores, in_use])).toEqual([
      [4, 0, true],
      [3, 1, false],
      [2, null, false],
      [1, null, false],
    ]);
    expect((await svc("catalog", "history")).stdout).toContain("the file of SVC_CATALOG again: as before (in use)");
    await apply(catalog(7), "--yes");
    expect((await svc("catalog", "revert", "--json")).json()).toEqual({ version: 6, restores: 4 });
  });

  test("nothing was applied: revert is refused", async () => {
    const refused = await svc("catalog", "revert");
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("no version of the catalog was applied")]);
    expect((await svc("catalog", "history")).stdout).toBe("no version was applied; the file is in use\n");
  });
});

test("a process that can't load a version keeps its own and says so; it follows the next one", async () => {
  const keyed = catalog(5, "", ", api_key_env: ONLY_HERE_KEY");
  env.ONLY_HERE_KEY = "sk-here";
  expect((await apply(keyed, "--yes")).status).toBe(0);
  await eventually(async () => expect(await figure("svc_catalog_refused")).toBe(1));
  expect([await inputPrice(), await figure("svc_catalog_version")]).toEqual([3, 0]);
  expect((await apply(catalog(6), "--yes")).status).toBe(0);
  await eventually(async () => expect(await inputPrice()).toBe(6));
  expect([await figure("svc_catalog_refused"), await figure("svc_catalog_version")]).toEqual([0, 2]);
});

test("each change of a price is one row, however many processes serve it; what is paused stays as it was, and what is gone has no price", async () => {
  const second = await startGateway({ catalog: catalog(3), databaseUrl: gateway.databaseUrl });
  await apply(catalog(5, other), "--yes");
  await apply(catalog(5, other.replace("type", "state: { paused: true }, type").replace("input: 1", "input: 9")), "--yes");
  await apply(catalog(5), "--yes");
  await eventually(async () => expect(await inputPrice(second.url)).toBe(5));
  expect(await changes()).toEqual([
    { model: "demo/chat", before: null, after: price(3) },
    { model: "demo/chat", before: price(3), after: price(5) },
    { model: "demo/other", before: null, after: expect.objectContaining({ input: 1 }) },
    { model: "demo/other", before: expect.objectContaining({ input: 1 }), after: null },
  ]);
  await second.stop();
});

test("a start with a changed file notes its prices, once", async () => {
  const starts = await Promise.all([4, 4].map((input) => startGateway({ catalog: catalog(input), databaseUrl: gateway.databaseUrl })));
  expect(await changes()).toEqual([
    { model: "demo/chat", before: null, after: price(3) },
    { model: "demo/chat", before: price(3), after: price(4) },
  ]);
  for (const started of starts) await started.stop();
});
