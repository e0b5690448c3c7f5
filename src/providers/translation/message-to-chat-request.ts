// Translates a message request into a chat request (docs/behaviour/translation.md#requests). Pure: src/language/messages/request.ts has
// already dropped or lowered what the model doesn't take.
import type { Json } from "../json/read.ts";
import { chatMessages } from "./message-to-chat-turns.ts";
import type { MessageRequest, MessageTool } from "./message-types.ts";
import { shortId, type ToolNames } from "./tool-names.ts";

/** `names` remembers the names that had to be shortened. */
export function messageToChatRequest(request: MessageRequest, names: ToolNames): Json {
  return withoutUndefined({
    model: request.model,
    messages: chatMessages(request, names),
    ...toolFields(request, names),
    max_tokens: request.max_tokens,
    temperature: request.temperature,
    top_p: request.top_p,
    stop: request.stop_sequences?.length === 0 ? undefined : request.stop_sequences,
    user: userOf(request.metadata?.user_id),
    response_format: formatOf(request.output_config?.format),
    ...reasoningFields(request),
    // Always asked for: the call is billed by it.
    ...(request.stream === true ? { stream: true, stream_options: { include_usage: true } } : {}),
  });
}

function toolFields({ tools, tool_choice: choice }: MessageRequest, names: ToolNames): Json {
  if (tools === undefined || tools.length === 0) return {}; // hosts refuse a choice without tools
  const oneAtATime = choice !== undefined && "disable_parallel_tool_use" in choice && choice.disable_parallel_tool_use === true;
  return {
    tools: tools.map((tool) => chatTool(tool, names)),
    tool_choice: choice === undefined ? undefined : toolChoice(choice, names),
    parallel_tool_calls: oneAtATime ? false : undefined,
  };
}

function chatTool({ name, description, input_schema, strict }: MessageTool & { strict?: unknown }, names: ToolNames): Json {
  const tool = { name: names.short(name), description, parameters: input_schema, strict: strict === true ? true : undefined };
  return { type: "function", function: withoutUndefined(tool) };
}

function toolChoice(choice: NonNullable<MessageRequest["tool_choice"]>, names: ToolNames): unknown {
  if (choice.type === "tool") return { type: "function", function: { name: names.short(choice.name) } };
  return choice.type === "any" ? "required" : choice.type;
}

/** A budget wins over an effort (docs/behaviour/translation.md#reasoning); thinking without a cap has no effort of its own. */
function reasoningFields({ thinking, output_config }: MessageRequest): Json {
  const effort = output_config?.effort ?? undefined;
  if (thinking == null) return { reasoning_effort: effort };
  if (thinking.type === "disabled") return { reasoning_effort: "none" };
  if (thinking.type === "enabled" && thinking.budget_tokens !== undefined) return { reasoning: { max_tokens: thinking.budget_tokens } };
  return { reasoning_effort: effort ?? "medium" };
}

function formatOf(format: NonNullable<MessageRequest["output_config"]>["format"]): Json | undefined {
  return format == null ? undefined : { type: "json_schema", json_schema: { name: "response", schema: format.schema, strict: true } };
}

/** Hosts refuse longer ids, and Claude Code's are longer. */
const userMax = 64;

function userOf(id: string | null | undefined): string | undefined {
  return id == null || id === "" ? undefined : shortId(id, userMax);
}

function withoutUndefined(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
