// What no operation of the contract answers, in the gateway's own words: Prism says it as problem+json, which none of its clients reads.
const requestId = "req_0195c1f2a7e07c31";
const docs = "https://gateway.example/docs/errors";

/** The body in the place of Prism's. Which endpoints are near only the gateway says. */
export function unknownPathBody(status: number, method: string, path: string): object {
  const shared = { param: null, retryable: false, request_id: requestId };
  if (status === 404) {
    const error = { message: `There is no endpoint at ${path}.`, type: "not_found_error", code: "endpoint_not_found", ...shared };
    const available_endpoints = ["POST /v1/chat/completions", "POST /v1/messages", "GET /v1/models"];
    return { error: { ...error, doc_url: `${docs}#endpoint_not_found` }, available_endpoints };
  }
  const error = { message: `${path} does not take ${method}.`, type: "invalid_request_error", code: "method_not_allowed", ...shared };
  return { error: { ...error, doc_url: `${docs}#method_not_allowed` } };
}
