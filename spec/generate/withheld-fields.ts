// generated/withheld-fields.ts: the fields that change what a provider charges, and every field that a forwarding operation knows by name.
// The same table becomes a paragraph in the description of each of those operations.
import { type Document, nameIn, operationsOf, type Schema } from "./document.ts";

interface Row {
  treatment: "dropped" | "refused";
  of?: string;
  harmless?: (string | number)[];
  calls?: string | Record<string, string>;
}

/** Takes the table out of the document, where withheld-fields.tsp left it as extensions. Returns the source of the generated file. */
export function withheldSource(document: Document): string {
  const carrier = document.components.schemas.WithheldFields;
  if (carrier === undefined) throw new Error("withheld-fields.tsp has no WithheldFields");
  delete document.components.schemas.WithheldFields;
  const rows = carrier["x-withheld-fields"] as Record<string, Row>;
  const forwarding = new Set(carrier["x-forwarding-operations"] as string[]);
  const operations = operationsOf(document).filter(({ operation }) => forwarding.has(operation.operationId));
  if (operations.length !== forwarding.size) throw new Error("withheld-fields.tsp names an operation that does not exist");
  const fields = operations.flatMap(({ operation }) =>
    fieldsOf(document, operation.requestBody?.content["application/json"]?.schema ?? {}),
  );
  for (const { operation } of operations) operation.description = [operation.description, textOf(rows)].filter(Boolean).join("\n\n");
  return source(rows, [...new Set([...fields, ...Object.keys(rows)])].sort());
}

function fieldsOf(document: Document, schema: Schema): string[] {
  const target = typeof schema.$ref === "string" ? (document.components.schemas[nameIn(schema.$ref)] ?? {}) : schema;
  return Object.keys((target.properties ?? {}) as object);
}

function textOf(rows: Record<string, Row>): string {
  const named = (treatment: Row["treatment"]) =>
    Object.entries(rows)
      .filter(([, row]) => row.treatment === treatment)
      .map(
        ([name, { of, harmless, calls }]) =>
          `\`${name}\`${harmless === undefined ? "" : ` (except ${of === undefined ? "" : `${of} `}${quoted(harmless)})`}${typeof calls === "string" ? ` (except on models with \`pricing.per_${calls}\`)` : ""}`,
      )
      .join(", ");
  return (
    "A field that changes what a provider charges reaches the provider only where the gateway has a price for it. Otherwise these are " +
    `dropped: ${named("dropped")}. These give 400 \`invalid_parameter\`, unless they are null, false or empty: ${named("refused")}. Other ` +
    "spellings of a known field, such as `Model` or `maxTokens`, are dropped."
  );
}

function quoted(values: readonly (string | number)[]): string {
  return values.map((value) => `\`${value}\``).join(" and ");
}

function source(rows: Record<string, Row>, fields: readonly string[]): string {
  const tools = Object.values(rows).flatMap(({ calls = {} }) => (typeof calls === "string" ? [calls] : Object.values(calls)));
  const names = [...new Set(tools)].map((tool) => JSON.stringify(tool));
  return `/** The tools that a provider runs itself and that a model can have a price for. */
export type ServerTool = ${names.join(" | ")};

export interface WithheldField {
  /** What happens to it where it has no price: the answer comes without it, or the request is refused. */
  treatment: "dropped" | "refused";
  /** Of a list of objects: the member that counts. */
  of?: string;
  /** Values that cost nothing; null, false and an empty list never do. */
  harmless?: readonly unknown[];
  /** The tool that the whole field asks for, or those that values of its items ask for. */
  calls?: ServerTool | Readonly<Record<string, ServerTool>>;
}

/** Fields that change what a provider charges. */
export const withheldFields: Readonly<Record<string, WithheldField>> = ${JSON.stringify(rows, null, 2)};

/** Every field that the contract knows by name in an operation that forwards fields. */
export const knownFields: readonly string[] = ${JSON.stringify(fields)};
`;
}
