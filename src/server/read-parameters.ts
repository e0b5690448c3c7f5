// Decodes the path, query and header parameters of one operation and coerces them, strictly, to the types that the contract names:
// ajv's own coercion takes "1e3" for a whole number. The generated validator checks bounds and closed lists.
import type { Operation, Parameter } from "../../generated/operations.ts";
import type { Validate } from "../../generated/validators.js";
import { fail, failParameter } from "../errors/fail.ts";
import type { Exchange } from "./edge.ts";
import { failInvalid } from "./invalid.ts";
import { patternOf } from "./match.ts";
import { nulDetails } from "./parse-json.ts";

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

/** The single text of a field that may not be repeated, coerced to its type; throws invalid_parameter. */
export function coerceOnce(parameter: Pick<Parameter, "name" | "type">, values: readonly string[]): unknown {
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
