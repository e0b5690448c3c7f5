// Times and days in the reader's zone, and durations.
import { none } from "./money.ts";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const moment = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium", timeZone: zone });
const day = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: zone });

export const zoneName = zone;

export function when(iso: string | null | undefined): string {
  return iso === null || iso === undefined ? none : moment.format(new Date(iso));
}

export function dayOf(iso: string | null | undefined): string {
  return iso === null || iso === undefined ? none : day.format(new Date(iso));
}

/** `5 minutes ago`, for what is recent; else the day. */
export function ago(iso: string | null | undefined): string {
  if (iso === null || iso === undefined) return "Never";
  const seconds = Math.round((Date.now() - new Date(iso).getTime()) / 1000);
  if (seconds < 60) return "just now";
  const steps = [["minute", 60], ["hour", 3_600], ["day", 86_400]] as const; // prettier-ignore
  const [unit, size] = steps.findLast(([, length]) => seconds >= length) ?? steps[0];
  const passed = Math.floor(seconds / size);
  return unit === "day" && passed > 30 ? dayOf(iso) : `${passed} ${unit}${passed === 1 ? "" : "s"} ago`;
}

export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return none;
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

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
