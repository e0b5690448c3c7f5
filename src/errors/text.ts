// What a caller sees of an error, in its answer and in the usage log: the status, the row for that status, and the sentence, which is
// the row's template filled with the values of this refusal.
import { dialects, errors } from "../../generated/errors.ts";
import type { Dialect, DialectRow, ErrorCode, ErrorRow } from "../../generated/errors.ts";
import type { ApiError } from "./fail.ts";

/** In the endpoint's dialect, which may have another status for an error. */
export function shownError({ code, details }: Pick<ApiError, "code" | "details">, dialect: Dialect): { status: number; message: string } {
  const { statuses }: DialectRow = dialects[dialect];
  const status = details.status ?? statuses[code] ?? errors[code].status;
  return { status, message: details.message ?? fillMessage(rowAt(code, status).message, details.text ?? {}) };
}

/** Type, retry rule and texts belong to a status: a code may have others at another status. */
export function rowAt(code: ErrorCode, status: number): ErrorRow {
  return { ...errors[code], ...errors[code].at?.[status] };
}

/** Replaces "{name}"; a part in square brackets is dropped if a value inside it isn't known. A reason may bring its own full stop. */
export function fillMessage(template: string, text: Record<string, string | number>): string {
  const known = (part: string) => [...part.matchAll(placeholder)].every((match) => text[match[1]!] !== undefined);
  const kept = template.replace(/\[([^[\]]*\{\w+\}[^[\]]*)\]/g, (_, part: string) => (known(part) ? part : ""));
  return kept
    .replace(placeholder, (_, name: string) => String(text[name] ?? "?"))
    .trim()
    .replace(/(?<!\.)\.\.$/, ".");
}

const placeholder = /\{(\w+)\}/g;
