// The tools of a request as chat functions: custom tools and namespaces are bridged; tools that providers run themselves are dropped or
// refused (spec/responses/responses-request.tsp says which).
import { fail, failParameter } from "../../errors/fail.ts";
import { shortName } from "../../providers/translation/tool-names.ts";
import type { Callable, ChatFunction, ResponseRequest, Tool } from "./types.ts";

export interface OfferedTools {
  functions: ChatFunction[];
  /** By the name that the model sees. */
  callables: Map<string, Callable>;
  /** The names that the model sees, by namespace and name as JSON: a map, because long histories call many tools. */
  seenBySource: Map<string, string>;
  /** The same by kind and name, the first of each: a tool choice names no namespace. */
  seenByKind: Map<string, string>;
  /** The tools of the request except those that were dropped. */
  shown: Tool[];
}

/** Agents send these whether they need them or not. */
const leftOut = /^(web_search|web_search_preview|image_generation|tool_search)(_\d{4}_\d{2}_\d{2})?$/;

/** The longest function name that hosts accept. */
const nameMax = 64;

/** Those of the request and, where newer agents put them, of its items. */
export function offerTools({ tools, input }: Pick<ResponseRequest, "tools" | "input">): OfferedTools {
  const offered: OfferedTools = {
    functions: [],
    callables: new Map(),
    seenBySource: new Map(),
    seenByKind: new Map(),
    shown: [],
  };
  offered.shown = offerList(offered, tools ?? [], "tools");
  if (typeof input !== "string")
    input.forEach((item, index) => {
      if (item.type === "additional_tools") offerList(offered, item.tools ?? [], `input[${index}].tools`);
    });
  return offered;
}

/** Returns the tools that were not dropped. */
function offerList(offered: OfferedTools, tools: readonly Tool[], path: string): Tool[] {
  return tools.filter((tool, index) => {
    if (leftOut.test(tool.type)) return false;
    const param = `${path}[${index}]`;
    if (tool.type === "namespace") offerNamespace(offered, tool, param);
    else offerTool(offered, tool, null, param);
    return true;
  });
}

/** The name that the model sees for a tool of an earlier turn. */
export function functionName({ seenBySource }: OfferedTools, namespace: string | null, name: string): string {
  return seenBySource.get(keyOf(namespace, name)) ?? joinedName(namespace, name);
}

/** The name that the model sees for the tool that a choice names; undefined if it is not offered. */
export function chosenName({ seenByKind }: OfferedTools, kind: unknown, name: unknown): string | undefined {
  return seenByKind.get(keyOf(kind, name));
}

function keyOf(...parts: unknown[]): string {
  return JSON.stringify(parts);
}

/** The namespace's description stands once, in that of its first tool. */
function offerNamespace(offered: OfferedTools, { name, description, tools = [] }: Tool, param: string): void {
  const namespace = nameOf(name, param);
  tools.forEach((tool, index) => {
    const told = index === 0 && description ? { ...tool, description: [description, tool.description].filter(Boolean).join("\n\n") } : tool;
    offerTool(offered, told, namespace, `${param}.tools[${index}]`);
  });
}

function offerTool(offered: OfferedTools, tool: Tool, namespace: string | null, param: string): void {
  const { type, description, parameters, strict } = tool;
  if (type !== "function" && type !== "custom") failParameter(`${param}.type`, `tools of type ${type.slice(0, 60)} are not run here`);
  const name = nameOf(tool.name, param);
  const seen = joinedName(namespace, name);
  if (offered.callables.has(seen)) failParameter(`${param}.name`, `two tools are named ${seen}`);
  offered.callables.set(seen, { kind: type, name, namespace });
  offered.seenBySource.set(keyOf(namespace, name), seen);
  const kind = keyOf(type, name);
  if (!offered.seenByKind.has(kind)) offered.seenByKind.set(kind, seen);
  offered.functions.push({
    type: "function",
    function:
      type === "custom"
        ? { name: seen, description: customDescription(tool), parameters: customParameters }
        : {
            name: seen,
            ...(description == null ? {} : { description }),
            ...(parameters == null ? {} : { parameters }),
            ...(strict == null ? {} : { strict }),
          },
  });
}

function nameOf(name: string | undefined, param: string): string {
  return name ?? fail("missing_parameter", { param: `${param}.name`, text: { param: `${param}.name` } });
}

function joinedName(namespace: string | null, name: string): string {
  if (namespace === null) return name;
  const whole = namespace.endsWith("__") ? namespace + name : `${namespace}__${name}`;
  return shortName(whole, nameMax, 8);
}

const customParameters = {
  type: "object",
  properties: { input: { type: "string", description: "The whole input of the tool, as plain text." } },
  required: ["input"],
  additionalProperties: false,
};

function customDescription({ description, format }: Tool): string {
  const { type, syntax, definition } = (format ?? {}) as { type?: unknown; syntax?: unknown; definition?: unknown };
  const grammar =
    type === "grammar" && typeof definition === "string"
      ? `The input must follow this grammar${typeof syntax === "string" ? ` (${syntax})` : ""}:\n${definition}`
      : null;
  return [description, grammar].filter(Boolean).join("\n\n");
}
