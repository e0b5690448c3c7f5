// Reading fields of a request as a real host would: right types or a 400 that names the field.
// Shared by the protocols; what the fields mean is theirs.
import { parseJson } from "../json/parse.ts";
import type { Directives } from "./directive-list.ts";

export type Fields = Record<string, unknown>;

export function readFields(body: Buffer): Fields {
  let parsed: unknown;
  try {
    parsed = parseJson(body.toString("utf8"));
  } catch {
    refuse(null, "We could not parse the JSON body of your request.");
  }
  if (!isFields(parsed)) refuse(null, "The JSON body of your request has to be an object.");
  return parsed;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function readModel(fields: Fields): string {
  const { model } = fields;
  if (typeof model !== "string" || model === "") refuse("model", "You must provide a model parameter.");
  return model;
}

/** Null where the field is absent or null. */
export function readWhole(fields: Fields, name: string, min: number, max: number): number | null {
  const value = fields[name] ?? null;
  if (value === null) return null;
  if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max) {
    refuse(name, `Invalid '${name}': expected a whole number from ${min} to ${max}.`, "invalid_value");
  }
  return value;
}

// How the simulator refuses a request: in every protocol the same facts, each protocol in its own envelope.

export interface Refusal {
  status: number;
  type: string;
  code: string | null;
  param?: string | null;
  message: string;
  headers?: Record<string, string>;
  /** Those of the model that refuses, for a protocol whose hosts have envelopes of their own. */
  directives?: Directives;
}

export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export function refuse(param: string | null, message: string, code: string | null = null): never {
  throw new Refused({ status: 400, type: "invalid_request_error", code, param, message });
}
