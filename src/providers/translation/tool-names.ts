// Tool names of the Anthropic dialect have up to 128 characters, those of the OpenAI dialect 64: longer ones are shortened in requests
// and restored in answers.
import { createHash } from "node:crypto";

export interface ToolNames {
  /** The name for the upstream. A name gives the same text in every request, because prompt caches depend on it. */
  short(name: string): string;
  /** The caller's own name. */
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

// Shortens a caller's texts to the length that a host takes. A text gives the same result in every request: prompt caches and the
// caller's own records depend on it.

/** An opaque id; its digest where it is too long. */
export function shortId(id: string, lengthMax: number): string {
  return id.length <= lengthMax ? id : digestOf(id);
}

/** A name for people and models; where it is too long, its beginning and `digits` of its digest. */
export function shortName(name: string, lengthMax: number, digits: number): string {
  return name.length <= lengthMax ? name : `${name.slice(0, lengthMax - digits - 1)}_${digestOf(name).slice(0, digits)}`;
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
