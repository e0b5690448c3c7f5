// The sentence of an error: its row's template, filled with what is known of this refusal.

/** "{name}" is replaced; a part in square brackets goes when a value inside it isn't known. */
export function fillMessage(template: string, text: Record<string, string | number>): string {
  const known = (part: string) => [...part.matchAll(placeholder)].every((match) => text[match[1]!] !== undefined);
  const kept = template.replace(/\[([^[\]]*\{\w+\}[^[\]]*)\]/g, (_, part: string) => (known(part) ? part : ""));
  return kept.replace(placeholder, (_, name: string) => String(text[name] ?? "?")).trim();
}

const placeholder = /\{(\w+)\}/g;
