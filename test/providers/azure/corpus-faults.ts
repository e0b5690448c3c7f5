// Errors of Azure's OpenAI in the shapes that are published, and the fault that each is.
import { github, flagged, error, stopped, type Row } from "./corpus-row.ts";

export const faults: Row[] = [
  {
    name: "a prompt that the filter stopped",
    source: github("microsoft/TinyTroupe/issues/85"),
    ...error(400, "content_filter", stopped, {
      ...{ type: null, param: "prompt", status: 400 },
      innererror: { code: "ResponsibleAIPolicyViolation", content_filter_result: flagged },
    }),
    fault: "refused",
  },
  {
    name: "the same without what was found",
    source: github("stanford-crfm/helm/pull/3327"),
    ...error(400, "content_filter", stopped, { type: null, param: "prompt", status: 400 }),
    fault: "refused",
  },
  {
    name: "the same in the other spelling",
    source: github("browser-use/browser-use/issues/262"),
    ...error(400, "content_filter", stopped, {
      inner_error: { code: "ResponsibleAIPolicyViolation", content_filter_results: { jailbreak: { filtered: true, detected: true } } },
    }),
    fault: "refused",
  },
  {
    name: "an image's prompt that was stopped",
    source: github("BerriAI/litellm/issues/16072"),
    ...error(400, "content_policy_violation", "Your request was rejected as a result of our safety system.", {
      type: "invalid_request_error",
      inner_error: { code: "ResponsibleAIPolicyViolation", content_filter_results: { jailbreak: { detected: false, filtered: false } } },
    }),
    fault: "refused",
  },
  {
    name: "a deployment that does not exist",
    source: github("chatboxai/chatbox/issues/646"),
    ...error(404, "DeploymentNotFound", "The API deployment for this resource does not exist."),
    fault: "gone",
  },
  {
    name: "a path that does not exist, as at another resource's address",
    source: github("stulzq/azure-openai-proxy/issues/52"),
    ...error(404, "404", "Resource not found"),
    fault: "gone",
  },
  {
    name: "a deployment of another kind of model",
    source: github("langchain-ai/langmem/issues/13"),
    ...error(
      400,
      "OperationNotSupported",
      "The chatCompletion operation does not work with the specified model, text-embedding-3-large. Please choose different model and try again.",
    ),
    fault: "gone",
  },
  {
    name: "a version that the resource does not know",
    source: github("hotovo/aider-desk/issues/460"),
    ...error(400, "BadRequest", "API version not supported"),
    fault: "our_fault",
  },
  {
    name: "a version that is too old for the model",
    source: github("langchain4j/langchain4j/issues/2636"),
    ...error(400, "BadRequest", "Model {modelName} is enabled only for api versions 2024-12-01-preview and later"),
    fault: "our_fault",
  },
  {
    name: "a wrong key",
    source: github("SciSharp/BotSharp/issues/386"),
    ...error(401, "401", "Access denied due to invalid subscription key or wrong API endpoint."),
    fault: "our_fault",
  },
  {
    name: "an application without a role at the resource",
    source: github("microsoft/semantic-kernel/issues/10020"),
    ...error(401, "PermissionDenied", "Principal does not have access to API/Operation."),
    fault: "our_fault",
  },
  {
    name: "a resource behind a firewall",
    source: github("Azure-Samples/azure-sql-db-chatbot/issues/3"),
    ...error(403, "403", "Access denied due to Virtual Network/Firewall rules."),
    fault: "our_fault",
  },
  {
    name: "a resource that was blocked for what was asked of it",
    source: github("pollinations/pollinations/issues/9707"),
    ...error(
      403,
      "Forbidden",
      "Your resource has been temporarily blocked because we detected behavior that may violate our content policy.",
    ),
    fault: "our_fault",
  },
  {
    name: "too many tokens a minute",
    source: github("jasonacox/TinyLLM/issues/17"),
    headers: { "retry-after": "7" },
    ...error(429, "429", "Requests to the ChatCompletions_Create Operation have exceeded token rate limit. Please retry after 7 seconds."),
    fault: "rate_limited",
    retryAfterMs: 7_000,
  },
  {
    name: "a deployment at its peak",
    source: github("pollinations/pollinations/issues/6260"),
    headers: { "retry-after-ms": "1500", "retry-after": "2" },
    ...error(429, "too_many_requests", "The system is currently experiencing high demand and cannot process your request."),
    fault: "rate_limited",
    retryAfterMs: 1_500,
  },
];
