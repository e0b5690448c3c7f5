// Ids of tool calls in one request: of the letters that Anthropic takes, each used once, results finding their call again.
// A long history may call thousands of times under one id: nothing here searches.

export interface ToolIds {
  /** A new call under the caller's id. */
  call(id: string): string;
  /** The latest call of this id. Undefined: never called. */
  answered(id: string): string | undefined;
}

export function newToolIds(): ToolIds {
  const used = new Set<string>();
  const copies = new Map<string, number>();
  const latest = new Map<string, string>();
  return {
    call(id) {
      const plain = id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 200) || "call";
      let ours = plain;
      let copy = copies.get(plain) ?? 1;
      while (used.has(ours)) ours = `${plain}_${(copy += 1)}`;
      copies.set(plain, copy);
      used.add(ours);
      latest.set(id, ours);
      return ours;
    },
    answered: (id) => latest.get(id),
  };
}
