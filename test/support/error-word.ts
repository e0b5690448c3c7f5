// Where each envelope of errors has the word to branch on.
import { type Dialect, dialects, type DialectRow } from "../../generated/errors.ts";

export function shownWord(dialect: Dialect, body: any): unknown {
  const { envelope }: DialectRow = dialects[dialect];
  if (envelope === "genmedia") return body.details?.code;
  return body.error[envelope === "bare" ? "type" : "code"];
}
