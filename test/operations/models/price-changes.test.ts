// GET /v1/pricing/history: dated changes of prices, as the portal shows them too.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callSvc } from "../../cli/run-svc.ts";
import { eventually } from "../../support/eventually.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

const catalog = (input: number, image: number, more = "") => `providers:
  - { id: secret-north, protocol: openai, base_url: "simulator:/openai/v1" }
  - { id: secret-studio, protocol: fal, base_url: "simulator:/fal" }
models:
  - { id: demo/chat, type: language, pricing: { mode: per-token, input: ${input}, output: 10 }, routes: [{ provider: secret-north, model: up, cost: { input: 1.25, output: 1.25 } }] }
  - { id: demo/paint, type: image, pricing: { mode: per-image, usd_per_image: ${image} }, routes: [{ provider: secret-studio, model: paint }] }
${more}aliases: { best: demo/chat }
`;
const gone =
  "  - { id: demo/gone, type: language, pricing: { mode: per-token, input: 1, output: 1 }, routes: [{ provider: secret-north, model: gone }] }\n";

let gateway: Gateway;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-prices-"));
  gateway = await startGateway({ catalog: catalog(3, 0.04, gone) });
  await apply(catalog(5, 0.04));
  await apply(catalog(4, 0.05));
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function apply(text: string): Promise<void> {
  const file = join(folder, "catalog.yaml");
  writeFileSync(file, text);
  const before = (await history("?limit=1")).json.last_id;
  const { stdout } = await callSvc({ DATABASE_URL: gateway.databaseUrl }, ["catalog", "apply", file, "--yes"]);
  expect(stdout).toContain("is in use by every process from now on");
  await eventually(async () => expect((await history("?limit=1")).json.last_id).not.toBe(before));
}

const history = async (query = "") => {
  const { status, json, headers } = await gateway.request("GET", `/v1/pricing/history${query}`);
  return { status, json, headers, rows: (json.data ?? []).map(({ model, before, after }: Change) => [model, shown(before), shown(after)]) };
};
interface Price {
  mode: string;
  input?: number;
  usd_per_image?: number;
}
type Change = { model: string; before: Price | null; after: Price | null };
const shown = (price: Price | null) => price && (price.input ?? price.usd_per_image);

describe("GET /v1/pricing/history", () => {
  test("lists each change once, newest first, without a key, and may be cached", async () => {
    const { status, headers, json, rows } = await history();
    expect([status, headers["cache-control"]]).toEqual([200, "public, max-age=60"]);
    expect(rows).toEqual([
      ["demo/paint", 0.04, 0.05],
      ["demo/chat", 5, 4],
      ["demo/chat", 3, 5],
      ["demo/paint", null, 0.04],
      ["demo/chat", null, 3],
    ]);
    expect(json).toMatchObject({ object: "list", has_more: false, last_id: json.data.at(-1).id });
    const times = json.data.map(({ at }: { at: string }) => at);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  test("says nothing of providers, of what they cost, and of models that are not listed", async () => {
    const text = JSON.stringify((await history()).json);
    expect(text).not.toMatch(/secret|1\.25|demo\/gone/);
    expect((await history("?model=demo/gone")).rows).toEqual([]);
  });

  test("of one model, by its id or an alias; in pages that meet", async () => {
    expect((await history("?model=demo/paint")).rows).toEqual([["demo/paint", 0.04, 0.05], ["demo/paint", null, 0.04]]); // prettier-ignore
    expect((await history("?model=best")).rows).toEqual((await history("?model=demo/chat")).rows);
    const first = await history("?model=best&limit=2");
    expect([first.rows.length, first.json.has_more]).toEqual([2, true]);
    const second = await history(`?model=best&limit=2&after=${first.json.last_id}`);
    expect([second.rows, second.json.has_more]).toEqual([[["demo/chat", null, 3]], false]);
    const end = await history("?after=prc_1");
    expect([end.rows, end.json.last_id]).toEqual([[], null]);
  });

  test.each(["after=1", "after=prc_0", "after=prc_x", "limit=0", "limit=101"])("400 invalid_parameter: %s", async (query) => {
    const { status, json } = await history(`?${query}`);
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", query.split("=")[0]]);
  });
});

test("/docs/models says since when each price holds, and the last changes", async () => {
  const text = await (await fetch(`${gateway.url}/docs/models.md`)).text();
  const today = new Date().toISOString().slice(0, 10);
  expect(text).toMatch(new RegExp(`^\\| \`demo/paint\` .* \\| \\$0\\.05 an image \\| ${today} \\|`, "m"));
  const changes = text.split("## Changes of prices")[1]!;
  expect(changes.match(/^\| \d{4}-.*$/gm)).toEqual([
    `| ${today} | \`demo/paint\` | \`usd_per_image\` 0.04 → 0.05 |`,
    `| ${today} | \`demo/chat\` | \`input\` 5 → 4 |`,
    `| ${today} | \`demo/chat\` | \`input\` 3 → 5 |`,
  ]);
  expect(text).not.toContain("secret");
});

test("a gateway that starts later on the database knows the history", async () => {
  const later = await startGateway({ catalog: catalog(9, 9), databaseUrl: gateway.databaseUrl });
  const { json } = await later.request("GET", "/v1/pricing/history");
  await later.stop();
  expect(json).toEqual((await history()).json);
});
