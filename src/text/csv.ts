// CSV (RFC 4180).

export function csvField(value: string | number | null): string {
  if (value === null) return "";
  const text = typeof value === "number" ? String(value) : harmless(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A spreadsheet must not take a caller's words for a formula; an amount below 0 is no word. */
function harmless(text: string): string {
  return /^[=+@\t\r]|^-(?![\d.]+$)/.test(text) ? `'${text}` : text;
}

/** Rows that each end with CR LF. */
export function csvText(rows: Iterable<readonly (string | number | null)[]>): string {
  let text = "";
  for (const row of rows) text += `${row.map(csvField).join(",")}\r\n`;
  return text;
}
