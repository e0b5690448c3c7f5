// CSV (RFC 4180).

export function csvField(value: string | number | null): string {
  if (value === null) return "";
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows that each end with CR LF. */
export function csvText(rows: Iterable<readonly (string | number | null)[]>): string {
  let text = "";
  for (const row of rows) text += `${row.map(csvField).join(",")}\r\n`;
  return text;
}
