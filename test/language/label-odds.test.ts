// The likelihood of options from the alternatives of one token: they sum to 1 whatever a host reports.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { labelOdds, sharesOf } from "../../src/language/decisions/question.ts";

const message = { role: "assistant" as const, content: null };
const tokenEntry = (tokens: Record<string, number>, chosen?: { token: string; logprob: number }) => {
  const top_logprobs = Object.entries(tokens).map(([token, logprob]) => ({ token, logprob }));
  const entry = { ...(chosen ?? top_logprobs[0]), top_logprobs };
  return { choices: [{ index: 0, message, finish_reason: "stop" as const, logprobs: { content: [entry] } }] };
};
const ln = Math.log;

describe("the likelihood of labels", () => {
  test("are the softmax over the labels seen; other words don't count", () => {
    expect(labelOdds(tokenEntry({ A: ln(0.6), The: ln(0.2), B: ln(0.15), C: ln(0.05) }), ["A", "B", "C"])).toEqual([0.75, 0.1875, 0.0625]);
  });

  test("spaces are stripped and cases merged, as are the marks that hosts put around a letter", () => {
    const seen = { A: ln(0.1), " A": ln(0.1), a: ln(0.1), "▁A": ln(0.1), ĠA: ln(0.1), "A)": ln(0.1), "(A": ln(0.1), B: ln(0.3) };
    expect(labelOdds(tokenEntry(seen), ["A", "B"])).toEqual([0.7, 0.3]);
  });

  test("a label that was not seen gets the floor: as likely as the least likely alternative", () => {
    expect(labelOdds(tokenEntry({ A: ln(0.8), B: ln(0.15), Yes: ln(0.05) }), ["A", "B", "C"])).toEqual([0.8, 0.15, 0.05]);
  });

  test("-9999 means absent", () => {
    expect(labelOdds(tokenEntry({ A: ln(0.5), B: ln(0.25), C: -9999 }), ["A", "B", "C"])).toEqual([0.5, 0.25, 0.25]);
    expect(labelOdds(tokenEntry({ A: -9999, B: -9999 }), ["A", "B"])).toBeNull();
  });

  test("the chosen token counts where the list leaves it out, and once where it doesn't", () => {
    const chosen = { token: "B", logprob: ln(0.75) };
    expect(labelOdds(tokenEntry({ A: ln(0.25) }, chosen), ["A", "B"])).toEqual([0.25, 0.75]);
    expect(labelOdds(tokenEntry({ A: ln(0.25), B: ln(0.75) }, chosen), ["A", "B"])).toEqual([0.25, 0.75]);
  });

  test.each([
    ["no log probabilities", { choices: [{ index: 0, message, finish_reason: "stop" as const, logprobs: null }] }],
    ["none of any token", { choices: [{ index: 0, message, finish_reason: "stop" as const, logprobs: { content: [] } }] }],
    ["no alternatives to the token that was said", tokenEntry({}, { token: "A", logprob: -0.1 })],
    ["none of the labels among them", tokenEntry({ The: -0.1, You: -2 })],
  ])("null: %s", (_, completion) => {
    expect(labelOdds(completion, ["A", "B"])).toBeNull();
  });

  test("one label is certain, also without alternatives", () => {
    expect(labelOdds(tokenEntry({}, { token: "A", logprob: -3 }), ["A"])).toEqual([1]);
  });

  test("of any report are shares of 1, and the likeliest label has the largest", () => {
    const labels = Array.from("ABCDEFGHIJKLMNOPQRST");
    const token = fc.oneof(fc.constantFrom(...labels, " a", "b ", "The"), fc.string());
    const logprob = fc.oneof(
      fc.double({ min: -200, max: 0, noNaN: true }),
      fc.constant(-9999),
      fc.constant(Number.NaN),
      fc.constant(-1e308),
    );
    fc.assert(
      fc.property(fc.dictionary(token, logprob, { maxKeys: 30 }), fc.integer({ min: 1, max: 20 }), (tokens, count) => {
        const shares = labelOdds(tokenEntry(tokens, { token: "A", logprob: -1 }), labels.slice(0, count));
        if (shares === null) return;
        expect(shares).toHaveLength(count);
        expectShares(shares);
      }),
    );
  });
});

test("shares of any weights sum to 1 as JSON has them, are never negative, and keep the weights' order", () => {
  const weight = fc.double({ min: 1e-300, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(fc.array(weight, { minLength: 1, maxLength: 255 }), (weights) => {
      const shares = sharesOf(weights);
      expectShares(JSON.parse(JSON.stringify(shares)) as number[]);
      const likeliest = weights.indexOf(Math.max(...weights));
      expect(shares[likeliest]).toBe(Math.max(...shares));
    }),
    { examples: [[[999_999.9999999998, 933_388.6725412329, 999_999.9999999999, 1e-300]]] },
  );
});

function expectShares(shares: number[]): void {
  expect(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1)).toBeLessThan(1e-9);
  for (const share of shares) {
    expect(share).toBeGreaterThanOrEqual(0);
    expect(share).toBeLessThanOrEqual(1);
  }
}
