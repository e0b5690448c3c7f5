// Errors of Vertex in the shapes that are published, and the fault that each is.
import { aiSdk, failure, firebase, recorded } from "../gemini/corpus-row.ts";
import { github, model, onDemand, missing, quota, anthropics, row, type VertexRow } from "./corpus-row.ts";

export const faults: VertexRow[] = [
  {
    ...row("a prompt that was blocked", "google", aiSdk("issue-19758-prompt-block.json")),
    answer: { promptFeedback: { blockReason: "SAFETY", blockReasonMessage: "The prompt could not be submitted." }, ...model },
    fault: "refused",
  },
  {
    ...row("a model that is not served in the location", "google", github("genkit-ai/genkit/issues/4688")),
    status: 404,
    answer: [failure(404, "NOT_FOUND", missing)],
    fault: "gone",
  },
  {
    ...row("a Claude that the project was not given", "anthropic", github("mlflow/mlflow/issues/23092")),
    status: 404,
    answer: failure(404, "NOT_FOUND", missing),
    fault: "gone",
  },
  {
    ...row("a quota, in an array", "anthropic", github("cline/cline/issues/651")),
    status: 429,
    answer: [failure(429, "RESOURCE_EXHAUSTED", quota)],
    fault: "rate_limited",
  },
  {
    ...row("a quota", "anthropic", github("anthropics/claude-code/issues/1440")),
    status: 429,
    answer: failure(429, "RESOURCE_EXHAUSTED", quota),
    fault: "rate_limited",
  },
  {
    ...row("a project that may not use a model", "anthropic", github("yym68686/uni-api/issues/41")),
    status: 400,
    answer: [failure(400, "FAILED_PRECONDITION", "Project `1` is not allowed to use Publisher Model `projects/p/models/claude-3-sonnet`")],
    fault: "our_fault",
  },
  {
    ...row(
      "an API that the project has not switched on",
      "google",
      firebase("vertexai/unary-failure-firebasevertexai-api-not-enabled.json"),
    ),
    status: 403,
    answer: failure(403, "PERMISSION_DENIED", "Vertex AI API has not been used in project 1 before or it is disabled.", {
      details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "SERVICE_DISABLED", domain: "googleapis.com" }],
    }),
    fault: "our_fault",
  },
  {
    ...row("an account without the role", "google", github("googleapis/nodejs-vertexai")),
    status: 403,
    answer: failure(
      403,
      "PERMISSION_DENIED",
      "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/p'.",
    ),
    fault: "our_fault",
  },
  {
    ...row("a token that has ended", "google", github("googleapis/google-auth-library-nodejs")),
    status: 401,
    answer: failure(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.", {
      details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "ACCESS_TOKEN_EXPIRED" }],
    }),
    fault: "our_fault",
  },
  {
    ...row("a request that a Claude refuses, in Anthropic's form", "anthropic", github("anthropics/claude-code/issues/12429")),
    status: 400,
    answer: anthropics("invalid_request_error", "max_tokens: 99999 > 64000, which is the maximum allowed number of output tokens"),
    fault: "rejected",
  },
  {
    ...row("a Claude that is overloaded", "anthropic", github("anthropics/anthropic-sdk-typescript")),
    status: 529,
    answer: anthropics("overloaded_error", "Overloaded"),
    fault: "unavailable",
  },
  {
    ...row("a request that Gemini refuses", "google", github("googleapis/python-genai")),
    status: 400,
    answer: failure(400, "INVALID_ARGUMENT", "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."),
    fault: "rejected",
  },
  {
    ...row("a prompt that Model Armor stopped", "google", recorded("test_google_model_armor_prompt_template_text_gets_blocked")),
    answer: {
      promptFeedback: { blockReason: "MODEL_ARMOR", blockReasonMessage: "The prompt violated Prompt Injection and Jailbreak filters." },
      ...{ usageMetadata: onDemand, ...model },
    },
    fault: "refused",
    reason: "The prompt was blocked by the content policy (MODEL_ARMOR).",
  },
  {
    ...row(
      "a picture at an address that may not be read",
      "google",
      "pydantic-ai: test_multimodal_tool_returns/test_model_sees_multiple_images[google_vertex].yaml",
    ),
    status: 400,
    answer: failure(400, "INVALID_ARGUMENT", "Cannot fetch content from the provided URL. Status: URL_ROBOTED-ROBOTED_DENIED"),
    fault: "rejected",
  },
];
