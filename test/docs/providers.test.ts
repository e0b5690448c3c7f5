// The operator's pages about providers: their providers are sound, each protocol has its page, and the table of abilities is what the adapters do.
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { describe, expect, test } from "vitest";
import { vendors } from "../../src/catalog/import/vendors.ts";
import { checkCatalog } from "../../src/catalog/load.ts";
import { type Adapters, openAdapters } from "../../src/providers/adapters.ts";

const folder = fileURLToPath(new URL("../../docs/providers/", import.meta.url));
const pages = globSync("*.md", { cwd: folder }).sort();
const read = (page: string) => readFileSync(join(folder, page), "utf8");
const blocksOf = (page: string) =>
  [...read(page).matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text]) => parse(text!) as { providers: any[] });

/** Verbs of the adapters under the name of what a model is sold for. */
const columns: Partial<Record<keyof Adapters, string>> = {
  chat: "text",
  embed: "embeddings",
  rerank: "reranking",
  images: "images",
  videos: "video",
  transcribe: "transcripts",
  speech: "speech",
  music: "music",
  sounds: "effects",
  cloneVoice: "voices",
};

function tableOfAdapters(): string[][] {
  const adapters = openAdapters({} as never, {} as never);
  const verbs = Object.keys(columns) as (keyof Adapters)[];
  const protocols = [...new Set(verbs.flatMap((verb) => Object.keys(adapters[verb])))].sort();
  return [
    ["protocol", ...Object.values(columns)],
    ["---", ...verbs.map(() => "---")],
    ...protocols.map((protocol) => [`\`${protocol}\``, ...verbs.map((verb) => (protocol in adapters[verb] ? "yes" : ""))]),
  ];
}

test("the table of protocols and abilities is what the adapters do", () => {
  const lines = read("README.md").split("## Protocols and abilities")[1]!.split("\n");
  const rows = lines.filter((line) => line.startsWith("|"));
  const cells = rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim().replace(/^-+$/, "---")),
  );
  expect(cells).toEqual(tableOfAdapters());
  const { chat, messages } = openAdapters({} as never, {} as never);
  expect(Object.keys(messages).sort()).toEqual(Object.keys(chat).sort());
});

test("every protocol has a provider on a page, and the list names every page", () => {
  const shown = new Set(
    pages.flatMap((page) => blocksOf(page).flatMap(({ providers }) => providers.map(({ protocol }) => `\`${protocol}\``))),
  );
  expect([...shown].sort()).toEqual(
    tableOfAdapters()
      .slice(2)
      .map(([protocol]) => protocol),
  );
  for (const page of pages) if (page !== "README.md") expect(read("README.md"), basename(page)).toContain(`](${page})`);
});

test("every vendor whose catalog ships has its key's variable on a page", () => {
  const shipped = globSync("catalogs/*.yaml").map((path) => vendors[basename(path, ".yaml")]?.provider.api_key_env ?? null);
  const variables = shipped.filter((name) => name !== null);
  expect(variables.length).toBeGreaterThan(10);
  const texts = pages.map(read).join("");
  expect(variables.filter((name) => !texts.includes(name))).toEqual([]);
});

describe.each(pages.filter((page) => page !== "README.md"))("%s", (page) => {
  test("its providers are sound", () => {
    expect(blocksOf(page).length).toBeGreaterThan(0);
    // Five keys switch one on.
    for (const provider of blocksOf(page)[0]!.providers) expect(Object.keys(provider as object).length).toBeLessThanOrEqual(5);
    for (const { providers } of blocksOf(page)) expect(checkCatalog(JSON.stringify({ providers, models: [] })).problems).toEqual([]);
  });
});
