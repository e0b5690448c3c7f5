// The examples of the published document: what TypeSpec's own can't show (streams, forms, headers), and the order and
// names that a mock server or a reader picks them by. Error bodies are error-examples.ts.
import { type Document, type Example, type Header, operationsOf, type Schema } from "./document.ts";

export function completeExamples(document: Document): void {
  for (const { operation } of operationsOf(document)) {
    const contents = [operation.requestBody, ...Object.values(operation.responses)].flatMap((one) => Object.values(one?.content ?? {}));
    for (const holder of [...contents, ...(operation.parameters ?? [])])
      if (holder.examples !== undefined) holder.examples = asWritten(holder.examples);
  }
  streamExamples(document);
  formExamples(document);
  headerExamples(document);
}

/** The compiler hands examples over last first, and who must choose takes the first. A name with spaces can't be asked for by `Prefer`. */
function asWritten(examples: Record<string, Example>): Record<string, Example> {
  return Object.fromEntries(
    Object.entries(examples)
      .reverse()
      .map(([name, example]) => [name.replaceAll(" ", "_"), example]),
  );
}

/** TypeSpec's examples can't show a stream; the spec lists its records as an extension. */
function streamExamples(document: Document): void {
  for (const { operation } of operationsOf(document)) {
    const records = operation["x-stream-example"] as (Schema | string)[] | undefined;
    delete operation["x-stream-example"];
    for (const { content } of Object.values(operation.responses)) {
      const stream = content?.["text/event-stream"];
      if (stream === undefined || records === undefined) continue;
      stream.examples = { stream: { summary: "stream", description: "An answer as a stream.", value: records.map(eventText).join("") } };
    }
  }
}

/** Anthropic's records say their type in the event line too, and so do those of responses; OpenAI's others have none. */
function eventText(record: Schema | string): string {
  if (typeof record === "string") return `data: ${record}\n\n`;
  const named = typeof record.type === "string" && !record.type.startsWith("transcript.");
  return `${named ? `event: ${String(record.type)}\n` : ""}data: ${JSON.stringify(record)}\n\n`;
}

/** Nor a form; its file stands as a text in place of the bytes. */
function formExamples(document: Document): void {
  for (const { operation } of operationsOf(document)) {
    const examples = operation["x-form-examples"] as Record<string, Example> | undefined;
    delete operation["x-form-examples"];
    const form = operation.requestBody?.content["multipart/form-data"];
    if (form !== undefined && examples === undefined) throw new Error(`${operation.operationId} takes a form and has no x-form-examples`);
    if (form !== undefined && examples !== undefined)
      form.examples = Object.fromEntries(Object.entries(examples).map(([name, example]) => [name, { summary: name, ...example }]));
  }
}

function headerExamples(document: Document): void {
  for (const { operation } of operationsOf(document))
    for (const [status, { headers }] of Object.entries(operation.responses))
      for (const [name, header] of Object.entries(headers ?? {}))
        header.example ??= exampleOf(header, name, `${operation.operationId} ${status}`);
}

/** What no schema of a header says; where the words are few, the first is taken. */
const samples: Record<string, string | number> = {
  "x-request-id": "req_0195c1f2a7e07c31",
  "request-id": "req_0195c1f2a7e07c31",
  "retry-after": 1,
  "x-ratelimit-limit-requests": 60,
  "x-ratelimit-remaining-requests": 59,
  "x-ratelimit-reset-requests": "1s",
  "x-svc-model": "north/chat-large",
  "x-svc-alias": "best",
  "preference-applied": "wait",
  "x-svc-served-model": "north/chat-small",
  "x-svc-fallback": "relay/plain-text",
  "x-svc-fallback-layer": 3,
  "x-svc-max-tokens-clamped": 512,
  "x-svc-credits-have": 0.0125,
  "x-svc-cost-usd": 0.0009,
  "x-litellm-response-cost": 0.0009,
  age: 42,
  "x-svc-balance-usd": 12.4991,
  "x-svc-duration-sec": 4.2,
  "x-svc-billable-minutes": 1,
  "x-svc-chars-billed": 25,
  "set-cookie": "__Host-svc_session=svcs_EXAMPLE; Path=/; Max-Age=604800; HttpOnly; Secure; SameSite=Lax",
  deprecation: "true",
  link: '</v1/pricing>; rel="successor-version"',
};

function exampleOf({ schema }: Header, name: string, at: string): unknown {
  const example = (schema?.enum as unknown[] | undefined)?.[0] ?? samples[name];
  if (example === undefined) throw new Error(`examples.ts has no sample for the header ${name} of ${at}`);
  return typeof example === "number" ? Math.min(example, (schema?.maximum as number | undefined) ?? Infinity) : example;
}
