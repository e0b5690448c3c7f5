// What no operation of the contract answers, in the gateway's own words: Prism says it as problem+json, which none of its clients reads.
import { operations } from "../../generated/operations.ts";

const requestId = "req_0195c1f2a7e07c31";

/** The body in the place of Prism's; 404 under /v1 has no code. */
export function unknownPathBody(status: number, method: string, path: string): object {
  if (status === 404) {
    const endpoints = Object.values(operations).map((one) => `${one.method.toUpperCase()} ${one.path}`);
    return {
      error: { message: `There is no ${method} ${path}.`, type: "not_found", request_id: requestId },
      available_endpoints: endpoints,
    };
  }
  const message = `${path} does not take ${method}.`;
  const error = { message, type: "invalid_request_error", code: "method_not_allowed", param: null, retryable: false };
  return { error: { ...error, request_id: requestId, doc_url: "https://gateway.example/docs/errors#method_not_allowed" } };
}
