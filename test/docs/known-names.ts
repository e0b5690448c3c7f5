// Every name that exists: in the contract, the catalog file, the settings, the commands. What a guide says is held against it.
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dialects, errors } from "../../generated/errors.ts";
import { operations } from "../../generated/operations.ts";
import { commands } from "../../src/cli/commands.ts";
import { failureCauses } from "../../src/providers/errors/upstream-error.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const text = (path: string) => readFileSync(`${root}${path}`, "utf8");
const contract: unknown = JSON.parse(text("generated/openapi.json"));
const catalogSchema: unknown = JSON.parse(text("generated/catalog.schema.json"));

/** Visits every object of a JSON document. */
function visit(value: unknown, see: (object: Record<string, unknown>) => void): void {
  if (Array.isArray(value)) value.forEach((one) => visit(one, see));
  else if (typeof value === "object" && value !== null) {
    see(value as Record<string, unknown>);
    Object.values(value).forEach((one) => visit(one, see));
  }
}

const words = new Set<string>();
export const headers = new Set<string>();
for (const document of [contract, catalogSchema]) {
  visit(document, (object) => {
    for (const name of Object.keys((object.properties as object | undefined) ?? {})) words.add(name);
    for (const name of Object.keys((object.headers as object | undefined) ?? {})) headers.add(name.toLowerCase());
    for (const value of [object.enum, object.const].flat())
      if (typeof value === "string") for (const word of [value, ...value.split(".")]) words.add(word);
    if (typeof object.name === "string" && typeof object.in === "string")
      (object.in === "header" ? headers : words).add(object.in === "header" ? object.name.toLowerCase() : object.name);
  });
}
for (const [code, { type }] of Object.entries(errors)) words.add(code).add(type);
for (const { codes, types } of Object.values(dialects))
  for (const word of [...Object.values(codes), ...Object.values(types)]) words.add(word);

/** Fields, values and codes of the contract and of the catalog file. */
export const contractWords: ReadonlySet<string> = words;

export const errorCodes: ReadonlySet<string> = new Set(Object.keys(errors));

/** With {} for each parameter. */
export const paths: ReadonlySet<string> = new Set(Object.values(operations).map(({ path }) => path.replace(/\{\w+\}/g, "{}")));

/** `account create`, … */
export const commandNames: ReadonlySet<string> = new Set(commands.map(({ name }) => name));
export const commandOptions: ReadonlySet<string> = new Set([
  "json",
  "help",
  "version",
  ...commands.flatMap(({ options }) => Object.keys(options)),
]);

/** Why an attempt at a provider fails. */
export const causes: ReadonlySet<string> = new Set(failureCauses);

/** The environment variables that src/config.ts reads, those of a sign-in provider by their endings. */
export const settings: ReadonlySet<string> = new Set(
  [...text("src/config.ts").matchAll(/(?:text\(|, )"([A-Z_]{4,})"/g)].map(([, name]) => name!),
);

/** What /metrics shows, by its source; test/telemetry holds it against a real page. */
export const figures: ReadonlySet<string> = new Set(
  globSync(["src/telemetry/*.ts", "src/server/http.ts", "src/start/keepers.ts"], { cwd: root }).flatMap((path) =>
    [...text(path).matchAll(/"(svc_[a-z_]+)"/g)].map(([, name]) => name!),
  ),
);

export const scripts: ReadonlySet<string> = new Set(Object.keys((JSON.parse(text("package.json")) as { scripts: object }).scripts));

export const readme = text("README.md");
