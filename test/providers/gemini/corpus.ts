// Answers in the shapes that Google publishes, and what each becomes.
import { aiSdk, content, details, firebase, model, type Row } from "./corpus-row.ts";

export const answers: Row[] = [
  {
    name: "a cached prompt, and thoughts that are not shown",
    source: firebase("vertexai/unary-success-implicit-caching.json"),
    answer: {
      candidates: [{ content: content({ text: "Towards the sea." }), finishReason: "STOP", index: 0 }],
      usageMetadata: {
        ...{ promptTokenCount: 12_013, candidatesTokenCount: 15, totalTokenCount: 12_101, cachedContentTokenCount: 11_243 },
        ...{ promptTokensDetails: details(12_013), cacheTokensDetails: details(11_243), thoughtsTokenCount: 73 },
      },
      modelVersion: "gemini-2.5-flash",
    },
    usage: [770, 11_243, 88, 73],
    told: { content: "Towards the sea.", finish: "stop" },
  },
  {
    name: "tokens that a tool of the provider's put into the prompt",
    source: aiSdk("google-tool-use-usage.json"),
    answer: {
      candidates: [{ content: content({ text: "" }), finishReason: "STOP", index: 0 }],
      usageMetadata: {
        ...{ promptTokenCount: 55, candidatesTokenCount: 51, totalTokenCount: 251, toolUsePromptTokenCount: 89, thoughtsTokenCount: 56 },
        ...{ promptTokensDetails: details(55), toolUsePromptTokensDetails: details(89), serviceTier: "standard" },
      },
      ...model,
    },
    usage: [144, 0, 107, 56],
    told: { content: null, finish: "stop" },
  },
  {
    name: "a stream that ends with an empty, signed text",
    source: aiSdk("google-stream-gemini-3.7-flash-2026-09-14.chunks.txt"),
    records: [
      {
        candidates: [{ content: content({ text: "OK" }), index: 0 }],
        usageMetadata: {
          promptTokenCount: 6,
          candidatesTokenCount: 1,
          totalTokenCount: 57,
          thoughtsTokenCount: 50,
          promptTokensDetails: details(6),
        },
        ...model,
      },
      {
        candidates: [{ content: content({ text: "", thoughtSignature: "Es0CCsoC" }), finishReason: "STOP", index: 0 }],
        usageMetadata: {
          promptTokenCount: 6,
          candidatesTokenCount: 1,
          totalTokenCount: 57,
          thoughtsTokenCount: 50,
          promptTokensDetails: details(6),
        },
        ...model,
      },
    ],
    usage: [6, 0, 51, 50],
    told: { content: "OK", finish: "stop" },
  },
  {
    name: "thoughts, then a signed call in the record that ends the stream",
    source: firebase("googleai/streaming-success-thinking-function-call-thought-summary-signature.txt"),
    records: [
      {
        candidates: [{ content: content({ text: "**Days**\n\nI need today's date.\n\n\n", thought: true }), index: 0 }],
        usageMetadata: { promptTokenCount: 38, totalTokenCount: 106, promptTokensDetails: details(38), thoughtsTokenCount: 68 },
        ...model,
      },
      {
        candidates: [
          {
            content: content({ functionCall: { name: "look", args: {} }, thoughtSignature: "CiIBVKhc7vB" }),
            finishReason: "STOP",
            index: 0,
          },
        ],
        usageMetadata: {
          ...{ promptTokenCount: 38, candidatesTokenCount: 6, totalTokenCount: 212, thoughtsTokenCount: 168 },
          promptTokensDetails: details(38),
        },
        ...model,
      },
    ],
    usage: [38, 0, 174, 168],
    told: { reasoning: "**Days**\n\nI need today's date.\n\n\n", calls: [["look", "{}"]], finish: "tool_calls" },
  },
  {
    name: "a call whose stream ends in a record of its own",
    source: aiSdk("google-tool-call-gemini3.chunks.txt"),
    records: [
      {
        candidates: [
          { content: content({ functionCall: { name: "look", args: { location: "Oslo" } }, thoughtSignature: "EpEgCo4g" }), index: 0 },
        ],
        usageMetadata: { promptTokenCount: 29, candidatesTokenCount: 15, totalTokenCount: 848, thoughtsTokenCount: 804 },
        ...model,
      },
      {
        candidates: [{ content: content({ text: "" }), finishReason: "STOP", index: 0 }],
        usageMetadata: { promptTokenCount: 29, candidatesTokenCount: 15, totalTokenCount: 848, thoughtsTokenCount: 804 },
        ...model,
      },
    ],
    usage: [29, 0, 819, 804],
    told: { calls: [["look", '{"location":"Oslo"}']], finish: "tool_calls" },
  },
  {
    name: "parallel calls of different tools, without usage",
    source: firebase("vertexai/unary-success-function-call-different-parallel-calls.json"),
    answer: {
      candidates: [
        {
          content: content(
            { functionCall: { name: "sum", args: { y: 1, x: 2 } } },
            { functionCall: { name: "multiply", args: { y: 3, x: 4 } } },
            { functionCall: { name: "subtract", args: { y: 5, x: 6 } } },
          ),
          finishReason: "STOP",
          index: 0,
        },
      ],
    },
    usage: null,
    told: {
      content: null,
      calls: [
        ["sum", '{"y":1,"x":2}'],
        ["multiply", '{"y":3,"x":4}'],
        ["subtract", '{"y":5,"x":6}'],
      ],
      finish: "tool_calls",
    },
  },
  {
    name: "a stream that is stopped for recitation, its last record without content",
    source: firebase("googleai/streaming-failure-recitation-no-content.txt"),
    records: [
      {
        candidates: [{ content: content({ text: "It was the best" }) }],
        usageMetadata: { promptTokenCount: 9, totalTokenCount: 9, promptTokensDetails: details(9) },
        modelVersion: "gemini-3.1-flash-lite",
      },
      {
        candidates: [
          {
            finishReason: "RECITATION",
            citationMetadata: { citationSources: [{ startIndex: 7, endIndex: 15, uri: "https://example.com/" }] },
          },
        ],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 261, totalTokenCount: 270, promptTokensDetails: details(9) },
        modelVersion: "gemini-3.1-flash-lite",
      },
    ],
    usage: [9, 0, 261, 0],
    told: { content: "It was the best", finish: "content_filter" },
  },
  {
    name: "an end whose content has no parts",
    source: firebase("googleai/streaming-success-no-content-parts.txt"),
    records: [
      {
        candidates: [{ content: content({ text: "I will draw a pig." }), index: 0 }],
        usageMetadata: { promptTokenCount: 34, candidatesTokenCount: 17, totalTokenCount: 51, promptTokensDetails: details(34) },
      },
      {
        candidates: [{ content: { role: "model" }, finishReason: "STOP", index: 0 }],
        usageMetadata: { promptTokenCount: 34, candidatesTokenCount: 1_370, totalTokenCount: 1_404, promptTokensDetails: details(34) },
      },
    ],
    usage: [34, 0, 1_370, 0],
    told: { content: "I will draw a pig.", finish: "stop" },
  },
  {
    name: "an answer that was filtered before its first word",
    source: firebase("googleai/unary-failure-finish-reason-safety.txt"),
    answer: {
      candidates: [{ finishReason: "SAFETY", index: 0, safetyRatings: [{ category: "HARM_CATEGORY_HARASSMENT", probability: "MEDIUM" }] }],
      usageMetadata: { promptTokenCount: 9, totalTokenCount: 9, promptTokensDetails: details(9) },
      modelVersion: "gemini-2.0-flash",
    },
    usage: [9, 0, 0, 0],
    told: { content: null, finish: "content_filter" },
  },
];
