// The requests that the contract shows for an operation, ready to be sent: its first example of each body it takes.
import { operations, type OperationId } from "../../generated/operations.ts";
import { type Example, operation, resolved } from "./read-contract.ts";

export interface ExampleRequest {
  id: OperationId;
  method: string;
  /** With its path and query filled in. */
  path: string;
  contentType?: "application/json" | "multipart/form-data";
  body?: Record<string, unknown>;
}

/** One for each media type of the body; one for an operation that takes none. */
export function exampleRequests(id: OperationId): ExampleRequest[] {
  const { method, path: template, parameters, requestBody } = operation(id);
  const values = parameters.flatMap(({ name, in: place, examples }) => {
    const value = firstValue(examples);
    return value === undefined ? [] : [{ name, place, value: String(value as string | number) }];
  });
  const filled = values
    .filter(({ place }) => place === "path")
    .reduce((path, { name, value }) => path.replace(`{${name}}`, encodeURIComponent(value)), template);
  const query = new URLSearchParams(values.filter(({ place }) => place === "query").map(({ name, value }) => [name, value]));
  const request = { id, method: method.toUpperCase(), path: query.size > 0 ? `${filled}?${query.toString()}` : filled };
  const contents = Object.entries(requestBody?.content ?? {});
  if (contents.length === 0) return [request];
  return contents.map(([contentType, { examples }]) => ({
    ...request,
    contentType: contentType as NonNullable<ExampleRequest["contentType"]>,
    body: firstValue(examples) as Record<string, unknown>,
  }));
}

export const allExampleRequests: ExampleRequest[] = Object.values(operations).flatMap(({ id }) => exampleRequests(id));

/** What `fetch` takes as the body; a form's file is the text that stands for it. */
export function bodyToSend({ contentType, body }: ExampleRequest): string | FormData | null {
  if (body === undefined) return null;
  if (contentType === "application/json") return JSON.stringify(body);
  const form = new FormData();
  for (const [name, value] of Object.entries(body))
    if (name === "file") form.set(name, new Blob([String(value)], { type: "audio/mpeg" }), "recording.mp3");
    else form.set(name, String(value));
  return form;
}

function firstValue(examples: Record<string, Example> | undefined): unknown {
  const first = Object.values(examples ?? {})[0];
  return first === undefined ? undefined : resolved(first).value;
}
