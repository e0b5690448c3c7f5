// A process whose descriptors are all taken counts a text, and once more when they are free again: what came of each, as a line of JSON.
import { closeSync, openSync } from "node:fs";
import { countTokens } from "../../src/language/count-tokens.ts";

const taken: number[] = [];
try {
  for (;;) taken.push(openSync("/dev/null", "r"));
} catch {
  // that was the last
}
const count = () => countTokens(["hello there"]).catch((error: unknown) => (error instanceof Error ? "failed" : "unknown"));
const short = await count();
for (const descriptor of taken) closeSync(descriptor);
console.log(JSON.stringify({ short, free: await count() }));
