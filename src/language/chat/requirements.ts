// What a request needs of a model, whether a model declares it, and how a chat request states it.
import type { Model } from "../../catalog/types.ts";
import { fail, failParameter } from "../../errors/fail.ts";

export interface Requirements {
  /** The field that brings tools; null without tools. */
  tools: string | null;
  /** The field that asks for structured output; null where none does. */
  structured: string | null;
  /** The first content part of each kind other than text. */
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
  /** The older way to send tools; the contract has no schema for it. */
  functions?: unknown;
  response_format?: { type?: string } | null;
}

export function requirementsOf(body: ChatFields): Requirements {
  const parts: Requirements["parts"] = [];
  body.messages.forEach(({ content }, m) => {
    if (!Array.isArray(content)) return;
    content.forEach((part: { type?: string }, p) => {
      const kind = kindOfPart.get(part?.type);
      if (kind !== undefined && !parts.some((one) => one.kind === kind)) parts.push({ kind, param: `messages[${m}].content[${p}]` });
    });
  });
  const format = body.response_format?.type;
  return {
    tools: (["tools", "functions"] as const).find((field) => isFilled(body[field])) ?? null,
    structured: format !== undefined && format !== "text" ? "response_format" : null,
    parts,
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

/** Whether the model may answer instead of the one that was asked for. */
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
