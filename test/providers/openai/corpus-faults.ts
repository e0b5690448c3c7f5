// Errors of OpenAI and of hosts that speak like it, in the shapes that are published, and the fault that each is.
import { aiSdk, chunk, error, look, recorded, type Row } from "./corpus-row.ts";

const codes = "https://platform.openai.com/docs/guides/error-codes";

export const faults: Row[] = [
  {
    name: "an unknown model",
    source: recorded("test_model_name_suggestions/test_model_name_suggestion[openai-chat]"),
    ...error(404, "model_not_found", "The model `gpt-5.2-proo` does not exist or you do not have access to it."),
    fault: "gone",
  },
  {
    name: "a role that the model doesn't take",
    source: recorded("test_openai/test_openai_o1_mini_system_role[developer]"),
    ...error(400, "unsupported_value", "Unsupported value: 'messages[0].role' does not support 'developer' with this model.", {
      param: "messages[0].role",
    }),
    fault: "rejected",
    reason: "Unsupported value: 'messages[0].role' does not support 'developer' with this model.",
  },
  {
    name: "searches that the model can't make",
    source: recorded("test_openai/test_openai_web_search_tool_model_not_supported"),
    ...error(400, null, "Web search options not supported with this model.", { param: "web_search_options" }),
    fault: "rejected",
  },
  {
    name: "a field of older models",
    source: aiSdk("reasoning-model-legacy-parameter-error.json"),
    ...error(
      400,
      "unsupported_parameter",
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      {
        param: "max_tokens",
      },
    ),
    fault: "rejected",
  },
  {
    name: "a call that the model made wrongly",
    source: recorded("test_groq/test_tool_use_failed_error"),
    ...error(400, "tool_use_failed", "Tool call validation failed: parameters for tool look did not match schema", {
      failed_generation: "{}",
    }),
    fault: "rejected",
  },
  {
    name: "a text, then a call that the model made wrongly, in a stream: the text is an answer",
    source: recorded("test_groq/test_tool_use_failed_error_streaming_with_text"),
    records: [
      chunk({ role: "assistant", content: "The sea" }),
      {
        error: {
          message: "Tool choice is required, but model did not call a tool",
          type: "invalid_request_error",
          code: "tool_use_failed",
          status_code: 400,
        },
      },
    ],
    usage: null,
    told: { content: "The sea", finish: "stop" },
  },
  {
    name: "a call that the model made wrongly, in a stream that had begun",
    source: recorded("test_groq/test_tool_use_failed_error_streaming_with_text"),
    records: [
      chunk({ role: "assistant", content: "" }),
      { error: { message: "x", type: "invalid_request_error", code: "tool_use_failed" } },
    ],
    fault: "unreadable",
  },
  ...[true, false].flatMap((streamed): Row[] => {
    const source = "https://github.com/BerriAI/litellm/pull/23366";
    const end = { native_finish_reason: "MALFORMED_FUNCTION_CALL" };
    const name = `whose model called wrongly, behind OpenRouter, ${streamed ? "streamed" : "whole"}`;
    const of = (content: string, calls: object[] = []): Partial<Row> => {
      const said = { role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
      const ended = (part: object) => ({ id: "gen-1", choices: [{ index: 0, ...part, finish_reason: "error", ...end }] });
      return streamed ? { records: [chunk(said), ended({ delta: {} })] } : { answer: ended({ message: said }) };
    };
    return [
      { name: `a text ${name}`, source, ...of("The sea"), usage: null, told: { content: "The sea", finish: "stop" } },
      {
        name: `a call ${name}`,
        source,
        ...of("", [{ index: 0, ...look("c1", "{}") }]),
        usage: null,
        told: { calls: [["look", "{}"]], finish: "length" },
      },
      { name: `nothing ${name}`, source, ...of(""), fault: "unreadable" },
    ];
  }),
  {
    name: "a busy provider behind another",
    source: recorded("test_openrouter/test_openrouter_errors_raised"),
    status: 429,
    answer: {
      error: {
        code: 429,
        message: "Provider returned error",
        metadata: { provider_name: "Google", raw: "temporarily rate-limited upstream" },
      },
    },
    fault: "rate_limited",
  },
  {
    name: "a wrong key",
    source: codes,
    ...error(401, "invalid_api_key", "Incorrect API key provided."),
    fault: "our_fault",
  },
  {
    name: "a quota that is spent",
    source: codes,
    ...error(429, "insufficient_quota", "You exceeded your current quota, please check your plan and billing details.", {
      type: "insufficient_quota",
    }),
    fault: "our_fault",
  },
  {
    name: "an overload",
    source: codes,
    ...error(503, null, "The engine is currently overloaded, please try again later.", { type: "server_error" }),
    fault: "unavailable",
  },
];
