// Counting by a real tokenizer, bounded: the sum of the pieces must be as near to the count of the whole as can be.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { countTokens as whole } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { countTokens } from "../../src/language/count-tokens.ts";

const prose = "The lighthouse keeper climbed the stairs; 42 steps, each worn by those who came before. ";

describe("countTokens", () => {
  test("nothing is nothing; texts add up", async () => {
    expect(await countTokens([])).toBe(0);
    expect(await countTokens(["", ""])).toBe(0);
    expect(await countTokens([prose, "Hello"])).toBe(whole(prose) + whole("Hello"));
  });

  test("prose in pieces has the tokens of the whole, within a hundredth", async () => {
    const text = prose.repeat(500);
    const counted = await countTokens([text]);
    expect(Math.abs(counted - whole(text)) / whole(text)).toBeLessThan(0.01);
  });

  test("a tokenizer's own words are plain text", async () => {
    expect(await countTokens(["<|endoftext|>"])).toBeGreaterThan(1);
  });

  test("long texts are counted by a sample: ten times the text, ten times the tokens", async () => {
    const once = await countTokens([prose.repeat(10_000)]);
    const tenfold = await countTokens([prose.repeat(100_000)]);
    expect(Math.abs(tenfold - 10 * once) / tenfold).toBeLessThan(0.02);
    expect(Math.abs(once - 10 * whole(prose.repeat(1_000))) / once).toBeLessThan(0.02);
  });

  test("long texts whose beginning differs from the rest: within a twentieth of the count", async () => {
    const dense = Array.from({ length: 60_000 }, (_, at) => String.fromCharCode(0x4e00 + ((at * 7919) % 20_000))).join("");
    const words = prose.repeat(10_000);
    const wholeDense = (dense.match(/.{100}/g) ?? []).reduce((sum, piece) => sum + whole(piece), 0); // at once it would take seconds
    const exact = wholeDense + 10 * whole(prose.repeat(1_000));
    for (const texts of [[dense + words], [words, dense], ["", words, dense, ""]]) {
      const counted = await countTokens(texts);
      expect(Math.abs(counted - exact) / exact).toBeLessThan(0.05);
    }
  });

  test.each([
    ["one unbroken run", "a".repeat(2_000_000)],
    ["pairs of surrogates", "\u{1F600}".repeat(500_000)],
    ["half a pair at a piece's edge", `${"a".repeat(255)}\u{1F600}`.repeat(2_000)],
    ["rare characters", Array.from({ length: 300_000 }, (_, at) => String.fromCharCode(0x4e00 + ((at * 7919) % 20_000))).join("")],
  ])("%s ends, and is never nothing", async (_name, text) => {
    const tokens = await countTokens([text]);
    expect(tokens).toBeGreaterThan(text.length / 20);
    expect(tokens).toBeLessThan(text.length * 4);
  });

  test("a tokenizer that could not be loaded for want of descriptors is loaded by the next count", () => {
    const child = fileURLToPath(new URL("./short-of-descriptors.ts", import.meta.url));
    const { stdout } = spawnSync("sh", ["-c", 'ulimit -n 256 && exec "$0" "$1"', process.execPath, child], { encoding: "utf8" });
    expect(JSON.parse(stdout)).toEqual({ short: "failed", free: 2 });
  });
});
