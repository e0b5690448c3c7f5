// The doc comment of an operation: what it does, how it is called over HTTP, what it may be refused with, where more is said.
import type { Document, Media } from "../document.ts";
import { codesByStatus } from "./error-types.ts";
import { parametersOf, type SdkOperation } from "./operations.ts";
import { comment, key } from "./print-type.ts";

/** Longer ones are in the documentation. */
const longestExample = 240;

/** A whole block, with a line break at its end. */
export function operationComment(document: Document, one: SdkOperation, indent = ""): string {
  const { operation, method, path, id } = one;
  const refusals = codesByStatus(document, one).map(
    ({ status, codes }) => `@throws {SvcError} ${status} ${codes.map((code) => `\`${code}\``).join(", ")}`,
  );
  const example = exampleOf(one);
  const text = [
    `${operation.description ?? operation.summary ?? ""}`,
    "",
    `\`${method.toUpperCase()} ${path}\`, /docs/api/${id}`,
    "",
    ...(example === null
      ? []
      : ["@example", `await svc.${one.name}(${[...parametersOf(one, "path").map(({ name }) => name), example].join(", ")});`]),
    ...refusals,
    ...(operation.deprecated === true ? ["@deprecated"] : []),
  ];
  return comment(text.join("\n"), false, indent);
}

function exampleOf({ operation }: SdkOperation): string | null {
  const media: Media | undefined = operation.requestBody?.content["application/json"];
  const texts = Object.values(media?.examples ?? {}).map((example) => asSource((example as { value: unknown }).value));
  return texts.find((text) => text.length <= longestExample) ?? null;
}

function asSource(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(asSource).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, inner]) => `${key(name)}: ${asSource(inner)}`);
  return `{ ${fields.join(", ")} }`;
}
