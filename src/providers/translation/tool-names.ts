// Tool names of the Anthropic dialect have up to 128 characters, those of the OpenAI dialect 64: longer ones are shortened on the
// way out and given back on the way in (WIRE.md 7).
import { shortName } from "./short-text.ts";

export interface ToolNames {
  /** As the upstream may have it. The same name gives the same text in every request: prompt caches depend on it. */
  short(name: string): string;
  /** As the caller has it. */
  full(name: string): string;
}

const lengthMax = 64;
const hashLength = 12;

export function openToolNames(): ToolNames {
  const full = new Map<string, string>();
  return {
    short(name) {
      const short = shortName(name, lengthMax, hashLength);
      if (short !== name) full.set(short, name);
      return short;
    },
    full: (name) => full.get(name) ?? name,
  };
}
