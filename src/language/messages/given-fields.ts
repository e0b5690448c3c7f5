// Drops a message request's members that are null: some clients write null for "not given", and upstreams of the dialect reject it.
import { spliceJson } from "../../providers/json/splice.ts";
import type { JsonText } from "../../providers/json/text.ts";
import type { WithoutNulls } from "../../providers/translation/message-types.ts";

export function givenFields<Body extends object>(body: Body): WithoutNulls<Body> {
  const nulls = nullsOf(body);
  if (nulls.length === 0) return body as WithoutNulls<Body>;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) as WithoutNulls<Body>;
}

/** The same for the request's text. */
export function givenText(body: object, text: JsonText): JsonText {
  const nulls = nullsOf(body);
  return nulls.length === 0 ? text : spliceJson(text, Object.fromEntries(nulls.map((key) => [key, null])));
}

function nullsOf(body: object): string[] {
  return Object.entries(body).flatMap(([key, value]) => (value === null ? [key] : []));
}
