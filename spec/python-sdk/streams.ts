// svc_sdk/streams.py, which the generator does not make: each operation that answers as a stream has a function whose events are its models.
import type { Document, Media, Schema } from "../generate/document.ts";

interface Streamed {
  /** After `stream_`. */
  name: string;
  path: string;
  /** Models, by name. */
  bodies: string[];
  events: { model: string; type: string | null }[];
}

type Answers = Record<string, { content?: Record<string, Media> }>;

/** The schemas of a stream's events: no other answer names them, and they have to become models anyway. */
export function eventSchemas(document: Document): string[] {
  return streamedOf(document).flatMap(({ events }) => events.map(({ model }) => model));
}

/** The errors among the events are left out: they are raised. */
function streamedOf(document: Document): Streamed[] {
  const schemas = document.components.schemas as Record<string, Schema>;
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(
      item as object as Record<string, { operationId: string; responses: Answers; requestBody?: { content: Record<string, Media> } }>,
    )
      .filter(({ responses }) => streamIn(responses) !== undefined)
      .map(({ operationId, responses, requestBody }) => ({
        name: snake(operationId.replace(/^create/, "")),
        path,
        bodies: Object.values(requestBody!.content).map(({ schema }) => nameIn(schema!["$ref"])),
        events: modelsIn(streamIn(responses)!)
          .map((model) => ({ model, type: typeOf(schemas[model]!) }))
          .filter(({ type }) => type !== "error"),
      })),
  );
}

function streamIn(responses: Answers): Media | undefined {
  return Object.values(responses).flatMap(({ content }) => content?.["text/event-stream"] ?? [])[0];
}

/** `[DONE]` has no schema. */
function modelsIn(media: Media): string[] {
  const { anyOf } = media["x-itemSchema"] as { anyOf: { properties: { data: { contentSchema?: Schema } } }[] };
  return anyOf.flatMap(({ properties: { data } }) => (data.contentSchema === undefined ? [] : nameIn(data.contentSchema["$ref"])));
}

function typeOf(schema: Schema): string | null {
  const { type } = schema["properties"] as { type?: { enum?: string[] } };
  return type?.enum?.[0] ?? null;
}

const nameIn = (reference: unknown) => String(reference).slice(String(reference).lastIndexOf("/") + 1);
const snake = (words: string) => words.replace(/[A-Z]/g, (letter, at) => `${at === 0 ? "" : "_"}${letter.toLowerCase()}`);
const camel = (name: string) => name.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());

/** Each model from its own module: a program that streams does not load all of them. */
export function streamsModule(document: Document): string {
  const streamed = streamedOf(document);
  const models = [...new Set(streamed.flatMap(({ bodies, events }) => [...bodies, ...events.map(({ model }) => model)]))].sort();
  return `"""What answers as a stream, one function each, and one for asyncio: its events are models. \`stream\` gives those of any path as dicts.

An event of a type that this version does not know is left out. An error raises ApiError.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from .client import AuthenticatedClient
${models.map((model) => `from .models.${snake(model)} import ${model}`).join("\n")}
from .streaming import astream, stream
${streamed.map(functionsOf).join("")}`;
}

function functionsOf({ name, path, bodies, events }: Streamed): string {
  const event = `${camel(name)}Event`;
  const [{ model: first } = { model: "" }] = events;
  const reads = events
    .map(({ model, type }) => `    if event.get("type") == "${String(type)}":\n        return ${model}.from_dict(event)\n`)
    .join("");
  const arguments_ = `client: AuthenticatedClient, body: ${bodies.join(" | ")}`;
  return `

${event} = ${events.map(({ model }) => model).join(" | ")}


def _${name}_event(event: dict[str, Any]) -> ${event} | None:
${events.length === 1 ? `    return ${first}.from_dict(event)\n` : `${reads}    return None\n`}

def stream_${name}(${arguments_}) -> Iterator[${event}]:
    """POST ${path}, as a stream. Closing the iterator ends the call."""
    for event in stream(client, "${path}", body):
        known = _${name}_event(event)
        if known is not None:
            yield known


async def astream_${name}(${arguments_}) -> AsyncIterator[${event}]:
    """\`stream_${name}\` for asyncio."""
    async for event in astream(client, "${path}", body):
        known = _${name}_event(event)
        if known is not None:
            yield known
`;
}
