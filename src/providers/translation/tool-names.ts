// Tool names of the Anthropic dialect have up to 128 characters, those of the OpenAI dialect 64: longer ones are shortened on the
// way out and given back on the way in (WIRE.md 7).
import { createHash } from "node:crypto";

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

// Texts of a caller that a host takes only so long. The same text gives the same short one in every request: prompt caches and
// the caller's own books depend on it.

/** An opaque id: its digest where it is too long. */
export function shortId(id: string, lengthMax: number): string {
  return id.length <= lengthMax ? id : digestOf(id);
}

/** A name that people and models read: its beginning, and `digits` of its digest where it is too long. */
export function shortName(name: string, lengthMax: number, digits: number): string {
  return name.length <= lengthMax ? name : `${name.slice(0, lengthMax - digits - 1)}_${digestOf(name).slice(0, digits)}`;
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
