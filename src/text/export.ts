// Lists as files: which form a client accepts, CSV (RFC 4180), and the reply with a link to the next page.

/** By media type. */
const listForms = {
  "text/csv": "csv",
  "application/x-ndjson": "ndjson",
  "application/ndjson": "ndjson",
  "application/json": "json",
} as const;
type ListForm = (typeof listForms)[keyof typeof listForms];

export function listFormOf(accept: string | undefined): ListForm {
  return acceptedForm(accept, listForms) ?? "json";
}

/** The first of these forms that the client names; undefined: it names none of them. */
export function acceptedForm<Form>(accept = "", forms: Readonly<Record<string, Form>>): Form | undefined {
  for (const range of accept.toLowerCase().split(",")) {
    const type = range.split(";")[0]!.trim();
    if (Object.hasOwn(forms, type)) return forms[type];
  }
  return undefined;
}

/** `next`: address of the next page; null: it is the last one. */
export function listFile(form: Exclude<ListForm, "json">, text: string, next: string | null) {
  const type = form === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson; charset=utf-8";
  return {
    status: 200,
    headers: { "content-type": type, vary: "Accept", ...(next === null ? {} : { link: `<${next}>; rel="next"` }) },
    bytes: Buffer.from(text),
  };
}

export function pageAddress(publicUrl: string, path: string, query: object): string {
  const texts = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return `${publicUrl}${path}?${new URLSearchParams(texts).toString()}`;
}

export function jsonLines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

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
