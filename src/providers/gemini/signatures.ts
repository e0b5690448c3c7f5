// Remembers the signatures of tool calls: newer Gemini models want each back with its call, and neither dialect has a place for them
// (docs/behaviour/providers.md#gemini). In memory and bounded; a call whose signature is gone goes out with Google's word for that.
import { LRUCache } from "lru-cache";

export interface Signatures {
  keep(callId: string, signature: string): void;
  of(callId: string): string | null;
}

/** Characters of all signatures together, and of one. */
const charactersMax = 33_554_432;
const signatureMax = 262_144;

export function openSignatures(): Signatures {
  const kept = new LRUCache<string, string>({
    maxSize: charactersMax,
    maxEntrySize: signatureMax,
    sizeCalculation: ({ length }) => length + 100,
  });
  return {
    keep: (callId, signature) => void kept.set(callId, signature),
    of: (callId) => kept.get(callId) ?? null,
  };
}
