// The contract as the Python generator reads it: what it has no word for is said with the words that it has. Only generated/openapi.json's
// form changes, never what an operation takes or answers.
import type { Document } from "../generate/document.ts";
import { eventSchemas } from "./streams.ts";

type Tree = Record<string, unknown>;

/**
 * Refusals become one exception (templates/errors.py.jinja), so an operation's result has one type. A word that is the only one is a
 * constant: as an enum of one word it would collide with other enums of the same name. Bytes and lines of a file are octets.
 */
export function pythonDocument(document: Document): Tree {
  const { paths, components, ...rest } = structuredClone(document) as unknown as { paths: Tree; components: { schemas: Tree } & Tree };
  for (const item of Object.values(paths) as Tree[])
    for (const operation of Object.values(item) as { responses?: Tree }[])
      if (operation.responses !== undefined) operation.responses = answersOf(operation.responses);
  const events = eventSchemas(document).map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const schemas = reached({ ...paths, events }, components.schemas);
  return constants({ ...rest, paths, components: { ...components, responses: {}, schemas } }) as Tree;
}

function answersOf(responses: Tree): Tree {
  const good = Object.entries(responses).filter(([status]) => Number(status) < 400) as [string, { content?: Tree }][];
  return Object.fromEntries(
    good.map(([status, { content, ...answer }]) => [status, content === undefined ? answer : { ...answer, content: contentOf(content) }]),
  );
}

/** JSON where there is any: another form is asked for by a parameter. Else the bytes, whatever their type. */
function contentOf(content: Tree): Tree {
  if ("application/json" in content) return { "application/json": content["application/json"] };
  return { "application/octet-stream": { schema: { type: "string", format: "binary" } } };
}

/** The schemas that the operations still name: no model is made for the others. */
function reached(paths: Tree, schemas: Tree): Tree {
  const found = new Set<string>();
  const follow = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (name === undefined || found.has(name)) continue;
      found.add(name);
      follow(schemas[name]);
    }
  };
  follow(paths);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
}

function constants(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map((one) => constants(one));
  if (typeof value !== "object" || value === null || key === "examples" || key === "example") return value;
  const { enum: words, ...rest } = value as { enum?: unknown };
  const [word, ...others] = Array.isArray(words) ? (words as unknown[]) : [];
  const only = typeof word === "string" && others.length === 0;
  const members = Object.entries(only ? { ...rest, const: word } : value);
  return Object.fromEntries(members.map(([name, member]) => [name, constants(member, name)]));
}
