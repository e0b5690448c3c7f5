// The headers of answers that say something to a caller: cost, id, limits, which model served.
import type { Schema } from "../document.ts";
import { successesOf, type SdkOperation } from "./operations.ts";
import { comment, key, type Printing, typeOf, union } from "./print-type.ts";

/** Of HTTP's own business, which the library or the browser sees to. */
const unsaid = new Set(["set-cookie", "cache-control", "vary", "link", "deprecation", "x-should-retry"]);

interface Shown {
  name: string;
  always: boolean;
  schema: Schema;
  description: string;
}

/** One interface of all headers, and how an operation names its own. */
export function answerHeadersSource(operations: readonly SdkOperation[], schemas: Printing["schemas"]): string {
  const types = new Map<string, Shown[]>();
  for (const shown of operations.flatMap(headersOf)) types.set(shown.name, [...(types.get(shown.name) ?? []), shown]);
  const fields = [...types].sort().map(([name, all]) => {
    const type = union(all.map(({ schema }) => typeOf(schema, { schemas, request: false })));
    return `${comment(usual(all.map(({ description }) => description)), false, "  ")}  ${key(name)}: ${type};\n`;
  });
  return `/** The headers of answers, with the types of their values. Over HTTP they are strings. */
export interface AnswerHeaders {
${fields.join("")}}

/** Headers that an answer always has, and headers that it may have. */
export type HeadersOf<Always extends keyof AnswerHeaders, May extends keyof AnswerHeaders = never> = Pick<AnswerHeaders, Always> &
  Partial<Pick<AnswerHeaders, May>>;
`;
}

/** What most operations say of it. */
function usual(texts: readonly string[]): string {
  const groups = [...Map.groupBy(texts, (text) => text).values()];
  return groups.toSorted((one, other) => other.length - one.length)[0]![0]!;
}

export function answerHeadersOf(one: SdkOperation): string {
  const headers = headersOf(one);
  const names = (always: boolean) => headers.filter((header) => header.always === always).map(({ name }) => JSON.stringify(name));
  const may = names(false);
  return `HeadersOf<${names(true).join(" | ")}${may.length > 0 ? `, ${may.join(" | ")}` : ""}>`;
}

/** Of all successes; a header that one of them lacks is one that may come. */
function headersOf(one: SdkOperation): Shown[] {
  const answers = successesOf(one).map(({ headers = {} }) => headers);
  const names = [...new Set(answers.flatMap((headers) => Object.keys(headers)))].filter((name) => !unsaid.has(name)).sort();
  return names.map((name) => {
    const declared = answers.flatMap((headers) => headers[name] ?? []);
    const always = declared.length === answers.length && declared.every(({ required }) => required === true);
    return { name, always, schema: declared[0]?.schema ?? {}, description: declared[0]?.description ?? "" };
  });
}
