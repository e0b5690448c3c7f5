// /docs/models and /docs/changelog: the catalog in use with its prices, and the contract's changes by day.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../support/gateway.ts";

const catalog = `
providers:
  - { id: host, protocol: openai, base_url: "simulator:/openai/v1" }
  - { id: studio, protocol: fal, base_url: "simulator:/fal" }
models:
  - id: acme/talk
    name: "Talk | [the](https://evil.example) <b>best</b>"
    type: language
    context_window: 128000
    supports_tools: true
    pricing: { mode: per-token, input: 3, output: 9.5, cached: 0.000003 }
    routes: [{ provider: host, model: talk }]
  - id: acme/gone
    type: language
    state: { retired: true }
    pricing: { mode: per-token, input: 1, output: 1 }
  - id: acme/paint
    type: image
    pricing: { mode: per-image, usd_per_image: 0.07 }
    routes: [{ provider: studio, model: paint }]
aliases: { house: acme/talk }
`;

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway({ catalog })));
afterAll(() => gateway.stop());
const textOf = async (path: string) => (await fetch(gateway.url + path, { headers: { accept: "text/html" } })).text();

describe("/docs/models", () => {
  test("each model that is listed, with its context window and prices as the catalog has them", async () => {
    const text = await textOf("/docs/models.md");
    expect(text).toMatch(/^\| `acme\/talk` .* \| 128,000 \| \$3\.00 \| \$9\.50 \| \$0\.000003 \| .*tools/m);
    expect(text).toMatch(/^\| `acme\/paint` .* \| \$0\.07 an image \|/m);
    expect(text).toMatch(/^\| `house` \| `acme\/talk` \|$/m);
    expect(text).not.toContain("acme/gone");
  });

  test("says what GET /v1/models says, and nothing else is listed", async () => {
    const { data } = (await gateway.request("GET", "/v1/models")).json as { data: { id: string }[] };
    const text = (await textOf("/docs/models.md")).split("## Aliases")[0]!;
    expect([...text.matchAll(/^\| `([^`]+)`/gm)].map(([, id]) => id!).sort()).toEqual(data.map(({ id }) => id).sort());
  });

  test("a name of the catalog is text: no markup, no link, no cell of its own", async () => {
    const page = await textOf("/docs/models");
    expect(page).toContain("Talk | [the](https://evil.example) &lt;b&gt;best&lt;/b&gt;");
    expect(page).not.toContain('href="https://evil.example"');
  });
});

describe("/docs/changelog", () => {
  test("every entry of spec/CHANGELOG.md, newest day first", async () => {
    const source = readFileSync(new URL("../../spec/CHANGELOG.md", import.meta.url), "utf8");
    const entries = [...source.matchAll(/^- (\d{4}-\d\d-\d\d)/gm)].map(([, day]) => day!);
    const text = await textOf("/docs/changelog.md");
    expect(text.match(/^- /gm)).toHaveLength(entries.length);
    const days = [...text.matchAll(/^## (.*)$/gm)].map(([, day]) => day!);
    expect(days).toEqual([...new Set(entries)].sort().reverse());
  });
});
