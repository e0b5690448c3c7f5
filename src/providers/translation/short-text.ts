// Texts of a caller that a host takes only so long. The same text gives the same short one in every request: prompt caches and
// the caller's own books depend on it.
import { createHash } from "node:crypto";

/** An opaque id: its digest where it is too long. */
export function shortId(id: string, lengthMax: number): string {
  return id.length <= lengthMax ? id : digestOf(id);
}

/** A name that people and models read: its beginning, and `digits` of its digest where it is too long. */
export function shortName(name: string, lengthMax: number, digits: number): string {
  return name.length <= lengthMax ? name : `${name.slice(0, lengthMax - digits - 1)}_${digestOf(name).slice(0, digits)}`;
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
