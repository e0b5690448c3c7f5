// Which tier an account has, at each threshold of the shipped matrix and of an operator's own.
import { describe, expect, test } from "vitest";
import { tierOf } from "../../src/catalog/tiers.ts";
import { type Amount, parseUsd } from "../../src/money.ts";
import { catalogFrom } from "./catalog-from.ts";
import { smallCatalog } from "./small-catalog.ts";

const catalog = catalogFrom(smallCatalog);
const usd = (text: string, assignedTier: number | null = null) => ({ purchased: parseUsd(text) as Amount, assignedTier });

describe("the shipped matrix", () => {
  test.each([
    ["0", 0],
    ["4.99999999", 0],
    ["5", 1],
    ["49.99999999", 1],
    ["50", 2],
    ["249.99999999", 2],
    ["250", 3],
    ["999.99999999", 3],
    ["1000", 4],
    ["99999999", 4],
  ])("%s USD ever purchased is tier %i", (purchased, tier) => {
    expect(tierOf(catalog, usd(purchased)).tier).toBe(tier);
  });
});

test("an assigned tier holds whatever was paid in, as long as the catalog has it", () => {
  expect(tierOf(catalog, usd("0", 3)).tier).toBe(3);
  expect(tierOf(catalog, usd("1000", 0)).tier).toBe(0);
  expect(tierOf({ tiers: catalog.tiers.slice(0, 3) }, usd("5", 3)).tier).toBe(1);
});

describe("an operator's matrix", () => {
  const rows = catalog.tiers.map((tier) => ({ ...tier }));

  test("rows may stand in any order", () => {
    expect(tierOf({ tiers: rows.toReversed() }, usd("50")).tier).toBe(2);
  });

  test("of two tiers with one deposit the higher holds", () => {
    const same = rows.map((tier) => ({ ...tier, min_deposit: tier.tier < 3 ? 0 : tier.min_deposit }));
    expect(tierOf({ tiers: same }, usd("0")).tier).toBe(2);
  });

  test("where even tier 0 asks for a deposit, tier 0 holds below it", () => {
    const asking = rows.map((tier) => ({ ...tier, min_deposit: tier.min_deposit + 1 }));
    expect(tierOf({ tiers: asking }, usd("0")).tier).toBe(0);
  });

  test("a deposit in parts of a cent counts exactly", () => {
    const fine = rows.map((tier) => (tier.tier === 1 ? { ...tier, min_deposit: 0.07 } : tier));
    expect(tierOf({ tiers: fine }, usd("0.06999999")).tier).toBe(0);
    expect(tierOf({ tiers: fine }, usd("0.07")).tier).toBe(1);
  });
});
