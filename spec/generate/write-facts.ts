// generated/facts.ts: what the server would otherwise have to parse the whole document for at every start.
import type { Document, Schema } from "./document.ts";

export function factsSource(document: Document): string {
  return `/** Names of the headers that some response declares. */
export const responseHeaders: readonly string[] = ${JSON.stringify([...responseHeadersOf(document)].sort(), null, 2)};

/** By the component that is a union's branch, then by the union's tag: the tag's values. ajv knows them, but doesn't report them. */
export const tagValues: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = ${JSON.stringify(tagValuesOf(document), null, 2)};

/** The least and the most of the fields of new vouchers, for the options of the svc command and the fields of the console. */
export const voucherBounds = ${JSON.stringify(boundsOf(document, "NewVouchers", ["count", "credit_days"]), null, 2)} as const;
`;
}

function boundsOf({ components }: Document, schema: string, fields: readonly string[]): Record<string, unknown[]> {
  const properties = components.schemas[schema]?.["properties"] as Record<string, Schema>;
  return Object.fromEntries(fields.map((field) => [field, [properties[field]?.["minimum"], properties[field]?.["maximum"]]]));
}

/** Declared inline or in components. */
function responseHeadersOf(document: Document): Set<string> {
  const names = new Set<string>();
  visit(document, ({ headers }) => {
    if (typeof headers === "object" && headers !== null) for (const name of Object.keys(headers)) names.add(name);
  });
  return names;
}

function tagValuesOf(document: Document): Record<string, Record<string, unknown[]>> {
  const { schemas } = document.components;
  const tags: Record<string, Record<string, unknown[]>> = {};
  visit(document, ({ discriminator, oneOf }) => {
    const tag = (discriminator as { propertyName?: string } | undefined)?.propertyName;
    if (tag === undefined || !Array.isArray(oneOf)) return;
    for (const { $ref } of oneOf as { $ref?: string }[]) {
      const branch = $ref?.split("/").at(-1) ?? "";
      const property = (schemas[branch]?.["properties"] as Record<string, Schema> | undefined)?.[tag];
      const values = property?.["enum"] ?? (property?.["const"] === undefined ? [] : [property["const"]]);
      if ((values as unknown[]).length > 0) tags[branch] = { ...tags[branch], [tag]: values as unknown[] };
    }
  });
  return Object.fromEntries(Object.entries(tags).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function visit(node: unknown, see: (node: Record<string, unknown>) => void): void {
  if (typeof node !== "object" || node === null) return;
  see(node as Record<string, unknown>);
  for (const value of Object.values(node)) visit(value, see);
}
