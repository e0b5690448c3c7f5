// Texts made for a regular expression: what they keep to, and what is too much to make.
import { expect, test } from "vitest";
import { samplePattern } from "../../src/simulator/schema-sample.ts";
import { seededRandom } from "../../src/simulator/seed.ts";

for (const pattern of [
  "^[A-Z]{3}-\\d{2,4}$",
  "^#([a-f0-9]{6}|[a-f0-9]{3})$",
  "^[^@]+@[^@]+\\.[a-z]{2,}$",
  "^(?<year>\\d{4})-(0[1-9]|1[0-2])$",
  "^(\\d{3})-\\1$",
  "^\\S+$",
]) {
  test(`a text keeps to ${pattern}, and is the same for the same seed`, () => {
    const made = Array.from({ length: 50 }, (_, seed) => samplePattern(pattern, seededRandom(String(seed))));
    for (const text of made) expect(text).toMatch(new RegExp(pattern, "u"));
    expect(Array.from({ length: 50 }, (_, seed) => samplePattern(pattern, seededRandom(String(seed))))).toEqual(made);
    expect(new Set(made).size).toBeGreaterThan(10);
  });
}

for (const pattern of ["(", "^a(?!a)[b", "^\\p{L}+$", "^a{1000000000}$", "^((a{1000}){1000}){1000}$", "^(a{0,100000}){1,100000}$"]) {
  test(`nothing is made of ${pattern}`, () => {
    expect(samplePattern(pattern, seededRandom("a"))).toBeNull();
  });
}
