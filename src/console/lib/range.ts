// The one date range of the console: a preset that moves with the time, or days chosen by hand, both in the reader's zone and in the address.

export type RangeSearch = Partial<Record<"range" | "from" | "to", string>>;

export const presets = {
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  "12mo": "Last 12 months",
  month: "This month",
  "last-month": "Last month",
} as const;
export type Preset = keyof typeof presets;

const daysOf: Readonly<Record<Preset, number>> = { "24h": 1, "7d": 7, "30d": 30, "90d": 90, "12mo": 366, month: 31, "last-month": 31 };

/** The presets that are no longer than so many days. */
export const presetsWithin = (days: number) =>
  (Object.keys(presets) as Preset[]).filter((range) => daysOf[range] <= days).map((range) => [range, presets[range]] as const);

export type Bucket = "hour" | "day" | "month";

export interface Range {
  from: Date;
  to: Date;
  bucket: Bucket;
  /** The beginnings of its hours, days or months, oldest first. */
  starts: Date[];
}

const isPreset = (word: string | undefined): word is Preset => word !== undefined && word in presets;

/** What the address says in words; `empty` where it says nothing. */
export function rangeName({ range, from, to }: RangeSearch, empty: string): string {
  const days = chosenDays({ from, to });
  if (days !== null) return [days.from, days.last].map((day) => (day === null ? "…" : dayName.format(day))).join(" – ");
  return isPreset(range) ? presets[range] : empty;
}

const dayName = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const [minuteMs, dayMs] = [60_000, 86_400_000];
const longest = 730;

/** Nothing understandable in the address counts as `fallback`. */
export function rangeOf(search: RangeSearch, fallback: Preset, now = new Date()): Range {
  const days = chosenDays(search);
  if (days !== null) {
    const last = days.last ?? now;
    const to = new Date(Math.min(addDays(startOfDay(last), 1).getTime(), now.getTime()));
    const earliest = addDays(startOfDay(last), -longest);
    const from = days.from === null ? addDays(startOfDay(last), -29) : new Date(Math.max(days.from.getTime(), earliest.getTime()));
    if (from < to) return divided(from, to);
  }
  return presetRange(isPreset(search.range) ? search.range : fallback, now);
}

/** The end of a range that is longer than what may be asked. It moves by whole minutes, so that a page drawn again asks the same. */
export function endOfRange(times: { from?: string; to?: string }, mostMs: number): { from?: string; to?: string } {
  const { from, to } = times;
  if (from === undefined) return times;
  const end = to === undefined ? Date.now() : new Date(to).getTime();
  if (end - new Date(from).getTime() <= mostMs) return times;
  return { ...times, from: new Date(Math.ceil((end - mostMs) / minuteMs + 1) * minuteMs).toISOString() };
}

/** For lists: nothing in the address is any time. A range that goes on until now has no end, so that what is new is in it. */
export function timesOf(search: RangeSearch): { from?: string; to?: string } {
  if (rangeName(search, "") === "") return {};
  const { from, to } = rangeOf(search, "30d");
  const ended = Date.now() - to.getTime() > 60_000;
  return { from: from.toISOString(), ...(ended ? { to: to.toISOString() } : {}) };
}

function presetRange(preset: Preset, now: Date): Range {
  if (preset === "24h") {
    const from = new Date(now);
    from.setMinutes(0, 0, 0);
    return divided(new Date(from.getTime() - 23 * 3_600_000), now);
  }
  const month = (from: number) => new Date(now.getFullYear(), now.getMonth() + from, 1);
  if (preset === "12mo") return divided(month(-11), now);
  if (preset === "month") return divided(month(0), now);
  if (preset === "last-month") return divided(month(-1), month(0));
  return divided(addDays(startOfDay(now), 1 - Number.parseInt(preset)), now);
}

function divided(from: Date, to: Date): Range {
  const days = (to.getTime() - from.getTime()) / dayMs;
  const bucket = days <= 2.1 ? "hour" : days <= 100 ? "day" : "month";
  const starts: Date[] = [];
  for (let at = from; at < to; at = nextStart(at, bucket)) starts.push(at);
  return { from, to, bucket, starts };
}

function nextStart(at: Date, bucket: Bucket): Date {
  if (bucket === "hour") return new Date(at.getTime() + 3_600_000);
  return bucket === "day" ? addDays(startOfDay(at), 1) : new Date(at.getFullYear(), at.getMonth() + 1, 1);
}

/** The days of `from` and `to`, where one of them at least is a day. */
function chosenDays({ from, to }: RangeSearch): { from: Date | null; last: Date | null } | null {
  const [first, last] = [dayOf(from), dayOf(to)];
  return first === null && last === null ? null : { from: first, last };
}

function dayOf(text: string | undefined): Date | null {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text ?? "") ?? [];
  if (year === undefined) return null;
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  return Number.isNaN(date.getTime()) ? null : date;
}

function startOfDay(at: Date): Date {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate());
}

function addDays(at: Date, days: number): Date {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + days, at.getHours());
}

export function startName(at: Date, bucket: Bucket): string {
  return names[bucket].format(at);
}

const names = {
  hour: new Intl.DateTimeFormat("en", { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  day: new Intl.DateTimeFormat("en", { month: "short", day: "numeric" }),
  month: new Intl.DateTimeFormat("en", { month: "short", year: "numeric" }),
};
