// Reads JSON of unknown shape: the small questions that every adapter asks.

import { isKeptNumber } from "./exact-numbers.ts";

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isKeptNumber(value);
}

/** The object itself, or an empty one, so that a missing branch reads like one without members. */
export function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

export function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
