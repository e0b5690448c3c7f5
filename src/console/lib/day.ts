// Days as fields of dates have them, in the reader's zone.

/** `2026-11-26` */
export function dayText(at: Date): string {
  const two = (part: number) => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** The last second of the day; null where the field is empty. */
export function endOfDay(text: string): string | null {
  const [, year, month, day] = /^(\d{4,6})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  return year === undefined ? null : new Date(Number(year), Number(month) - 1, Number(day), 23, 59, 59).toISOString();
}
