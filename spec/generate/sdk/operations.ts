// The operations of the client library: those that x-sdk names. And the parts of them that its types speak of.
import {
  type Document,
  type Located,
  type Media,
  nameIn,
  operationsOf,
  type ParameterObject,
  type Response,
  type Schema,
} from "../document.ts";

export interface SdkOperation extends Located {
  /** The operationId. */
  id: string;
  /** Dotted, such as `chat.completions.create`. */
  name: string;
}

/** In the document's order. Operations without a name are not the library's. */
export function sdkOperations(document: Document): SdkOperation[] {
  return operationsOf(document).flatMap((one) => {
    const name = one.operation["x-sdk"] as string | undefined;
    return name === undefined ? [] : [{ ...one, id: one.operation.operationId, name }];
  });
}

export interface Parameter extends ParameterObject {
  description?: string;
  deprecated?: boolean;
}

export function parametersOf({ operation }: SdkOperation, place: Parameter["in"]): Parameter[] {
  return (operation.parameters ?? []).filter((one) => one.in === place && one.name.toLowerCase() !== "content-type");
}

/** The schemas of the body, one for each way to send it. */
export function bodiesOf({ operation }: SdkOperation): Schema[] {
  return Object.values(operation.requestBody?.content ?? {}).map((media) => media.schema as Schema);
}

export function isBodyRequired({ operation }: SdkOperation): boolean {
  return operation.requestBody?.required ?? false;
}

export function successesOf({ operation }: SdkOperation): Response[] {
  return Object.entries(operation.responses)
    .filter(([status]) => Number(status) < 400)
    .map(([, response]) => response);
}

const eventStream = "text/event-stream";

/** The same rows as a file, where a request has another `Accept`: the library asks for JSON. */
const fileTypes = ["text/csv", "application/pdf", "application/x-ndjson"];

/** Every content of the successes but the stream and files of rows, by media type. */
export function resultsOf(one: SdkOperation): { type: string; schema: Schema }[] {
  return successesOf(one).flatMap(({ content = {} }) =>
    Object.entries(content)
      .filter(([type]) => type !== eventStream && !fileTypes.includes(type.split(";")[0]!))
      .map(([type, media]) => ({ type, schema: media.schema as Schema })),
  );
}

/**
 * What the records of the stream carry, undefined where it has none. Without `[DONE]`, which is no record, and without the record that
 * says what broke the stream, which the library throws.
 */
export function eventsOf(one: SdkOperation): Schema[] | undefined {
  const media: Media | undefined = successesOf(one)
    .map(({ content }) => content?.[eventStream])
    .find((stream) => stream !== undefined);
  if (media?.itemSchema === undefined) return undefined;
  const variants = (media.itemSchema.anyOf ?? [media.itemSchema]) as EventVariant[];
  return variants.flatMap(({ properties: { data, event } }) =>
    data.contentSchema === undefined || event?.const === "error" ? [] : [data.contentSchema],
  );
}

interface EventVariant {
  properties: { data: { contentSchema?: Schema }; event?: { const?: string } };
}

/** The contract's word on a field that chooses the media type of the answer. */
export interface ResultBy {
  field: string;
  default: string;
  values: Record<string, string>;
  /** Names of schemas that only one value answers, where its media type has several. */
  schemas?: Record<string, string>;
}

export function resultByOf({ operation }: SdkOperation): ResultBy | undefined {
  return operation["x-result-by"] as ResultBy | undefined;
}

export interface ErrorAnswer {
  status: number;
  description: string;
  /** Name of the body's schema. */
  schema: string;
}

export function errorsOf({ operation }: SdkOperation): ErrorAnswer[] {
  return Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, { description, content }]) => {
      const schema = referredTo(content?.["application/json"]?.schema ?? {});
      if (schema === undefined) throw new Error(`${operation.operationId}: the body of its ${status} has no name`);
      return { status: Number(status), description, schema };
    });
}

/** The name of the schema that is referred to, alone or inside `allOf`. */
export function referredTo(schema: Schema): string | undefined {
  const [only, ...more] = (schema.allOf as Schema[] | undefined) ?? [];
  const reference = schema.$ref ?? (more.length === 0 && schema.properties === undefined ? only?.$ref : undefined);
  return typeof reference === "string" ? nameIn(reference) : undefined;
}

export function pascal(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
