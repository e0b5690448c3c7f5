// What a request asks of a model, and whether a model declares it (gateway-api.md, chat request table); here as a chat request says it.
import type { Model } from "../../catalog/types.ts";
import { fail, failParameter } from "../../errors/fail.ts";

export interface Requirements {
  /** The field that brings tools; null: none does. */
  tools: string | null;
  /** The field that asks for more than text; null: none does. */
  structured: string | null;
  /** First content part of each kind that is not text. */
  parts: { kind: PartKind; param: string }[];
}

export type PartKind = "image" | "audio" | "file" | "video";

const kindOfPart: ReadonlyMap<unknown, PartKind> = new Map([
  ["image_url", "image"],
  ["input_audio", "audio"],
  ["file", "file"],
  ["video_url", "video"],
]);

interface ChatFields {
  messages: readonly { content?: unknown }[];
  tools?: readonly unknown[] | null;
  /** The older form of tools; no schema has looked at it. */
  functions?: unknown;
  response_format?: { type?: string } | null;
}

export function requirementsOf(body: ChatFields): Requirements {
  const parts = new Map<PartKind, string>();
  body.messages.forEach(({ content }, m) => {
    if (!Array.isArray(content)) return;
    content.forEach((part: { type?: string }, p) => {
      const kind = kindOfPart.get(part?.type);
      if (kind !== undefined && !parts.has(kind)) parts.set(kind, `messages[${m}].content[${p}]`);
    });
  });
  const format = body.response_format?.type;
  return {
    tools: (["tools", "functions"] as const).find((field) => isFilled(body[field])) ?? null,
    structured: format !== undefined && format !== "text" ? "response_format" : null,
    parts: [...parts].map(([kind, param]) => ({ kind, param })),
  };
}

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}

/** Refuses what the model does not declare. */
export function assertDeclares(model: Model, needs: Requirements): void {
  if (needs.tools !== null && !model.supports.tools) failParameter(needs.tools, `${model.id} does not take tools`);
  if (needs.structured !== null && !model.supports.structuredOutputs)
    failParameter(needs.structured, `${model.id} does not give structured outputs`);
  const unreadable = needs.parts.find(({ kind }) => !reads(model, kind));
  if (unreadable !== undefined) fail("unsupported_content", { param: unreadable.param, text: { model: model.id, kind: unreadable.kind } });
}

/** May stand in for a model that was asked for. */
export function declares(model: Model, needs: Requirements): boolean {
  return (
    (needs.tools === null || model.supports.tools) &&
    (needs.structured === null || model.supports.structuredOutputs) &&
    needs.parts.every(({ kind }) => reads(model, kind))
  );
}

function reads(model: Model, kind: PartKind): boolean {
  return (kind === "image" && model.supports.vision) || model.row.input_modalities.includes(kind);
}
