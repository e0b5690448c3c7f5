// A request of /v1/responses as a chat request: a pure translation. From here on both take the same path, with a request adapter that
// words errors anew.
import type { Context } from "../../context.ts";
import { ApiError, failParameter } from "../../errors/fail.ts";
import { chatAdapter, type ChatRequest } from "../chat/request.ts";
import type { RequestAdapter } from "../serve.ts";
import { UpstreamError } from "../../providers/errors/upstream-error.ts";
import type { ChatStream, ChatWhole } from "../../providers/verbs/chat.ts";
import { toMessages } from "./messages.ts";
import { asksLogprobs } from "./response-object.ts";
import { assertStateless } from "./stateless.ts";
import { chosenName, type OfferedTools, offerTools } from "./tools.ts";
import type { ChatFunction, InputItem, ResponseRequest } from "./types.ts";

export interface Translated {
  chat: ChatRequest;
  offered: OfferedTools;
  /** Maps paths in the chat request (content parts, `logprobs`) to paths in the request as it was sent. */
  origins: Map<string, string>;
}

/** `summaries`: those in its compaction items (compaction.ts). */
export function toChatRequest(request: ResponseRequest, summaries?: ReadonlyMap<InputItem, string>): Translated {
  assertStateless(request);
  const offered = offerTools(request);
  const { messages, origins } = toMessages(request, offered, summaries);
  origins.set("logprobs", request.top_logprobs ? "top_logprobs" : "include");
  const chosen = chooseTools(request.tool_choice, offered);
  const { model, stream, text, reasoning, max_output_tokens: cap } = request;
  const body = {
    model,
    messages,
    ...(stream === true ? { stream: true } : {}),
    // The older name, which every host knows; src/language/chat/upstream-body.ts lowers it under that name.
    ...(cap == null ? {} : { max_tokens: cap }),
    ...sent(request, ["temperature", "top_p", "presence_penalty", "frequency_penalty", "user", "safety_identifier"]),
    ...(asksLogprobs(request) ? { logprobs: true, ...sent(request, ["top_logprobs"]) } : {}),
    ...(text?.verbosity == null ? {} : { verbosity: text.verbosity }),
    ...(reasoning?.effort == null ? {} : { reasoning_effort: reasoning.effort }),
    ...chosen,
    ...(chosen.tools === undefined ? {} : sent(request, ["parallel_tool_calls"])),
    ...formatOf(text),
  };
  return { chat: { text: JSON.stringify(body), body: { ...body, routing: request.routing } }, offered, origins };
}

function sent<Key extends keyof ResponseRequest>(request: ResponseRequest, keys: readonly Key[]): Partial<Pick<ResponseRequest, Key>> {
  const given = keys.filter((key) => request[key] != null).map((key) => [key, request[key]]);
  return Object.fromEntries(given) as Partial<Pick<ResponseRequest, Key>>;
}

function formatOf(text: ResponseRequest["text"]): { response_format?: { type: string; json_schema?: object } } {
  const format = text?.format;
  if (format == null || format.type === "text") return {};
  if (format.type === "json_object") return { response_format: { type: "json_object" } };
  const { type, ...json_schema } = format;
  return { response_format: { type, json_schema } };
}

// Which of the offered tools the model may or must call, as chat's `tool_choice`. `allowed_tools` filters the tools themselves, since few
// hosts know it.

interface ChosenTools {
  tools?: ChatFunction[];
  tool_choice?: string | { type: "function"; function: { name: string } };
}

/** Without tools no choice is sent: hosts refuse a choice of nothing. */
function chooseTools(choice: ResponseRequest["tool_choice"], offered: OfferedTools): ChosenTools {
  if (choice == null) return toolsOf(offered.functions);
  if (typeof choice === "string") return chooseMode(choice, offered.functions, "tool_choice");
  switch (choice.type) {
    case "function":
    case "custom": {
      const name =
        chosenName(offered, choice.type, choice.name) ??
        failParameter("tool_choice", `${choice.name ?? "its tool"} is not among the tools`);
      return { tools: offered.functions, tool_choice: { type: "function", function: { name } } };
    }
    case "allowed_tools": {
      const names = new Set((choice.tools ?? []).map((tool) => chosenName(offered, tool["type"], tool["name"])));
      const allowed = offered.functions.filter((tool) => names.has(tool.function.name));
      return chooseMode(choice.mode ?? "auto", allowed, "tool_choice.mode");
    }
    default:
      return failParameter("tool_choice.type", `tools of type ${choice.type.slice(0, 60)} are not run here`);
  }
}

function chooseMode(mode: string, tools: ChatFunction[], param: string): ChosenTools {
  if (mode !== "auto" && mode !== "none" && mode !== "required") failParameter(param, "it must be none, auto or required");
  if (mode === "required" && tools.length === 0) failParameter(param, "there is no tool that could be called");
  return tools.length === 0 ? {} : { tools, tool_choice: mode };
}

function toolsOf(tools: ChatFunction[]): ChosenTools {
  return tools.length === 0 ? {} : { tools };
}

// The request adapter of /v1/responses: that of chat, with errors that name the fields of the original request.

export function responseAdapter(context: Pick<Context, "providers">, { chat, origins }: Translated): RequestAdapter<ChatWhole, ChatStream> {
  const adapter = chatAdapter(context, chat);
  return {
    ...adapter,
    largeBy: adapter.largeBy == null ? null : ownParam(adapter.largeBy, origins),
    assertFits(model) {
      try {
        adapter.assertFits(model);
      } catch (error) {
        throw error instanceof ApiError ? renamed(error, origins) : error;
      }
    },
    async call(tried) {
      try {
        return await adapter.call(tried);
      } catch (error) {
        if (!(error instanceof UpstreamError) || error.param === null) throw error;
        const { fault, reason, status, retryAfterMs } = error;
        throw new UpstreamError(fault, reason, { status, retryAfterMs, param: ownParam(error.param, origins), cause: error });
      }
    },
  };
}

const ownNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    response_format: "text.format",
    verbosity: "text.verbosity",
    reasoning_effort: "reasoning.effort",
    max_tokens: "max_output_tokens",
    max_completion_tokens: "max_output_tokens",
  }),
);

/** A message that came from several items is simply `input`. */
function ownParam(param: string, origins: ReadonlyMap<string, string>): string {
  const own = origins.get(param) ?? ownNames.get(param);
  return own ?? (param.startsWith("messages") ? "input" : param);
}

function renamed({ code, details }: ApiError, origins: ReadonlyMap<string, string>): ApiError {
  if (details.param == null) return new ApiError(code, details);
  const param = ownParam(details.param, origins);
  return new ApiError(code, { ...details, param, ...(details.text?.param === undefined ? {} : { text: { ...details.text, param } }) });
}
