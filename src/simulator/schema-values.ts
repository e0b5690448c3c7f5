// Strings and numbers that a JSON Schema accepts: lengths, formats, bounds and steps.
// A `pattern` is met where it is one of the plain kind (classes, groups and counts); others get words.
import { digest, pick, wholeBetween, type Random } from "./seed.ts";
import { writeWords } from "./prose.ts";
import { samplePattern } from "./schema-pattern.ts";

type Keywords = Record<string, unknown>;

export function sampleString(schema: Keywords, random: Random): string {
  if (typeof schema["format"] === "string") {
    const made = formats[schema["format"]];
    if (made !== undefined) return made(random);
  }
  if (typeof schema["pattern"] === "string") {
    const made = samplePattern(schema["pattern"], random);
    if (made !== null) return made;
  }
  const min = boundOf(schema["minLength"], 0);
  const max = boundOf(schema["maxLength"], Number.POSITIVE_INFINITY);
  let text = writeWords(random, wholeBetween(random, 1, 3));
  // 100,000 characters bound what a schema can order.
  while (text.length < Math.min(min, 100_000)) text += ` ${writeWords(random, 3)}`;
  return text.length > max ? text.slice(0, max) : text;
}

export function sampleInteger(schema: Keywords, random: Random): number {
  const step = boundOf(schema["multipleOf"], 1);
  return sampleStep(schema, random, Number.isInteger(step) && step > 0 ? step : 1);
}

export function sampleNumber(schema: Keywords, random: Random): number {
  const step = boundOf(schema["multipleOf"], 0);
  if (step > 0) return sampleStep(schema, random, step);
  const { low, high } = range(schema, 0);
  // Two decimals read well, unless the range is too narrow for them.
  const value = low + random() * (high - low);
  const rounded = Math.round(value * 100) / 100;
  return rounded > low && rounded < high ? rounded : (low + high) / 2;
}

/** A multiple of the step within the bounds. */
function sampleStep(schema: Keywords, random: Random, step: number): number {
  const { low, high } = range(schema, step);
  const first = Math.ceil(low / step);
  const last = Math.max(first, Math.floor(high / step));
  return wholeBetween(random, first, last) * step;
}

/** Both ends as values that are allowed; for exclusive bounds of whole steps the next step inwards. */
function range(schema: Keywords, step: number): { low: number; high: number } {
  const lows = [boundOf(schema["minimum"], Number.NEGATIVE_INFINITY), boundOf(schema["exclusiveMinimum"], Number.NEGATIVE_INFINITY) + step];
  const highs = [
    boundOf(schema["maximum"], Number.POSITIVE_INFINITY),
    boundOf(schema["exclusiveMaximum"], Number.POSITIVE_INFINITY) - step,
  ];
  let low = Math.max(...lows);
  let high = Math.min(...highs);
  const width = Math.max(100, step);
  if (!Number.isFinite(low)) low = Number.isFinite(high) ? Math.min(0, high - width) : 0;
  if (!Number.isFinite(high)) high = low + width;
  return { low, high };
}

function boundOf(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

const twoDigits = (random: Random, min: number, max: number) => String(wholeBetween(random, min, max)).padStart(2, "0");
const date = (random: Random) => `2026-${twoDigits(random, 1, 12)}-${twoDigits(random, 1, 28)}`;
const time = (random: Random) => `${twoDigits(random, 0, 23)}:${twoDigits(random, 0, 59)}:${twoDigits(random, 0, 59)}Z`;
const word = (random: Random) => pick(random, ["harbour", "lantern", "captain", "weather", "village"]);

const formats: Record<string, ((random: Random) => string) | undefined> = {
  date,
  time,
  "date-time": (random) => `${date(random)}T${time(random)}`,
  duration: (random) => `PT${wholeBetween(random, 1, 59)}M`,
  email: (random) => `${word(random)}@example.com`,
  hostname: (random) => `${word(random)}.example.com`,
  uri: (random) => `https://example.com/${word(random)}`,
  ipv4: (random) => `192.0.2.${wholeBetween(random, 1, 254)}`,
  ipv6: (random) => `2001:db8::${wholeBetween(random, 1, 9999)}`,
  uuid: (random) => digest(String(random())).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5"),
};
