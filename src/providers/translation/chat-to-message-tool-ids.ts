// Ids of tool calls in one request: of the letters that Anthropic takes, each used once, results finding their call again.

export interface ToolIds {
  /** A new call under the caller's id. */
  call(id: string): string;
  /** The latest call of this id; a result without an id is that of the first of `open`. Null: never called. */
  answered(id: string, open: readonly string[]): string | null;
}

export function newToolIds(): ToolIds {
  const used = new Set<string>();
  const latest = new Map<string, string>();
  return {
    call(id) {
      const plain = id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 200) || "call";
      let ours = plain;
      for (let copy = 2; used.has(ours); copy += 1) ours = `${plain}_${copy}`;
      used.add(ours);
      latest.set(id, ours);
      return ours;
    },
    answered: (id, open) => (id === "" ? (open[0] ?? null) : (latest.get(id) ?? null)),
  };
}
