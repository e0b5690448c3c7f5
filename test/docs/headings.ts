// The headings of a document as the anchors that links name: as GitHub makes them, those of the same text numbered.

/** Whether the page has a heading with this anchor. */
export function hasHeading(page: string, anchor: string): boolean {
  const seen = new Map<string, number>();
  const prose = page.replace(/^```.*?^```$/gms, "");
  return [...prose.matchAll(/^#+ (.*)$/gm)].some(([, text]) => {
    const plain = text!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-");
    const before = seen.get(plain) ?? 0;
    seen.set(plain, before + 1);
    return (before === 0 ? plain : `${plain}-${before}`) === anchor;
  });
}
