// Which named schemas requests and answers lead to: a field of a request may be given as undefined.
import { type Document, nameIn, type Schema } from "../document.ts";
import { bodiesOf, errorsOf, eventsOf, parametersOf, resultsOf, type SdkOperation } from "./operations.ts";

export interface Usage {
  requests: ReadonlySet<string>;
  answers: ReadonlySet<string>;
}

export function usageOf(document: Document, operations: readonly SdkOperation[]): Usage {
  const { schemas } = document.components;
  const requests = reachable(
    document,
    operations.flatMap((one) => [...bodiesOf(one), ...parametersOf(one, "query").map(({ schema }) => schema)]),
  );
  const answers = reachable(
    document,
    operations.flatMap((one) => [
      ...resultsOf(one).map(({ schema }) => schema),
      ...(eventsOf(one) ?? []),
      ...errorsOf(one).map(({ schema }) => schemas[schema] as Schema),
    ]),
  );
  return { requests, answers };
}

/** Blocks of unknown kinds are refused, so types know none: their branch is not followed. */
export function isUnknownKind(branch: Schema): boolean {
  return "$ref" in branch && "not" in branch;
}

function reachable({ components: { schemas } }: Document, start: readonly Schema[]): Set<string> {
  const found = new Set<string>();
  const follow = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(follow);
    else if (typeof value === "object" && value !== null) {
      const schema = value as Schema;
      if (isUnknownKind(schema)) return;
      if (typeof schema.$ref === "string") add(nameIn(schema.$ref));
      for (const [key, inner] of Object.entries(schema)) if (!unread.has(key)) follow(inner);
    }
  };
  const add = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    follow(schemas[name]);
  };
  follow(start);
  return found;
}

const unread = new Set(["examples", "example", "default", "discriminator", "description"]);
