// generated/sdk/index.js and its types: the client with all operations under their names.
import type { Document } from "../document.ts";
import { pascal, sdkOperations } from "./operations.ts";
import { routeOf } from "./routes.ts";
import { operationSignature, waitingSignature } from "./signatures.ts";
import { waitings } from "./waiting.ts";
import { importsFor } from "./write-functions.ts";

/** The names as a tree: a leaf is a text. */
interface Tree {
  [name: string]: Tree | string;
}

export function clientSource(document: Document): string {
  const all = [...sdkOperations(document), ...waitings];
  const tree = treeOf(all.map(({ name, id }) => [name, `of(f.${id})`]));
  const groups = Object.entries(tree).map(([name, inner]) => `    this.${name} = ${literal(inner, "    ")};\n`);
  return `import * as f from "./functions.js";
import { createClient } from "./runtime/client.js";
export { costOf, createClient, SvcError, verifyReceipt } from "./runtime/public.js";

export class Svc {
  constructor(options) {
    const client = (this.client = createClient(options));
    const of = (f) => (...rest) => f(client, ...rest);
${groups.join("")}  }
}

export default Svc;
`;
}

function literal(tree: Tree | string, indent: string): string {
  if (typeof tree === "string") return tree;
  const inner = Object.entries(tree).map(([name, value]) => `${indent}  ${name}: ${literal(value, `${indent}  `)},\n`);
  return `{\n${inner.join("")}${indent}}`;
}

export function clientTypes(document: Document): string {
  const indent = "  ";
  const rows = sdkOperations(document).map((one): [string, string] => [
    one.name,
    operationSignature(document, one, routeOf(document, one), { start: last(one.name), indent }),
  ]);
  const waits = waitings.map((one): [string, string] => [one.name, waitingSignature(one, { start: last(one.name), indent })]);
  const tree = treeOf([...rows, ...waits]);
  const groups = groupTypes(tree, []);
  return `${importsFor(`${[...rows, ...waits].map(([, text]) => text).join("")} Client ClientOptions`)}
export * from "./runtime/public.js";
export type * from "./types.js";

/**
 * The gateway's client: \`new Svc({ baseURL, apiKey })\`, or \`new Svc()\` if the environment has \`SVC_URL\` and \`SVC_KEY\`.
 * Every call returns a promise that also has \`withResponse()\` and \`result()\`; every failure is a \`SvcError\`.
 */
export declare class Svc {
  /** Throws a TypeError if there is no base URL. */
  constructor(options?: ClientOptions);
  /** Pass it to the functions of \`svc-sdk/functions\`. */
  readonly client: Client;
${members(tree, [])}}

export default Svc;

${groups.join("\n")}`;
}

/** Each group of methods has a name, so that an editor shows the name and not all that is in it. */
function groupTypes(tree: Tree, path: readonly string[]): string[] {
  return Object.entries(tree).flatMap(([name, inner]) => {
    if (typeof inner === "string") return [];
    const here = [...path, name];
    const text = `/** \`svc.${here.join(".")}\` */\nexport interface ${groupName(here)} {\n${members(inner, here)}}\n`;
    return [text, ...groupTypes(inner, here)];
  });
}

function members(tree: Tree, path: readonly string[]): string {
  const inner = Object.entries(tree).map(([name, value]) =>
    typeof value === "string" ? value : `  readonly ${name}: ${groupName([...path, name])};\n`,
  );
  return inner.join("");
}

function groupName(path: readonly string[]): string {
  return `${path.map(pascal).join("")}Methods`;
}

function last(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

function treeOf(rows: readonly [string, string][]): Tree {
  const root: Tree = {};
  for (const [name, value] of rows) {
    const path = name.split(".");
    const leaf = path.pop()!;
    let at = root;
    for (const part of path) at = (at[part] ??= {}) as Tree;
    at[leaf] = value;
  }
  return root;
}
