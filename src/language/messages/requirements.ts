// What a message request needs of a model, and what no model here can do.
import type { ServerTool } from "../../../generated/withheld-fields.ts";
import type { Model } from "../../catalog/types.ts";
import { fail, failParameter } from "../../errors/fail.ts";
import { arrayOf, count, objectOf, textOf } from "../../providers/json/read.ts";
import { type JsonText, spliceJson } from "../../providers/json/splice.ts";
import { type DocumentBlock, isKnown, type KnownBlock, type WithoutNulls } from "../../providers/translation/message-types.ts";
import type { PartKind, Requirements } from "../chat/request.ts";
import type { PromptSize } from "../prompt-size.ts";
import { serverTools } from "../../usage.ts";
import { sellsTool, serverToolOf } from "../withheld-fields.ts";

interface MessageFields {
  messages: readonly { content: string | readonly { type: string }[] }[];
  tools?: readonly { type?: string | null; input_schema?: unknown; max_uses?: number | null }[];
  output_config?: { format?: unknown } | null;
  context_management?: unknown;
  compaction?: unknown;
}

interface MessageRequirements extends Requirements {
  /** The first thing that nothing here can read: blocks of unknown kinds, stored files, tools that a provider runs itself. */
  unreadable: { kind: string; param: string } | null;
  /** The first thing that only upstreams of the same dialect can read: a document given by its address, what a provider's tools found. */
  native: { kind: string; param: string } | null;
  /** The provider is to summarize a conversation of so many tokens or more; null: it is not. */
  summaryFrom: number | null;
  /** The tools that the provider may run. */
  serverTools: AskedTool[];
}

interface AskedTool {
  tool: ServerTool;
  kind: string;
  param: string;
  maxUses: number | null;
}

export function messageRequirements(body: MessageFields): MessageRequirements {
  const tool = body.tools?.findIndex((one) => one.type != null && one.type !== "custom" && serverToolOf(one) === null) ?? -1;
  const asked = (body.tools ?? []).flatMap((one, index): AskedTool[] => {
    const serverTool = serverToolOf(one);
    return serverTool === null
      ? []
      : [{ tool: serverTool, kind: `${one.type} tool`, param: `tools[${index}]`, maxUses: one.max_uses ?? null }];
  });
  const needs: MessageRequirements = {
    tools: (body.tools?.length ?? 0) > 0 ? "tools" : null,
    structured: body.output_config?.format == null ? null : "output_config.format",
    parts: [],
    unreadable: tool === -1 ? null : { kind: `${shownKind(body.tools![tool]!.type ?? "")} tool`, param: `tools[${tool}]` },
    native: asked[0] ?? null,
    summaryFrom: summaryFrom(body),
    serverTools: asked,
  };
  body.messages.forEach(({ content }, index) => readBlocks(content, `messages[${index}].content`, needs));
  return needs;
}

/** Where the request names no number. */
const usualTrigger = 150_000;

function summaryFrom({ context_management: management, compaction }: MessageFields): number | null {
  if (objectOf(compaction)["type"] === "summarize") return 0;
  const edits = arrayOf(objectOf(management)["edits"]).map(objectOf);
  const edit = edits.find(({ type }) => textOf(type)?.startsWith("compact_") === true);
  return edit === undefined ? null : (count(objectOf(edit["trigger"])["value"]) ?? usualTrigger);
}

/** Whether the model's provider may summarize the conversation before it answers. What its tools bring makes it longer than it came. */
export function mayBeSummarized(
  model: Model,
  { summaryFrom: from, serverTools }: MessageRequirements,
  { tokensMax, images }: Pick<PromptSize, "tokensMax" | "images">,
): boolean {
  if (from === null || !model.routes.some(({ provider }) => ["anthropic", "vertex"].includes(provider.protocol))) return false;
  return serverTools.length > 0 || tokensMax + images * model.imageTokensMax >= from;
}

/** Keeps error sentences from repeating a whole document, and from naming nothing. */
export function shownKind(kind: string): string {
  return kind.trim() === "" ? "untyped" : kind.slice(0, 60);
}

/** Refuses a caller's own tool without a schema of its arguments: every upstream rejects it. */
export function assertSchemas(tools: MessageFields["tools"]): void {
  const index = tools?.findIndex(({ type, input_schema }) => (type == null || type === "custom") && input_schema === undefined) ?? -1;
  const param = `tools[${index}].input_schema`;
  if (index !== -1) fail("missing_parameter", { param, text: { param } });
}

