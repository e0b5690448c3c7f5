// The published OpenAPI document, read once at the start: served unchanged, and a source for what the generated code lacks.
import { readFileSync } from "node:fs";
import { parseJson } from "../json/parse.ts";

export const openapiBytes: Buffer = readFileSync(new URL("../../generated/openapi.json", import.meta.url));

interface Schema {
  properties?: Record<string, { enum?: unknown[]; const?: unknown }>;
}

const document = parseJson(openapiBytes.toString("utf8")) as { components?: { schemas?: Record<string, Schema> } };

/** The tag values of a union's branches; ajv knows them, but doesn't report them. */
export function tagValues(branches: readonly { $ref?: string }[], tag: string): unknown[] {
  return branches.flatMap(({ $ref }) => {
    const property = document.components?.schemas?.[$ref?.split("/").at(-1) ?? ""]?.properties?.[tag];
    return property?.enum ?? (property?.const === undefined ? [] : [property.const]);
  });
}

/** Header names that some response declares, inline or by reference. */
export function responseHeaderNames(): Set<string> {
  const names = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node as Record<string, unknown>)) {
      if (key === "headers" && typeof value === "object" && value !== null) for (const name of Object.keys(value)) names.add(name);
      visit(value);
    }
  };
  visit(document);
  return names;
}
