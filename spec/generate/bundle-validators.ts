// The text of generated/validators.js: ajv's standalone code in a form that a diff can be read of. Functions and schemas have the contract's
// names instead of numbers, so that a change moves only what it changes; ajv's own run-time helpers are folded in.
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Ajv2020 } from "ajv/dist/2020.js";
import standaloneCode from "ajv/dist/standalone/index.js";
import { rolldown } from "rolldown";
import { nameIn, type Schema } from "./document.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** `exports`: the key of each schema by its exported name. `rest`: more lines of the module. */
export async function validatorsModule(ajv: Ajv2020, exports: Record<string, string>, rest: readonly string[]): Promise<string> {
  const code = standaloneCode.default(ajv, exports);
  const names = new Map([...constantNames(ajv), ...functionNames(ajv, exports)]);
  const named = code.replaceAll(/\b[a-z]+\d+\b/g, (word) => names.get(word) ?? word);
  return bundle([withoutUnusedParts(named), ...rest].join("\n"));
}

/** No text of an answer rests on what a schema says of itself, but the one of a pattern in the catalog file; those are half of the bytes. */
export function withoutDocumentation(schema: Schema): Schema {
  const kept = Object.entries(schema).filter(
    ([key]) => key !== "example" && key !== "examples" && (key !== "description" || "pattern" in schema),
  );
  return Object.fromEntries(
    kept.map(([key, value]) => {
      if (key === "enum" || key === "const" || key === "default") return [key, value];
      if (key === "properties" || key === "schemas" || key === "$defs") {
        const fields = Object.entries(value as Record<string, Schema>);
        return [key, Object.fromEntries(fields.map(([name, field]) => [name, inner(field) as Schema]))];
      }
      return [key, inner(value)];
    }),
  );
}

function inner(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inner);
  return typeof value === "object" && value !== null ? withoutDocumentation(value as Schema) : value;
}

/** What the server never asks of a fault: both are said by `keyword` and `parentSchema` as well. */
function withoutUnusedParts(code: string): string {
  const text = String.raw`"(?:[^"\\]|\\.)*"`;
  const place = String.raw`schema_\w+(?:\.[\w$]+|\[${text}\]|\[\d+\])*`;
  return code
    .replaceAll(new RegExp(`schemaPath:${text},(?=keyword:)`, "g"), "")
    .replaceAll(new RegExp(String.raw`schema:(?:${place}|${text}|true|false|-?[\d.]+),(?=parentSchema:)`, "g"), "");
}

interface Environment {
  validateName?: { str: string };
  root: Environment;
  refs: Record<string, Partial<Environment>>;
}

/** A function has the name of the component that it checks, or of its export. */
function functionNames(ajv: Ajv2020, exports: Record<string, string>): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const add = (environment: Partial<Environment>, wanted: string) => {
    const number = environment.validateName?.str;
    if (number === undefined || names.has(number)) return;
    let name = `validate_${wanted}`;
    for (let count = 2; taken.has(name); count++) name = `validate_${wanted}_${count}`;
    names.set(number, name);
    taken.add(name);
  };
  const seen = new Set<Environment>();
  const walk = (environment: Environment) => {
    if (seen.has(environment)) return;
    seen.add(environment);
    for (const [reference, child] of Object.entries(environment.refs)) {
      add(child, nameIn(reference));
      if (child.refs !== undefined) walk(child as Environment);
    }
    walk(environment.root);
  };
  for (const [name, key] of Object.entries(exports)) {
    const { schemaEnv } = ajv.getSchema(key) as unknown as { schemaEnv: Environment };
    add(schemaEnv, name);
    walk(schemaEnv);
  }
  return names;
}

/** Schemas, patterns, formats: by their component or identifier, else by what they are. */
function constantNames(ajv: Ajv2020): Map<string, string> {
  const { _values: values } = ajv.scope as unknown as { _values: Record<string, Map<unknown, Constant>> };
  const components = new Map<unknown, string>();
  for (const environment of Object.values(ajv.schemas)) {
    const { schemas = {} } = (environment?.schema as { components?: { schemas?: Record<string, Schema> } }).components ?? {};
    for (const [name, schema] of Object.entries(schemas)) components.set(schema, name);
  }
  const names = new Map<string, string>();
  for (const [kind, constants] of Object.entries(values)) {
    if (!["schema", "pattern", "formats", "func"].includes(kind)) continue;
    for (const constant of constants.values()) {
      const { ref, code } = constant.value!;
      const id = (ref as { $id?: string } | null)?.$id;
      const known = components.get(ref) ?? (id === undefined ? undefined : nameIn(id));
      const text = kind === "schema" ? JSON.stringify(ref) : String(code);
      names.set(constant.str, `${kind}_${known ?? createHash("sha256").update(text).digest("hex").slice(0, 8)}`);
    }
  }
  return names;
}

interface Constant {
  str: string;
  value?: { ref: unknown; code?: { toString(): string } };
}

/** ajv's helpers are CommonJS. Paths in the output are relative to the checkout, so that it is the same wherever it was made. */
async function bundle(source: string): Promise<string> {
  const entry = `${root}validators-source.js`;
  const bundled = await rolldown({
    input: entry,
    cwd: root,
    platform: "neutral",
    resolve: { mainFields: ["main"], symlinks: false },
    plugins: [
      {
        name: "source",
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? source : undefined),
      },
    ],
  });
  const { output } = await bundled.generate({ format: "esm", comments: false });
  await bundled.close();
  // ajv nests each property in the one before it: indented, a new one would move all that follow, and half of the file would be tabs.
  const code = output[0].code.replaceAll(/^\t+/gm, "");
  // A name a line: a new operation adds its own.
  return code.replace(/^export \{ (.*) \};$/m, (_, names: string) => `export {\n${names.replaceAll(", ", ",\n")}\n};`);
}
