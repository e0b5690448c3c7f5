// The library's types against the contract, by another way than they were printed: TypeScript's checker reads them, and each named model,
// each operation's parts and each status's codes must be what the document says.
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { allOperations, codesOf, operation, resolved, type Schema, schema } from "../contract/read-contract.ts";
import { root } from "./packed.ts";

const file = join(root, "generated/sdk/types.d.ts");
const program = ts.createProgram([file], { strict: true, types: [], lib: ["lib.esnext.d.ts", "lib.dom.d.ts"] });
const checker = program.getTypeChecker();
const exported = new Map(
  checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!).map((symbol) => [symbol.name, symbol]),
);
const declared = (name: string): ts.Type => checker.getDeclaredTypeOfSymbol(exported.get(name)!);
const part = (type: ts.Type, name: string): ts.Type => checker.getTypeOfSymbol(type.getProperty(name)!);
const operations = allOperations().filter((one) => one["x-sdk"] !== undefined);
const inLibrary = (id: string) => part(declared("Operations"), id);

/** A type in one line: interfaces by name, all else spelled out, alternatives sorted. */
function lineOf(type: ts.Type, isTop = false): string {
  if (checker.getNonNullableType(type).aliasSymbol?.name === "Upload") return "Upload"; // an optional one is a union without the name
  if (type.isUnion()) return alternatives(type.types.map((one) => lineOf(one)));
  if (type.flags & ts.TypeFlags.Undefined) return "";
  if (type.isStringLiteral()) return JSON.stringify(type.value);
  if (checker.isArrayType(type)) return list(lineOf(checker.getTypeArguments(type as ts.TypeReference)[0]!));
  if (!isTop && type.symbol?.flags & ts.SymbolFlags.Interface) return type.symbol.name;
  if (!(type.flags & ts.TypeFlags.Object)) return checker.typeToString(type);
  const fields = type.getProperties().map((field): [string, string] => {
    const isOptional = (field.flags & ts.SymbolFlags.Optional) !== 0;
    return [`${field.name}${isOptional ? "?" : ""}`, lineOf(checker.getTypeOfSymbol(field))];
  });
  const index = checker.getIndexInfoOfType(type, ts.IndexKind.String);
  return object([
    ...fields.filter(([, value]) => value !== ""),
    ...(index === undefined ? [] : [["*", lineOf(index.type)] as [string, string]]),
  ]);
}

/** The same of a schema. */
function expectedLine(of: Schema, isTop = false): string {
  const target = resolved(of.allOf?.length === 1 && of.properties === undefined ? of.allOf[0]! : of);
  if (target.const !== undefined) return JSON.stringify(target.const);
  if (target.enum) return alternatives(target.enum.map((word) => JSON.stringify(word)));
  const branches = target.oneOf ?? target.anyOf;
  if (branches) return alternatives(branches.filter((one) => !("not" in one)).map((one) => expectedLine(one)));
  if (Array.isArray(target.type)) return alternatives(target.type);
  if (target.format === "binary") return "Upload";
  if (target.type === "array") return list(expectedLine(target.items!));
  if (target.type !== "object") return target.type === "integer" ? "number" : ((target.type as string | undefined) ?? "unknown");
  if (!isTop && target.properties) return nameOf.get(target) ?? "?";
  const { "x-unknown-fields": unknown, additionalProperties: more } = target;
  const parents = [
    ...(target.allOf ?? []).map(resolved),
    ...(typeof unknown === "string" && unknown !== "forwarded" ? [schema(unknown)] : []),
  ];
  const fields = [...parents, target].flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).map(([name, field]): [string, string] => [
      `${name.replace("[]", "")}${required.includes(name) ? "" : "?"}`,
      expectedLine(field),
    ]),
  );
  if (typeof more === "object" && more !== null) fields.push(["*", expectedLine(more as Schema)]);
  else if (target.properties === undefined) fields.push(["*", "unknown"]);
  return object(fields);
}

const nameOf = new Map([...exported.keys()].flatMap((name) => (isSchema(name) ? [[schema(name), name] as const] : [])));

function isSchema(name: string): boolean {
  try {
    return schema(name) !== undefined;
  } catch {
    return false;
  }
}

function alternatives(lines: readonly string[]): string {
  const each = new Set(lines.filter((line) => line !== "").flatMap((line) => line.split(" | ")));
  if (each.has("true") && each.has("false")) return alternatives([...each].map((word) => (/^(true|false)$/.test(word) ? "boolean" : word)));
  return [...each].sort().join(" | ");
}

function list(item: string): string {
  return `[${item.replaceAll(" | ", "/")}]`;
}

function object(fields: readonly [string, string][]): string {
  return `{${[...new Map(fields)]
    .sort()
    .map(([name, value]) => `${name}:${value}`)
    .join("; ")}}`;
}

describe("each named model has the contract's fields, words and alternatives", () => {
  const models = [...nameOf.values()].filter((name) => !/Error\d{3}/.test(name));
  test("as many as the contract needs", () => expect(models.length).toBeGreaterThan(200));
  test.each(models)("%s", (name) => {
    expect(lineOf(declared(name), true)).toBe(expectedLine(schema(name), true));
  });
});

/** What a call doesn't give: a stream's records, and rows as a file, which another `Accept` asks for. */
const elsewhere = /^(text\/event-stream|text\/csv|application\/pdf|application\/x-ndjson)/;

describe("each operation has the contract's parts", () => {
  test("every operation that has a name in the library, and no other", () => {
    expect(
      declared("Operations")
        .getProperties()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(operations.map((one) => one.operationId).sort());
  });

  test.each(operations.map((one) => one.operationId))("%s", (id) => {
    const { requestBody, responses, parameters } = operation(id);
    const type = inLibrary(id);
    const line = (name: string) => lineOf(part(type, name));
    const bodies = Object.values(requestBody?.content ?? {}).map(({ schema: body }) => expectedLine(body));
    expect(line("body")).toBe(bodies.length === 0 ? "never" : alternatives(bodies));
    const query = parameters.filter((one) => one.in === "query").map(({ name }) => name);
    expect(
      part(type, "query")
        .getProperties()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(query.sort());
    const results = Object.entries(responses).flatMap(([status, { content = {} }]) =>
      status < "300" ? Object.entries(content).filter(([media]) => !elsewhere.test(media)) : [],
    );
    const result = results.map(([media, { schema: body }]) =>
      media.startsWith("audio/") || media === "application/octet-stream" ? "Binary" : expectedLine(body),
    );
    expect(line("result").replace("Upload", "Binary")).toBe(alternatives(result));
  });
});

describe("each status has its codes, in the words of the operation", () => {
  test.each(operations.map((one) => one.operationId))("%s", (id) => {
    const error = part(inLibrary(id), "error");
    const members = error.isUnion() ? error.types : [error];
    const typed = members.map((one): [string, string] => [lineOf(part(one, "status")), lineOf(part(one, "code"))]);
    const statuses = Object.keys(operation(id).responses).filter((status) => status >= "400");
    const wordsOf = (status: string) => {
      const codes = codesOf(id, Number(status));
      return codes.length > 0 ? codes : bareWords(id, status);
    };
    expect(Object.fromEntries(typed)).toEqual(
      Object.fromEntries(statuses.map((status) => [status, alternatives(wordsOf(status).map((code) => JSON.stringify(code)))])),
    );
  });
});

/** The bare dialect's words stand in `type`. */
function bareWords(id: string, status: string): string[] {
  const body = resolved(operation(id).responses[status]!.content!["application/json"]!.schema);
  return body.properties!.error!.properties!.type!.enum as string[];
}
