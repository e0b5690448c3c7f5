// Errors of Bedrock in the shapes that are published, in answers and in streams, and the fault that each is.
import { expect } from "vitest";
import {
  began,
  type BedrockRow,
  botocore,
  called,
  closed,
  type Event,
  github,
  input,
  metadata,
  recorded,
  said,
  stopped,
  whole,
} from "./corpus-row.ts";

const named = (status: number, type: string, message: string) => ({
  status,
  headers: { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
  answer: { message },
});
const begun: Event[] = [began, said(0, "The sea")];
const told = { content: "The sea", finish: "" };

const statuses: BedrockRow[] = [
  {
    name: "too many tokens",
    source: github("aws-samples/amazon-bedrock-client-for-mac/issues/99"),
    ...named(429, "ThrottlingException", "Too many tokens, please wait before trying again."),
    fault: "rate_limited",
  },
  {
    name: "too many tokens of the day",
    source: github("minorun365/agent-book/issues/29"),
    ...named(429, "ThrottlingException", "Too many tokens per day, please wait before trying again."),
    fault: "rate_limited",
  },
  {
    name: "a model that isn't ready",
    source: botocore("ModelNotReadyException"),
    ...named(429, "ModelNotReadyException", "The model is not ready for inference."),
    fault: "unavailable",
  },
  {
    name: "a quota of the account",
    source: botocore("ServiceQuotaExceededException"),
    ...named(400, "ServiceQuotaExceededException", "Your request exceeds the service quota for your account."),
    fault: "our_fault",
  },
  {
    name: "a model that took too long",
    source: botocore("ModelTimeoutException"),
    ...named(408, "ModelTimeoutException", "Model has timed out in processing the request. Try your request again."),
    fault: "unavailable",
  },
  {
    name: "a model's own error",
    source: botocore("ModelErrorException"),
    ...named(424, "ModelErrorException", "The request failed due to an error while processing the model."),
    fault: "unavailable",
  },
  {
    name: "a busy service",
    source: botocore("ServiceUnavailableException"),
    ...named(503, "ServiceUnavailableException", "Bedrock is unable to process your request."),
    fault: "unavailable",
  },
  {
    name: "an internal error",
    source: botocore("InternalServerException"),
    ...named(500, "InternalServerException", "The system encountered an unexpected error during processing. Try your request again."),
    fault: "unavailable",
  },
  {
    name: "a model that the account was not given",
    source: github("anthropics/claude-code/issues/536"),
    ...named(403, "AccessDeniedException", "You don't have access to the model with the specified model ID."),
    fault: "our_fault",
  },
  {
    name: "a model at its end",
    source: github("aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/issues/708"),
    ...named(404, "ResourceNotFoundException", "This model version has reached the end of its life."),
    fault: "gone",
  },
  {
    name: "a model that was not used for long",
    source: github("awslabs/llmeter/issues/35"),
    ...named(
      404,
      "ResourceNotFoundException",
      "Access denied. This Model is marked by provider as Legacy and you have not been actively using the model in the last 15 days.",
    ),
    fault: "gone",
  },
  {
    name: "a model that is called by a profile only",
    source: github("langchain-ai/langchain-aws/issues/1019"),
    ...named(
      400,
      "ValidationException",
      "Invocation of model ID amazon.nova-2-lite-v1:0 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.",
    ),
    fault: "gone",
  },
  {
    name: "a model that is not called on demand",
    source: github("aws-samples/bedrock-chat/issues/508"),
    ...named(400, "ValidationException", "The provided model doesn't support on-demand throughput."),
    fault: "gone",
  },
  {
    name: "an unknown model",
    source: recorded("test_bedrock_error"),
    ...named(400, "ValidationException", "The provided model identifier is invalid."),
    fault: "gone",
  },
  {
    name: "an unknown model, whose error a proxy has stripped of its name",
    source: recorded("test_bedrock_streaming_error"),
    status: 400,
    answer: { message: "The provided model identifier is invalid." },
    fault: "gone",
  },
  {
    name: "a field that the model doesn't take",
    source: "pydantic-ai: test_multimodal_tool_returns/test_multimodal_tool_return_matrix[direct-binary-video-bedrock_claude].yaml",
    ...named(
      400,
      "ValidationException",
      "This model doesn't support the video content block that you provided. Update the content block and try again.",
    ),
    fault: "rejected",
    reason: "This model doesn't support the video content block that you provided. Update the content block and try again.",
  },
  {
    name: "a cap that is too high",
    source: github("RooCodeInc/Roo-Code/issues/248"),
    ...named(
      400,
      "ValidationException",
      "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value lower than 4096.",
    ),
    fault: "rejected",
    reason: expect.stringContaining("model limit of 4096"),
  },
  {
    name: "a token that has ended",
    source: "https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html",
    ...named(403, "ExpiredTokenException", "The security token included in the request is expired"),
    fault: "our_fault",
  },
];

const inStreams: BedrockRow[] = [
  {
    name: "a stream that is throttled before its first word",
    source: botocore("ConverseStreamOutput: throttlingException"),
    events: [["throttlingException", { message: "Too many requests, please wait before trying again." }]],
    fault: "rate_limited",
  },
  {
    name: "a stream whose request is refused",
    source: botocore("ConverseStreamOutput: validationException"),
    events: [began, ["validationException", { message: "Malformed input request, please reformat your input and try again." }]],
    fault: "rejected",
    reason: "Malformed input request, please reformat your input and try again.",
  },
  {
    name: "a stream that the service breaks off before its first word",
    source: botocore("ConverseStreamOutput: serviceUnavailableException"),
    events: [began, ["serviceUnavailableException", { message: "Bedrock is unable to process your request." }]],
    fault: "unavailable",
  },
  {
    name: "a stream that breaks in the model",
    source: github("vercel/ai/issues/19034"),
    events: [...begun, ["modelStreamErrorException", { message: "The model broke.", originalStatusCode: 424, originalMessage: "x" }]],
    told,
    fault: "unavailable",
  },
  {
    name: "a stream that breaks in the service",
    source: botocore("ConverseStreamOutput: internalServerException"),
    events: [...begun, ["internalServerException", { message: "The system encountered an unexpected error during processing." }]],
    told,
    fault: "unavailable",
  },
  {
    name: "an error that the service doesn't model",
    source: "https://smithy.io/2.0/aws/amazon-eventstream.html#unmodeled-error-events",
    events: [["error", { code: "InternalFailure", message: "An internal server error occurred" }]],
    fault: "unavailable",
  },
  {
    name: "a frame whose bytes were changed on the way",
    source: "https://smithy.io/2.0/aws/amazon-eventstream.html",
    events: begun,
    harm: (bytes) => Buffer.from(bytes.map((byte, at) => (at === 60 ? byte ^ 1 : byte))),
    fault: "unreadable",
  },
  {
    name: "a stream that ends inside a frame",
    source: "https://smithy.io/2.0/aws/amazon-eventstream.html#data-frame",
    events: [...begun, closed(0), stopped("end_turn")],
    harm: (bytes) => bytes.subarray(0, -80),
    told,
    fault: "unavailable",
  },
  {
    name: "a model whose output is malformed",
    source: botocore("StopReason: malformed_model_output"),
    answer: whole([{ text: "" }], "malformed_model_output", [9, 1]),
    fault: "unreadable",
  },
  {
    name: "a model whose output is malformed after a text",
    source: botocore("StopReason: malformed_model_output"),
    answer: whole([{ text: "The sea" }], "malformed_model_output", [9, 2]),
    told: { content: "The sea", finish: "stop" },
    usage: [9, 0, 0, 2],
  },
  {
    name: "a model whose call is malformed",
    source: botocore("StopReason: malformed_tool_use"),
    answer: whole([], "malformed_tool_use", [9, 1]),
    fault: "unreadable",
  },
  {
    name: "a call without its arguments beside a text: not the caller's to run",
    source: botocore("StopReason: malformed_tool_use"),
    answer: whole([{ text: "The sea" }, { toolUse: { toolUseId: "t1", name: "look", input: '{"at' } }], "malformed_tool_use", [9, 2]),
    told: { content: "The sea", finish: "stop" },
    usage: [9, 0, 0, 2],
  },
  {
    name: "a call without its arguments, alone",
    source: botocore("StopReason: malformed_tool_use"),
    answer: whole([{ toolUse: { toolUseId: "t1", name: "look", input: '{"at' } }], "malformed_tool_use", [9, 2]),
    fault: "unreadable",
  },
  {
    name: "a malformed call after a text, in a stream",
    source: botocore("StopReason: malformed_tool_use"),
    events: [...begun, closed(0), stopped("malformed_tool_use"), metadata([9, 2])],
    told: { content: "The sea", finish: "stop" },
    usage: [9, 0, 0, 2],
  },
  {
    name: "a call that was cut off, in a stream: not the caller's to run",
    source: botocore("StopReason: malformed_tool_use"),
    events: [began, called(0, "t1"), input(0, '{"at":1}'), closed(0), stopped("malformed_tool_use"), metadata([9, 2])],
    told: { calls: [["look", '{"at":1}']], finish: "length" },
    usage: [9, 0, 0, 2],
  },
  {
    name: "a malformed call before any text, in a stream",
    source: botocore("StopReason: malformed_tool_use"),
    events: [began, said(0, ""), closed(0), stopped("malformed_tool_use"), metadata([9, 2])],
    fault: "unreadable",
  },
];

export const faults: BedrockRow[] = [...statuses, ...inStreams];
