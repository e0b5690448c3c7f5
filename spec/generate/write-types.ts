// generated/api.d.ts: the document as TypeScript types, by openapi-typescript.
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import type { Document } from "./document.ts";

const bytes = ts.factory.createTypeReferenceNode("Uint8Array");

export async function typesSource(document: Document): Promise<string> {
  const ast = await openapiTS(withoutExamples(document) as Parameters<typeof openapiTS>[0], {
    // A field with a default is still optional to its sender.
    defaultNonNullable: false,
    emptyObjectsUnknown: true,
    alphabetize: true,
    transform: (schema) => (schema.format === "binary" ? bytes : undefined),
  });
  return astToString(ast);
}

/** Examples would become comments, a fifth of the file. */
function withoutExamples(document: Document): unknown {
  return JSON.parse(JSON.stringify(document, (key, value: unknown) => (isExample(key, value) ? undefined : value)));
}

/** A field of that name is a schema. */
function isExample(key: string, value: unknown): boolean {
  if (key === "example") return typeof value !== "object";
  if (key !== "examples") return false;
  return (
    Array.isArray(value) || Object.values(value as object).every((one) => typeof one === "object" && ("value" in one || "$ref" in one))
  );
}
