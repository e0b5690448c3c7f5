// One page for each operation: what it does, how to call it, its input and answers, its errors. All from the contract.
import { type OperationId, operations } from "../../generated/operations.ts";
import { exampleOf, follow, type Located, type Media, type OpenApi, type Parameter } from "./contract.ts";
import { errorTable } from "./error-pages.ts";
import { fieldsBlock, fieldsOf, typeText } from "./field-tree.ts";
import { unnamedModel } from "./here.ts";
import { escapeHtml } from "../text/html.ts";
import { fence, samplesBlock } from "./html.ts";
import { samplesOf } from "./samples.ts";
import type { Block, Page, PortalFacts } from "./types.ts";

export function operationPage(facts: PortalFacts, operation: Located): Page {
  const { doc, id, method, path } = operation;
  return {
    path: `api/${id}`,
    title: doc.summary ?? id,
    kicker: doc.tags?.[0] ?? "API",
    summary: `${method} ${path}: ${firstSentence(doc.description ?? doc.summary ?? "")}`,
    blocks: () => [
      endpointBlock(facts, operation),
      ...notesOf(operation),
      doc.description ?? "",
      accessText(id as OperationId),
      "## Call it",
      samplesBlock(samplesOf(operation, { publicUrl: facts.publicUrl, auth: operations[id as OperationId].auth })),
      ...parameterBlocks(facts.document, doc.parameters ?? []),
      ...bodyBlocks(facts.document, operation),
      ...answerBlocks(facts.document, operation),
      "## Errors",
      errorTable(operations[id as OperationId].errors, operations[id as OperationId]),
    ],
  };
}

function firstSentence(text: string): string {
  return /^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0].replace(/\s+/g, " ") ?? text;
}

function endpointBlock({ interactive }: PortalFacts, { method, path, doc }: Located): Block {
  const parts = escapeHtml(path).replace(/\{\w+\}/g, (name) => `<var>${name}</var>`);
  // The anchor that Scalar gives an operation.
  const anchor = `tag/${(doc.tags?.[0] ?? "").toLowerCase()}/${method}${path}`;
  return {
    html: ({ link }) =>
      `<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${parts}</code>${
        interactive ? `<a href="${link(`/docs/api#${anchor}`)}">Try it</a>` : ""
      }</p>`,
    markdown: `\`${method} ${path}\`\n`,
  };
}

function notesOf({ doc }: Located): string[] {
  const notes = [];
  if (asksForUnserved(doc))
    notes.push("> **Not served here now.** No model of its kind is served: a request is answered with an error that says so.");
  if (doc["x-retired"] !== undefined) notes.push("> **Retired.** This endpoint serves nothing any more.");
  else if (doc.deprecated) notes.push("> **Deprecated.** It works, and will go on working; new programs use what replaces it.");
  if (doc["x-paused"] !== undefined)
    notes.push("> **Paused** where no model of its kind is served: then every request is answered with 404 `model_not_found`.");
  return notes;
}

/** If no example can name a model. */
function asksForUnserved({ requestBody }: Located["doc"]): boolean {
  const examples = Object.values(requestBody?.content ?? {}).flatMap((media) => Object.values(media.examples ?? {}));
  const models = examples.map(({ value }) => (value as { model?: string }).model).filter((model) => model !== undefined);
  return models.length > 0 && models.every((model) => model === unnamedModel);
}

const access: Record<string, string> = {
  none: "No key is needed.",
  key: "Needs an API key: `Authorization: Bearer $SVC_KEY`.",
  key_or_session: "Needs an API key or a session token: `Authorization: Bearer …`.",
  session: "Needs a session token (`svcs_…`, from [signing in](/docs/api/signIn)); an API key is not enough.",
};

function accessText(id: OperationId): string {
  const { auth, xApiKey } = operations[id];
  return `${access[auth]}${xApiKey ? " The header `x-api-key` will do as well." : ""}`;
}

const places = { path: "In the path", query: "In the query", header: "Headers" };

function parameterBlocks(document: OpenApi, parameters: readonly Parameter[]): Block[] {
  return (["path", "query", "header"] as const).flatMap((place) => {
    const own = parameters.filter((one) => one.in === place);
    if (own.length === 0) return [];
    const schema = {
      properties: Object.fromEntries(
        own.map((one) => [one.name, { ...one.schema, description: one.description ?? one.schema.description ?? "" }]),
      ),
      required: own.filter(({ required }) => required).map(({ name }) => name),
    };
    return [`## ${places[place]}`, fieldsBlock(fieldsOf(document, schema))];
  });
}

function bodyBlocks(document: OpenApi, { doc }: Located): Block[] {
  const contents = Object.entries(doc.requestBody?.content ?? {});
  return contents.flatMap(([type, { schema = {} }], index) => [
    ...(index === 0 ? ["## Body"] : []),
    ...(contents.length > 1 || type !== "application/json" ? [`### \`${type}\``] : []),
    fieldsBlock(fieldsOf(document, schema)),
  ]);
}

function answerBlocks(document: OpenApi, { doc }: Located): Block[] {
  const good = Object.entries(doc.responses).filter(([status]) => Number(status) < 400);
  return [
    "## Answer",
    ...good.flatMap(([status, { description, content = {}, headers = {} }]): Block[] => [
      `**${status}** ${description}`,
      ...Object.entries(content).flatMap(([type, media]) => contentBlocks(document, type, media)),
      ...headerBlocks(document, headers),
    ]),
  ];
}

function contentBlocks(document: OpenApi, type: string, media: Media): Block[] {
  const example = exampleOf(media);
  const shown = `### \`${type}\``;
  if (type === "text/event-stream") {
    const note = "A stream of server-sent events; see [Streaming](/docs/guides/streaming).";
    return [shown, note, ...(typeof example === "string" ? [fence("http", example.trimEnd())] : [])];
  }
  if (!type.startsWith("application/json"))
    return [shown, typeof example === "string" ? fence("text", example.trimEnd()) : "The bytes of the file."];
  const { schema } = follow(document, media.schema ?? {});
  return [
    shown,
    ...(example === undefined ? [] : [fence("json", JSON.stringify(example, null, 2))]),
    fieldsBlock(fieldsOf(document, schema)),
  ];
}

function headerBlocks(document: OpenApi, headers: NonNullable<OpenApi["paths"][string][string]["responses"][string]["headers"]>): Block[] {
  const rows = Object.entries(headers).map(
    ([name, { description = "", schema = {} }]) =>
      `| \`${name}\` | ${typeText(document, schema)} | ${description.replace(/\s*\n\s*/g, " ").replaceAll("|", "\\|")} |`,
  );
  return rows.length === 0 ? [] : [`### Headers\n\n| header | type | says |\n|---|---|---|\n${rows.join("\n")}`];
}
