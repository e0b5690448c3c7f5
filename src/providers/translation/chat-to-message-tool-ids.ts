// Ids of tool calls in one request: of the letters that Anthropic takes, each used once, results finding their call again.

export interface ToolIds {
  /** A new call under the caller's id. */
  call(id: string): string;
  /** The latest call of this id. Null: never called. */
  answered(id: string): string | null;
}

export function newToolIds(): ToolIds {
  const used = new Set<string>();
  const latest = new Map<string, string>();
  const copies = new Map<string, number>(); // of each text, so that the next free one is not searched for
  return {
    call(id) {
      const plain = id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 200) || "call";
      let ours = plain;
      let copy = copies.get(plain) ?? 1;
      while (used.has(ours)) ours = `${plain}_${++copy}`;
      copies.set(plain, copy);
      used.add(ours);
      latest.set(id, ours);
      return ours;
    },
    answered: (id) => latest.get(id) ?? null,
  };
}