export function assertReadable(model: Model, { unreadable, native, serverTools }: MessageRequirements): void {
  const unsold = serverTools.find(({ tool }) => !sellsTool(model, tool, "tools"));
  const missing = unreadable ?? unsold ?? (native !== null && !speaksMessages(model) ? native : null);
  if (missing !== null) fail("unsupported_content", { param: missing.param, text: { model: model.id, kind: missing.kind } });
  const unbounded = serverTools.find((asked) => callsMax(model, asked) === null);
  if (unbounded !== undefined) failParameter(`${unbounded.param}.max_uses`, "it must say how many calls may be charged");
}

/** The same as a question, for a model that may answer instead. */
export function reads(other: Model, { native, serverTools }: MessageRequirements): boolean {
  if (native !== null && !speaksMessages(other)) return false;
  return serverTools.every((asked) => sellsTool(other, asked.tool, "tools") && callsMax(other, asked) !== null);
}

/** How often the provider may run a tool with that `max_uses`; null: nothing says. */
export function callsMax({ tokens }: Pick<Model, "tokens">, { tool, maxUses }: Pick<AskedTool, "tool" | "maxUses">): number | null {
  const max = tokens?.serverTools[tool]?.max ?? null;
  return maxUses === null || max === null ? (maxUses ?? max) : Math.min(maxUses, max);
}

function speaksMessages({ routes }: Pick<Model, "routes">): boolean {
  return routes.some(({ provider }) => provider.protocol === "anthropic");
}

function readBlocks(content: string | readonly { type: string }[], path: string, needs: MessageRequirements, insideResult = false): void {
  if (typeof content === "string") return;
  content.forEach((block, index) => {
    const param = `${path}[${index}]`;
    // What the caller's own search found may stand in its result and nowhere else.
    if (isKnown(block) && (block.type !== "tool_reference" || insideResult)) readBlock(block, param, needs);
    else needs.unreadable ??= { kind: shownKind(block.type), param };
  });
}

const nativeBlocks: ReadonlySet<string> = new Set<KnownBlock["type"]>([
  "server_tool_use",
  "web_search_tool_result",
  "web_fetch_tool_result",
  "compaction",
]);

function readBlock(block: KnownBlock, param: string, needs: MessageRequirements): void {
  if (block.type === "server_tool_use" && !Object.hasOwn(serverTools, block.name))
    needs.unreadable ??= { kind: shownKind(block.name), param };
  else if (nativeBlocks.has(block.type)) needs.native ??= { kind: block.type, param };
  else if (block.type === "image") {
    if (block.source.type === "file") needs.unreadable ??= { kind: "stored file", param };
    else note("image", param, needs);
  } else if (block.type === "document") readDocument(block, param, needs);
  else if (block.type === "tool_result" && block.content != null) readBlocks(block.content, `${param}.content`, needs, true);
}

/** A document made of texts counts as text. */
function readDocument({ source }: DocumentBlock, param: string, needs: MessageRequirements): void {
  if (source.type === "file") needs.unreadable ??= { kind: "stored file", param };
  else if (source.type === "content") readBlocks(source.content, `${param}.source.content`, needs);
  else if (source.type !== "text") {
    note("file", param, needs);
    if (source.type === "url") needs.native ??= { kind: "document url", param };
  }
}

function note(kind: PartKind, param: string, { parts }: MessageRequirements): void {
  if (!parts.some((part) => part.kind === kind)) parts.push({ kind, param });
}

// Drops a message request's members that are null: some clients write null for "not given", and upstreams of the dialect reject it.

export function givenFields<Body extends object>(body: Body): WithoutNulls<Body> {
  const nulls = nullsOf(body);
  if (nulls.length === 0) return body as WithoutNulls<Body>;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) as WithoutNulls<Body>;
}

/** The same for the request's text. */
export function givenText(body: object, text: JsonText): JsonText {
  const nulls = nullsOf(body);
  return nulls.length === 0 ? text : spliceJson(text, Object.fromEntries(nulls.map((key) => [key, null])));
}

function nullsOf(body: object): string[] {
  return Object.entries(body).flatMap(([key, value]) => (value === null ? [key] : []));
}
