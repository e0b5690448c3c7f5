// How an operation is called: its one object of arguments, and which of its results the arguments choose.
import type { Schema } from "../document.ts";
import {
  bodiesOf,
  eventsOf,
  isBodyRequired,
  type Parameter,
  parametersOf,
  pascal,
  referredTo,
  resultsOf,
  type SdkOperation,
} from "./operations.ts";
import { union } from "./print-type.ts";

export interface Overload {
  /** TypeScript of the one object that holds the fields of the body and of the query; null where there is none. */
  args: string | null;
  optional: boolean;
  /** TypeScript of what comes back whole. */
  result: string;
  stream: "never" | "always" | "either";
  /** TypeScript of a stream's record; null without a stream. */
  event: string | null;
}

/** In the order in which they are to be printed: the narrow ones first. */
export function overloadsOf(one: SdkOperation): Overload[] {
  const args = argumentsOf(one);
  const event = eventType(one);
  const whole: Overload = { args, optional: isOptional(one), result: resultType(one), stream: "never", event: null };
  if (event !== null)
    return [
      { ...whole, args: narrowed(args, "stream: true"), stream: "always", event },
      { ...whole, args: narrowed(args, "stream?: false | null | undefined") },
      { ...whole, stream: "either", event },
    ];
  const by = one.operation["x-result-by"] as ResultBy | undefined;
  return by === undefined ? [whole] : [...choices(one, by, args), whole];
}

/** The contract's word on a field that chooses the media type of the answer. */
interface ResultBy {
  field: string;
  default: string;
  values: Record<string, string>;
}

function choices(one: SdkOperation, by: ResultBy, args: string | null): Overload[] {
  const ofMedia = new Map(resultsOf(one).map(({ type, schema }) => [type, resultOf(schema)]));
  const byResult = new Map<string, string[]>();
  for (const [value, media] of Object.entries(by.values)) {
    const result = ofMedia.get(media);
    if (result === undefined) throw new Error(`${one.id}: x-result-by names ${media}, which it never answers`);
    byResult.set(result, [...(byResult.get(result) ?? []), JSON.stringify(value)]);
  }
  const usual = ofMedia.get(by.default);
  return [...byResult]
    .sort(([a], [b]) => Number(a === usual) - Number(b === usual))
    .map(([result, values]) => {
      const chosen = result === usual ? `${by.field}?: ${values.join(" | ")} | undefined` : `${by.field}: ${values.join(" | ")}`;
      const optional = result === usual && isOptional(one);
      return { args: narrowed(args, chosen), optional, result, stream: "never", event: null };
    });
}

function narrowed(args: string | null, field: string): string {
  return args === null ? `{ ${field} }` : `${args.includes(" | ") ? `(${args})` : args} & { ${field} }`;
}

function argumentsOf(one: SdkOperation): string | null {
  const body = bodyType(one);
  const query = queryName(one);
  if (body === null || query === null) return body ?? query;
  return `${body.includes(" | ") ? `(${body})` : body} & ${query}`;
}

/** Every body has a name; ways to send it are alternatives. */
export function bodyType(one: SdkOperation): string | null {
  const names = bodiesOf(one).flatMap((schema) => namesOf(schema, one));
  return names.length === 0 ? null : union(names);
}

function namesOf(schema: Schema, one: SdkOperation): string[] {
  const alternatives = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (alternatives !== undefined) return alternatives.flatMap((each) => namesOf(each, one));
  const name = referredTo(schema);
  if (name === undefined) throw new Error(`${one.id}: a body has no name`);
  return [name];
}

/** The interface of its query; null where it takes none. */
export function queryName(one: SdkOperation): string | null {
  return parametersOf(one, "query").length === 0 ? null : `${pascal(one.id)}Query`;
}

function isOptional(one: SdkOperation): boolean {
  return !isBodyRequired(one) && parametersOf(one, "query").every(({ required }: Parameter) => required !== true);
}

export function resultType(one: SdkOperation): string {
  const results = resultsOf(one).map(({ schema }) => resultOf(schema));
  return results.length === 0 ? "undefined" : union(results);
}

export function eventType(one: SdkOperation): string | null {
  const events = eventsOf(one);
  return events === undefined ? null : union(events.map(resultOf));
}

function resultOf(schema: Schema): string {
  const alternatives = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (alternatives !== undefined) return union(alternatives.map(resultOf));
  const name = referredTo(schema);
  if (name !== undefined) return name;
  if (schema.format === "binary") return "Binary";
  if (schema.type === "string") return "string";
  throw new Error("an answer has no name");
}
