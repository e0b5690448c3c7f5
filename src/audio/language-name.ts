// The full lower-case English name of a language, whichever form it came in (WIRE.md 1, rule 14: clients map such names to codes).

/** The first of these that is a language, as a name or as a code; else `unknown`. */
export function languageName(...given: readonly (string | null)[]): string {
  for (const one of given) {
    const name = one === null ? null : nameOf(one.trim());
    if (name !== null) return name;
  }
  return "unknown";
}

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/** Names that clients know by another word than the standard's. */
const clientNames: Record<string, string> = { filipino: "tagalog" };

/** What upstreams say where they found none, or more than one. */
const noNames = new Set(["mul", "zxx", "unknown", "undetermined", "none", "auto", "multi", "multilingual"]);

function nameOf(text: string): string | null {
  if (noNames.has(text.toLowerCase())) return null;
  const code = /^([a-z]{2,3})(?:[-_][a-z0-9]{2,8})*$/i.exec(text)?.[1];
  if (code !== undefined) {
    const name = names.of(code);
    return name === undefined ? null : plain(name);
  }
  return /^\p{L}[\p{L}\p{M} ()'-]{2,60}$/u.test(text) ? plain(text) : null;
}

/** Without accents, as `maori` is known. */
function plain(name: string): string {
  const bare = name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return clientNames[bare] ?? bare;
}
