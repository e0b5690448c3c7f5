// Measures how alike two short words are, for suggestions after a typo.

/** 1: the same. 0: nothing in common. */
export function likenessOfWords(one: string, other: string): number {
  const longer = Math.max(one.length, other.length);
  const shorter = Math.min(one.length, other.length);
  const close = 1 - editsBetween(one, other) / longer;
  // "chat-large" matches "chat-large-2026-07", however many characters that adds.
  const begins = shorter >= 4 && (one.startsWith(other) || other.startsWith(one)) ? 0.6 + (0.4 * shorter) / longer : 0;
  return Math.max(close, begins);
}

/** Levenshtein distance, with a transposition of two letters as one edit. Keeps three rows at a time. */
function editsBetween(one: string, other: string): number {
  let beforeAbove: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let line = 1; line <= one.length; line++) {
    const row = [line];
    for (let column = 1; column <= other.length; column++) {
      const replaced = above[column - 1]! + (one[line - 1] === other[column - 1] ? 0 : 1);
      const swapped = one[line - 1] === other[column - 2] && one[line - 2] === other[column - 1] ? beforeAbove[column - 2]! + 1 : replaced;
      row.push(Math.min(replaced, swapped, above[column]! + 1, row[column - 1]! + 1));
    }
    beforeAbove = above;
    above = row;
  }
  return above[other.length]!;
}
