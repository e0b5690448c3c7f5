// Amounts as people read them: US dollars, with the digits that matter. Null is not 0: it is a dash.

export const none = "–";

/** Two decimals at least, and as many as the amount has, up to the ledger's eight. */
export function usd(amount: number | null | undefined): string {
  if (amount === null || amount === undefined) return none;
  return `${amount < 0 ? "−" : ""}$${digits(Math.abs(amount), 8)}`;
}

/** For headlines: cents; below a cent what there is. */
export function usdShort(amount: number | null | undefined): string {
  if (amount === null || amount === undefined) return none;
  const size = Math.abs(amount);
  return `${amount < 0 ? "−" : ""}$${digits(size, size === 0 || size >= 0.01 ? 2 : 8)}`;
}

function digits(size: number, most: number): string {
  return size.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: most });
}

/** `12,345`; a dash where it is not known. */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? none : value.toLocaleString("en-US");
}
