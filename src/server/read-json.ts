// Turns the bytes of a JSON body into what a handler gets: parsed, validated against its operation's schema, its text ready to be sent
// on. Small bodies are read at once, big ones in a thread (parse-thread.ts).
import type { IncomingHttpHeaders } from "node:http";
import type { Operation, OperationId } from "../../generated/operations.ts";
import { bodies } from "../../generated/validators.js";
import type { JsonText } from "../providers/json/text.ts";
import { failInvalid } from "./invalid.ts";
import { parseBody } from "./parse-json.ts";

/** A model id goes to the log only where it looks like one: a prompt put into the wrong field must not. */
export function loggableModel(body: unknown): string | null {
  const model = typeof body === "object" && body !== null ? (body as { model?: unknown }).model : undefined;
  return typeof model === "string" && /^[\w.:/@-]{1,128}$/.test(model) ? model : null;
}

export interface JsonContent {
  /** As they came, without a byte order mark. */
  bytes: Buffer;
  text: JsonText;
  value: unknown;
  /** Of the value, roughly. */
  heapBytes: number;
}

export type ReadOperation = Pick<Operation, "id" | "bodies">;
export type ReadHeaders = Pick<IncomingHttpHeaders, "content-type" | "content-encoding">;

/** Calls `found` with the model before it refuses the body for its fields. Throws ApiError. */
export function readJson(
  { id, bodies: mediaTypes }: ReadOperation,
  headers: ReadHeaders,
  bytes: Buffer,
  found: (model: string | null) => void,
): JsonContent {
  const content = parseBody(bytes, headers, promptFields[id], mediaTypes);
  found(loggableModel(content.value));
  const validate = bodies[id];
  if (validate !== undefined && !validate(content.value)) failInvalid(validate.errors ?? []);
  return content;
}

// Which top-level fields of a body only go on to a model and are stored nowhere. They may hold a NUL: agents send what a command
// printed, and a history that can't be sent once is refused with every later turn. Prompts of media jobs are stored: src/jobs/plan-media.ts
// refuses theirs, under a code of its own.

const promptFields: Partial<Record<OperationId, readonly string[]>> = {
  createChatCompletion: ["messages"],
  createMessage: ["messages", "system"],
  countMessageTokens: ["messages", "system"],
  createResponse: ["input", "instructions"],
  createCompletion: ["prompt"],
  createEmbeddings: ["input"],
  createRerank: ["query", "documents"],
  createImage: ["prompt"],
  createVideo: ["prompt"],
  createDecision: ["state"],
  createSystemOneDecision: ["state"],
};
