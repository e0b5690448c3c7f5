// Languages by the full lower-case English names that clients map to codes, from whatever an upstream calls them.
import { expect, test } from "vitest";
import { languageName } from "../../src/audio/transcription-answer.ts";

test.each([
  ["english", "english"],
  ["English", "english"],
  ["en", "english"],
  ["EN", "english"],
  ["eng", "english"],
  ["en-US", "english"],
  ["zh_cn", "chinese"],
  ["pt-BR", "portuguese"],
  ["yue", "cantonese"],
  ["mi", "maori"],
  ["tl", "tagalog"],
  ["jw", "javanese"],
  ["Haitian Creole", "haitian creole"],
])("%s is %s", (given, name) => {
  expect(languageName(given, null)).toBe(name);
});

test.each([null, "", "qq", "unknown", "mul", "und", "1234", "x".repeat(500), "\u0000"])(
  "%j is none: what the caller asked counts",
  (given) => {
    expect(languageName(given, "de")).toBe("german");
  },
);

test("what the upstream heard counts before what the caller asked; where neither says, it is unknown", () => {
  expect(languageName("fr", "de")).toBe("french");
  expect(languageName(null, null)).toBe("unknown");
});
