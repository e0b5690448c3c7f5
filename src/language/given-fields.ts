// A message request without its members that are null: some clients write null for "not given", and no upstream of the dialect takes it.
import { spliceJson } from "../providers/json-splice.ts";
import type { WithoutNulls } from "../providers/translation/message-types.ts";

/** The request parsed and as text, both without them. */
export function givenFields<Body extends object>(body: Body, text: string): { body: WithoutNulls<Body>; text: string } {
  const members = Object.entries(body) as [string, unknown][];
  const nulls = members.filter(([, value]) => value === null).map(([key]) => [key, null] as const);
  if (nulls.length === 0) return { body: body as WithoutNulls<Body>, text };
  const given = Object.fromEntries(members.filter(([, value]) => value !== null));
  return { body: given as WithoutNulls<Body>, text: spliceJson(text, Object.fromEntries(nulls)) };
}
