// Every colour of text on every colour behind it has the contrast that WCAG 2.2 AA asks for (1.4.3), in both schemes.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const css = readFileSync(new URL("../../src/docs/assets/frame.css", import.meta.url), "utf8");
const schemes = [...css.matchAll(/:root(?:\S+)? \{(.*?)\}/gs)].map(([, body]) =>
  Object.fromEntries([...body!.matchAll(/--([\w-]+): (#\w{6})/g)].map(([, name, value]) => [name!, value!])),
);

test.each([
  ["light", schemes[0]!],
  ["dark", schemes[1]!],
])("%s", (_, colours) => {
  for (const text of ["text", "quiet", "accent", "good", "warn", "bad", "violet"])
    for (const behind of ["page", "soft", "accent-soft", "warn-soft"])
      expect(contrast(colours[text]!, colours[behind]!), `${text} on ${behind}`).toBeGreaterThanOrEqual(4.5);
});

test("dark is the same by the system's word and by the reader's", () => expect(schemes[2]).toEqual(schemes[1]));

function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
