// Decodes the path, query and header parameters of one operation, and the texts of its form, and coerces them, strictly, to the types that
// the contract names: ajv's own coercion takes "1e3" for a whole number. The generated validators check bounds and closed lists.
import type { Form, Operation, Parameter } from "../../generated/operations.ts";
import type { Validate } from "../../generated/validators.js";
import { fail, failParameter } from "../errors/fail.ts";
import type { Exchange } from "./edge.ts";
import { failInvalid } from "./invalid.ts";
import { patternOf } from "./match.ts";
import { nulDetails } from "./parse-json.ts";
import type { SentForm } from "./read-form.ts";

interface Parameters {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  header: Record<string, unknown>;
}

type ReadParameters = (exchange: Pick<Exchange, "path" | "search" | "req">) => Parameters;

/** Everything that doesn't depend on the request is done here, once per operation. */
export function parameterReader(operation: Pick<Operation, "path" | "parameters">, validate: Validate | undefined): ReadParameters {
  const pattern = patternOf(operation.path);
  const pathNames = [...operation.path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]!);
  const inPath = pathNames.map((name) => operation.parameters.find((one) => one.in === "path" && one.name === name) ?? stringInPath(name));
  const inQuery = operation.parameters.filter((parameter) => parameter.in === "query");
  const inHeader = operation.parameters.filter((parameter) => parameter.in === "header");

  return (exchange) => {
    const read: Parameters = { path: {}, query: {}, header: {} };
    if (inPath.length > 0) {
      const segments = pattern.exec(exchange.path) ?? [];
      inPath.forEach((parameter, index) => put(read.path, parameter, [decode(segments[index + 1] ?? "", parameter.name)]));
    }
    if (inQuery.length > 0 && exchange.search !== "") {
      const given = splitQuery(exchange.search);
      for (const parameter of inQuery)
        put(
          read.query,
          parameter,
          given.get(parameter.name)?.map((raw) => decode(raw, parameter.name)),
        );
    }
    for (const parameter of inHeader) {
      const value = exchange.req.headers[parameter.name.toLowerCase()];
      if (typeof value === "string") put(read.header, parameter, [value]);
    }
    if (validate !== undefined && !validate(read)) failInvalid(validate.errors ?? [], { skipSegments: 1 });
    return read;
  };
}

function stringInPath(name: string): Parameter {
  return { name, in: "path", required: true, type: "string" };
}

/** Raw values by decoded name. Text that isn't valid percent-encoding can't be one of our names and is ignored. */
function splitQuery(search: string): Map<string, string[]> {
  const given = new Map<string, string[]>();
  for (const pair of search.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const rawName = equals < 0 ? pair : pair.slice(0, equals);
    const raw = equals < 0 ? "" : pair.slice(equals + 1).replaceAll("+", " ");
    const name = rawName.includes("%") ? tryDecode(rawName) : rawName;
    if (name === null) continue;
    const values = given.get(name);
    if (values) values.push(raw);
    else given.set(name, [raw]);
  }
  return given;
}

function decode(raw: string, param: string): string {
  const value = raw.includes("%") ? tryDecode(raw) : raw;
  if (value === null) failParameter(param, "its percent-encoding is malformed");
  if (value.includes("\0")) fail("invalid_parameter", nulDetails(param));
  return value;
}

function tryDecode(raw: string): string | null {
  try {
    return decodeURIComponent(raw);
  } catch {
    return null;
  }
}

function put(target: Record<string, unknown>, parameter: Parameter, values: readonly string[] | undefined): void {
  if (values === undefined) return;
  if (parameter.type === "array") {
    // Lists are comma separated; a repeated key means the same.
    const elements = values.flatMap((value) => value.split(",")).filter((element) => element !== "");
    if (elements.length > 0) target[parameter.name] = elements;
    return;
  }
  const byHand = parameter.in === "query" && parameter.type === "boolean";
  target[parameter.name] = coerceOnce(parameter, byHand ? values.map(asBoolean) : values);
}

/** A query's boolean may be 1 or 0 as well, because people type it. */
function asBoolean(value: string): string {
  return value === "1" ? "true" : value === "0" ? "false" : value;
}

/** A form's texts as the fields that the contract names, without its files. Throws missing_parameter, invalid_parameter or a field's own code. */
export function formFields(
  { texts, files }: SentForm,
  { fields, files: named }: Form,
  validate: Validate | undefined,
): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const field of fields) {
    // Form libraries send empty fields; they mean that the field wasn't given.
    const given = texts.get(field.name)?.filter((text) => text !== "") ?? [];
    if (given.some((text) => text.includes("\0"))) fail("invalid_parameter", nulDetails(field.name));
    if (given.length > 0) read[field.name] = field.type === "array" ? given : coerceOnce(field, given);
  }
  // A text stands for a file.
  for (const { name, many } of named) {
    const sent = files.filter(({ field }) => field === name);
    if (sent.length > 0) read[name] = many ? sent.map(() => "") : "";
  }
  if (validate !== undefined && !validate(read)) failInvalid(validate.errors ?? []);
  for (const { name } of named) delete read[name];
  return read;
}

/** The single text of a field that may not be repeated, coerced to its type; throws invalid_parameter. */
function coerceOnce(parameter: Pick<Parameter, "name" | "type">, values: readonly string[]): unknown {
  if (values.length > 1) failParameter(parameter.name, "it may be given once only");
  return coerce(parameter, values[0]!);
}

function coerce({ name, type }: Pick<Parameter, "name" | "type">, value: string): unknown {
  switch (type) {
    case "integer":
      return /^-?\d{1,20}$/.test(value) ? Number(value) : failParameter(name, "it must be a whole number");
    case "number":
      return /^-?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i.test(value) && Number.isFinite(Number(value))
        ? Number(value)
        : failParameter(name, "it must be a number");
    case "boolean":
      if (value === "true") return true;
      if (value === "false") return false;
      return failParameter(name, "it must be true or false");
    case "string":
    case "array":
      return value;
  }
}
