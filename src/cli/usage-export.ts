// Reads a provider's usage export: CSV as OpenAI's and Anthropic's dashboards write it, or with columns that are named by hand. A file that is
// cut off or holds an absurd figure is refused with its line; nothing of it is used.
import { Refused } from "../accounts/admin.ts";
import { type ProviderUsage, type UsageFigure, usageFigures } from "../ledger/provider-usage.ts";

export interface ExportedUsage extends Omit<ProviderUsage, UsageFigure> {
  /** As the export names it; null: it names none. */
  key: string | null;
  /** A figure that the export does not hold is absent. */
  figures: Partial<Record<UsageFigure, bigint>>;
}

/** Columns of the export; figures may be sums. */
export interface ExportColumns {
  day: string;
  model: string;
  key: string | null;
  figures: Partial<Record<UsageFigure, readonly string[]>>;
}

const openai: ExportColumns = {
  day: "start_time",
  model: "model",
  key: "api_key_id",
  figures: { requests: ["num_model_requests"], input: ["input_tokens"], cached: ["input_cached_tokens"], output: ["output_tokens"] },
};

const anthropicInput = ["no_cache", "cache_write_5m", "cache_write_1h", "cache_read"].map((part) => `usage_input_tokens_${part}`);
const anthropic: ExportColumns = {
  day: "usage_date_utc",
  model: "model_version",
  key: "api_key",
  figures: { input: anthropicInput, cached: ["usage_input_tokens_cache_read"], output: ["usage_output_tokens"] },
};

/** `map`: columns named by hand; null: those of a known export. `days`: of all lines, also of those without usage. */
export function readExport(text: string, file: string, map: ExportColumns | null): { rows: ExportedUsage[]; days: string[] } {
  const refuse = (line: number, why: string): never => {
    throw new Refused(`${file}:${line}: ${why}`);
  };
  const [header, ...records] = readCsv(text.replace(/^\uFEFF/, ""), refuse);
  if (header === undefined) return refuse(1, "the file is empty");
  const names = header.fields.map((field) => field.trim());
  const columns = map ?? [openai, anthropic].find(({ day, model }) => names.includes(day) && names.includes(model));
  if (columns === undefined) return refuse(1, "neither OpenAI's nor Anthropic's usage export: name its columns with --map");
  const missing = columnsOf(columns).find((name) => !names.includes(name));
  if (missing !== undefined) return refuse(1, `there is no column ${missing}`);
  const read = records.map(({ line, fields }) => {
    if (fields.length !== names.length) return refuse(line, `${fields.length} fields instead of ${names.length}: is the file complete?`);
    const value = (name: string) => fields[names.indexOf(name)]!.trim();
    return readRecord(columns, value, (why) => refuse(line, why));
  });
  // A number that is cut is a smaller number.
  if (!text.endsWith("\n")) return refuse((records.at(-1) ?? header).line, "the line has no line break: is the file complete?");
  const rows = read.flatMap(({ usage }) => (usage === null ? [] : [usage]));
  return rows.length === 0 ? refuse(1, "the file has no usage") : { rows, days: read.map(({ day }) => day) };
}

function columnsOf({ day, model, key, figures }: ExportColumns): string[] {
  return [day, model, ...(key === null ? [] : [key]), ...Object.values(figures).flat()];
}

interface ReadRecord {
  day: string;
  /** Null: a day without usage. */
  usage: ExportedUsage | null;
}

function readRecord(columns: ExportColumns, value: (name: string) => string, refuse: (why: string) => never): ReadRecord {
  const day = readDay(value(columns.day)) ?? refuse(`${columns.day} is no day: ${quoted(value(columns.day))}`);
  const names = Object.values(columns.figures).flat();
  // OpenAI writes a line without anything for a day without usage.
  if ([columns.model, ...names].every((name) => value(name) === "")) return { day, usage: null };
  const model = value(columns.model) || refuse(`${columns.model} is empty`);
  const figureOf = (name: string) => {
    const text = value(name);
    return /^\d{1,15}(?:\.0+)?$/.test(text)
      ? BigInt(text.split(".")[0]!)
      : refuse(`${name} is no number of requests or tokens: ${quoted(text)}`);
  };
  const figures = Object.fromEntries(
    usageFigures.flatMap((figure) => {
      const parts = columns.figures[figure];
      return parts === undefined ? [] : [[figure, parts.map(figureOf).reduce((sum, part) => sum + part)]];
    }),
  );
  return { day, usage: { day, model, key: columns.key === null ? null : value(columns.key) || null, figures } };
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}

/** A date, a time, or seconds since 1970; of UTC, where a time names no other zone. */
function readDay(text: string): string | null {
  const [, seconds] = /^(\d{9,10})(?:\.\d+)?$/.exec(text) ?? [];
  const [, day, time = "00:00", zone = "Z"] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/.exec(text) ?? [];
  if (seconds === undefined && day === undefined) return null;
  const at = new Date(seconds !== undefined ? Number(seconds) * 1000 : `${day}T${time}${zone}`);
  return Number.isNaN(at.getTime()) ? null : at.toISOString().slice(0, 10);
}

interface CsvRecord {
  line: number;
  fields: string[];
}

/** RFC 4180; lines that are blank are passed over. */
function readCsv(text: string, refuse: (line: number, why: string) => never): CsvRecord[] {
  const records: CsvRecord[] = [];
  const token = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/y;
  let line = 1;
  let record: CsvRecord = { line, fields: [] };
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    if (match === null) return refuse(line, "a quotation mark is not closed or stands in a field: is the file complete?");
    const [, field, end] = match as unknown as [string, string, string];
    record.fields.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);
    line += field.split("\n").length - 1;
    if (end === "," && token.lastIndex < text.length) continue;
    if (end === ",") record.fields.push("");
    if (record.fields.length > 1 || record.fields[0] !== "") records.push(record);
    line += 1;
    record = { line, fields: [] };
  }
  return records;
}
