// How an operation is called: its one object of arguments, and what comes back for it.
import type { Schema } from "../document.ts";
import {
  bodiesOf,
  eventsOf,
  isBodyRequired,
  type Parameter,
  parametersOf,
  pascal,
  referredTo,
  type ResultBy,
  resultByOf,
  resultsOf,
  type SdkOperation,
} from "./operations.ts";
import { union } from "./print-type.ts";

/**
 * One signature an operation: where a field chooses what comes back, its type is a parameter. Overloads would say the same, but then
 * TypeScript reports every slip three times, and an editor offers the words of one overload only.
 */
export interface CallShape {
  /** The type parameters, such as `Streaming extends boolean = false`; null where nothing is chosen. */
  parameter: string | null;
  /** TypeScript of the one object that holds the fields of the body and of the query; null where there is none. */
  args: string | null;
  optional: boolean;
  /** TypeScript of what the call resolves to. */
  result: string;
}

/** Names of the type parameters. */
export const typeParameters = ["Streaming", "Chosen"];

export function callShapeOf(one: SdkOperation): CallShape {
  const args = argumentsOf(one);
  const shape: CallShape = { parameter: null, args, optional: isOptional(one), result: resultType(one) };
  const by = resultByOf(one);
  const whole = by === undefined ? shape : { ...shape, ...chosenBy(one, by, args) };
  const event = eventType(one);
  if (event === null) return whole;
  return {
    ...whole,
    parameter: [whole.parameter, "Streaming extends boolean | null | undefined = false"].filter((one) => one !== null).join(", "),
    args: narrowed(whole.args, "stream?: Streaming"),
    result: `Streaming extends true ? Stream<${event}> : ${whole.result}`,
  };
}

function chosenBy(one: SdkOperation, by: ResultBy, args: string | null): Pick<CallShape, "parameter" | "args" | "result"> {
  const special = by.schemas ?? {};
  const isUsual = (name: string) => !Object.values(special).includes(name);
  const usualOf = (schema: Schema) => union(resultOf(schema).split(" | ").filter(isUsual));
  const ofMedia = new Map(resultsOf(one).map(({ type, schema }) => [type, usualOf(schema)]));
  const valuesOf = new Map<string, string[]>();
  for (const [value, media] of Object.entries(by.values)) {
    const result = special[value] ?? ofMedia.get(media);
    if (result === undefined) throw new Error(`${one.id}: x-result-by names ${media}, which it never answers`);
    valuesOf.set(result, [...(valuesOf.get(result) ?? []), JSON.stringify(value)]);
  }
  const usual = ofMedia.get(by.default);
  const others = [...valuesOf].filter(([result]) => result !== usual);
  return {
    parameter: `Chosen extends ${union([...[...valuesOf.values()].flat(), "undefined"])} = undefined`,
    args: narrowed(args, `${by.field}?: Chosen`),
    result: `${others.map(([result, values]) => `Chosen extends ${values.join(" | ")} ? ${result} : `).join("")}${usual}`,
  };
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
