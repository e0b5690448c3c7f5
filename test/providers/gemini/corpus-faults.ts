// Errors and refusals in the shapes that Google publishes, and the fault that each is.
import { expect } from "vitest";
import { aiSdk, content, details, failure, firebase, genai, model, type Row } from "./corpus-row.ts";

export const faults: Row[] = [
  {
    name: "a prompt that was blocked",
    source: aiSdk("issue-19758-prompt-block.json"),
    answer: {
      promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
      usageMetadata: { promptTokenCount: 9, totalTokenCount: 9, promptTokensDetails: details(9), serviceTier: "standard" },
      ...model,
    },
    fault: "refused",
    reason: "The prompt was blocked by the content policy (PROHIBITED_CONTENT).",
  },
  {
    name: "a prompt that was blocked, in a stream",
    source: aiSdk("issue-19758-prompt-block.chunks.txt"),
    records: [{ promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 }, ...model }],
    fault: "refused",
    reason: "The prompt was blocked by the content policy (SAFETY).",
  },
  {
    name: "an internal error as a candidate",
    source: firebase("googleai/unary-failure-with-message-no-content.json"),
    answer: { candidates: [{ finishReason: "OTHER", finishMessage: "Model failed to generate content due to internal error." }] },
    fault: "unreadable",
  },
  {
    name: "a rate limit, with how long to wait",
    source: aiSdk("google-429-retry-info.json"),
    status: 429,
    answer: failure(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan.", {
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.QuotaFailure",
          violations: [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel" }],
        },
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.4s" },
      ],
    }),
    fault: "rate_limited",
    retryAfterMs: 34_400,
  },
  {
    name: "a key that is not valid",
    source: firebase("googleai/unary-failure-api-key.txt"),
    status: 400,
    answer: failure(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", {
      details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID", domain: "googleapis.com" }],
    }),
    fault: "our_fault",
  },
  {
    name: "an API that is not enabled",
    source: firebase("googleai/unary-failure-generativelanguage-api-not-enabled.json"),
    status: 403,
    answer: failure(403, "PERMISSION_DENIED", "Generative Language API has not been used in project 12345678 before or it is disabled.", {
      details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "SERVICE_DISABLED", domain: "googleapis.com" }],
    }),
    fault: "our_fault",
  },
  {
    name: "an unknown model",
    source: firebase("googleai/unary-failure-unknown-model.txt"),
    status: 404,
    answer: failure(404, "NOT_FOUND", "models/gemini-5.0-flash is not found for API version v1, or is not supported for generateContent."),
    fault: "gone",
  },
  {
    name: "a level of thinking that the model doesn't have",
    source: aiSdk("google-thinking-level-minimal-unsupported.json"),
    status: 400,
    answer: failure(
      400,
      "INVALID_ARGUMENT",
      "Thinking level MINIMAL is not supported for this model. Please retry with other thinking level.",
    ),
    fault: "rejected",
    reason: expect.stringContaining("Thinking level MINIMAL is not supported") as string,
  },
  {
    name: "a country that is not served",
    source: "https://ai.google.dev/gemini-api/docs/troubleshooting, FAILED_PRECONDITION",
    status: 400,
    answer: failure(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
    fault: "our_fault",
  },
  {
    name: "an overload, as an array of one",
    source: "https://ai.google.dev/gemini-api/docs/troubleshooting, UNAVAILABLE",
    status: 503,
    answer: [failure(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")],
    fault: "unavailable",
  },
  {
    name: "a call of a tool that was not declared, beside nothing else: the caller's to answer",
    source: "pydantic-ai: test_multimodal_tool_returns/test_multimodal_tool_return_matrix[direct-binary-audio-google_vertex].yaml",
    answer: {
      candidates: [
        {
          content: content({ functionCall: { name: "list_files", args: {} } }),
          ...{
            finishReason: "UNEXPECTED_TOOL_CALL",
            finishMessage: "Unexpected tool call: Model tried to call an undeclared function: list_files",
          },
        },
      ],
      ...model,
    },
    told: { calls: [["list_files", "{}"]], finish: "tool_calls" },
    usage: null,
  },
  {
    name: "a call that is malformed, in a stream",
    source: genai("FinishReason, MALFORMED_FUNCTION_CALL"),
    records: [{ candidates: [{ content: { role: "model" }, finishReason: "MALFORMED_FUNCTION_CALL", index: 0 }], ...model }],
    fault: "unreadable",
  },
  ...["MALFORMED_FUNCTION_CALL", "TOO_MANY_TOOL_CALLS", "MALFORMED_RESPONSE"].flatMap((finishReason): Row[] => {
    const usageMetadata = { promptTokenCount: 12, candidatesTokenCount: 2, totalTokenCount: 14 };
    const end = { finishReason, index: 0 };
    const row = { source: genai(`FinishReason, ${finishReason}`), usage: [12, 0, 2, 0] as [number, number, number, number] };
    return [
      {
        ...{ name: `a text, then ${finishReason}`, ...row, told: { content: "The sea.", finish: "stop" } },
        answer: { candidates: [{ content: content({ text: "The sea." }), ...end }], usageMetadata, ...model },
      },
      {
        ...{ name: `a text, then ${finishReason}, in a stream`, ...row, told: { content: "The sea.", finish: "stop" } },
        records: [
          { candidates: [{ content: content({ text: "The sea." }), index: 0 }], ...model },
          { candidates: [{ content: { role: "model" }, ...end }], usageMetadata, ...model },
        ],
      },
    ];
  }),
  {
    name: "thoughts alone, then a malformed call: none of it was shown",
    source: genai("FinishReason, MALFORMED_FUNCTION_CALL"),
    answer: {
      candidates: [{ content: content({ text: "I look.", thought: true }), finishReason: "MALFORMED_FUNCTION_CALL", index: 0 }],
      ...model,
    },
    fault: "unreadable",
  },
  {
    name: "thoughts that were shown, then a malformed call, in a stream",
    source: genai("FinishReason, MALFORMED_FUNCTION_CALL"),
    records: [
      { candidates: [{ content: content({ text: "I look.", thought: true }), index: 0 }], ...model },
      { candidates: [{ content: { role: "model" }, finishReason: "MALFORMED_FUNCTION_CALL", index: 0 }], ...model },
    ],
    told: { reasoning: "I look.", finish: "stop" },
    usage: null,
  },
  {
    name: "an internal error",
    source: "https://ai.google.dev/gemini-api/docs/troubleshooting, INTERNAL",
    status: 500,
    answer: failure(500, "INTERNAL", "An internal error has occurred. Please retry."),
    fault: "unavailable",
  },
  {
    name: "a deadline that passed",
    source: "https://ai.google.dev/gemini-api/docs/troubleshooting, DEADLINE_EXCEEDED",
    status: 504,
    answer: failure(504, "DEADLINE_EXCEEDED", "The request timed out. Please try again."),
    fault: "unavailable",
  },
];
