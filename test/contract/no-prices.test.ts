// The contract is one for all gateways, their prices are each operator's: no text of it, of the SDK or of a guide states one. Amounts in
// examples are examples.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { guideNames, readGuide } from "../docs/guide-blocks.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const text = (path: string) => readFileSync(root + path, "utf8");

/** Amounts that the service itself fixes, whatever the catalog: where the text says what they are, they may stand. */
const fixed = [
  /under 0\.05 USD/, // when a balance counts as low
  /rounded up to (?:the nearest )?0\.0001 USD/, // how decisions are rounded
  /0 to 60,000,000 with/, // what a key's budget may be
  /(?:to add, 5 to 10,000|smallest top-up is 5 USD|\b5 USD are the least)/, // what one payment may be
];

const amount =
  /(?:\b\d+(?:[.,]\d+)*\s?USD\b|\bUSD\s?\d|\$\s?\d+(?:\.\d+)?\b|\b\d+\.\d+ (?:low|medium|high|a (?:second|minute|song|image|sound|clip))\b)/g;

function pricesIn(where: string, prose: string): string[] {
  const rest = fixed.reduce((left, one) => left.replace(new RegExp(one, "g"), ""), prose.replace(/\s+/g, " "));
  return [...rest.matchAll(amount)].map(({ 0: found, index }) => `${where}: …${rest.slice(Math.max(0, index - 60), index)}${found}`);
}

/** Every text of a document that describes, with its place; examples are no descriptions. */
function descriptionsOf(node: unknown, place: string): [string, string][] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]): [string, string][] => {
    if (["example", "examples", "x-examples", "value"].includes(key)) return [];
    if ((key === "description" || key === "summary") && typeof value === "string") return [[place, value]];
    return descriptionsOf(value, `${place}/${key}`);
  });
}

test.each(["generated/openapi.json", "generated/catalog.schema.json"])("%s", (file) => {
  const found = descriptionsOf(JSON.parse(text(file)), "");
  expect(found.length).toBeGreaterThan(100);
  // What a key of the operator's own file means is no price of a model.
  const checked = file.includes("catalog") ? found.filter(([, prose]) => !/default/.test(prose)) : found;
  expect(checked.flatMap(([place, prose]) => pricesIn(place, prose))).toEqual([]);
});

test("the SDK's comments", () => {
  for (const file of ["types.d.ts", "index.d.ts", "functions.d.ts"]) {
    const comments = [...text(`generated/sdk/${file}`).matchAll(/\/\*\*(.*?)\*\//gs)].map(([, comment]) => comment!.replaceAll("*", ""));
    expect(comments.length).toBeGreaterThan(50);
    expect([file, pricesIn(file, comments.join(" "))]).toEqual([file, []]);
  }
});

test.each(guideNames.filter((name) => name !== "operator"))("the guide %s", (guide) => {
  const prose = readGuide(guide)
    .replace(/^```.*?^```$/gms, "")
    .replace(/^<!--.*-->$/gm, "");
  expect(pricesIn(guide, prose)).toEqual([]);
});

test("a text that states a price is found", () => {
  expect(pricesIn("x", "family A 0.405 USD")).toHaveLength(1);
  expect(pricesIn("x", "0.009 USD low, 0.019 medium")).toHaveLength(2);
  expect(pricesIn("x", "a flat $2 a clone")).toHaveLength(1);
  expect(pricesIn("x", "Whether the balance is under 0.05 USD.")).toEqual([]);
});
