// What the contract promises to refuse on the language endpoints, the balance, keys and top-ups, and with which words
// (docs/behaviour/errors.md#codes), and what holds for everything that takes a key. Media and audio have their own, in media-promises.ts.
import { describe, expect, test } from "vitest";
import { codesOf, operation, resolved, validatorOf } from "./read-contract.ts";

type Refusals = Record<number, string[]>;

const account = { 429: ["rate_limit_exceeded"], 500: ["internal_error"], 503: ["overloaded"] };
const signedIn = ["missing_api_key", "invalid_api_key"];
const key = [...signedIn, "key_expired"];
/** A suspended account, and what a key is bound to. */
const denied = ["permission_denied", "operation_not_allowed", "network_not_allowed"];
const body = ["invalid_json", "missing_parameter", "invalid_parameter"];
const money = ["insufficient_credits", "key_limit_reached", "model_requires_paid"];
const idempotent = ["idempotency_in_progress", "idempotency_replayed", "idempotency_key_reused"];
const routes = { 502: ["upstream_invalid_response"], 503: ["provider_unavailable", "model_unavailable", "overloaded"] };

const chat: Refusals = {
  ...account,
  ...routes,
  400: [...body, "wrong_endpoint", "request_rejected", "unsupported_content"],
  401: key,
  402: money,
  403: ["route_refused", "model_not_allowed", ...denied],
  404: ["model_not_found"],
  409: idempotent,
  413: ["request_too_large", "request_rejected"],
  422: ["request_rejected"],
};
const decision: Refusals = {
  ...account,
  ...routes,
  400: body,
  401: key,
  402: money,
  403: ["model_not_allowed", ...denied],
  409: idempotent,
  413: ["request_too_large"],
};
const session = ["permission_denied", "session_required", "csrf_failed"];

const promised: Record<string, Refusals> = {
  createChatCompletion: chat,
  // A prompt is text, which every model reads: its one difference from the row that it shares with chat.
  createCompletion: { ...chat, 400: [...body, "wrong_endpoint", "request_rejected"] },
  createMessage: { ...chat, 400: [...chat[400]!, "thread_unsupported_request"] },
  createResponse: {
    ...chat,
    400: [...chat[400]!, "stateless_only", "previous_response_not_found", "conversation_locked"],
    404: [...chat[404]!, "conversation_not_found"],
  },
  compactResponse: { ...chat, 400: [...chat[400]!, "stateless_only", "previous_response_not_found"] },
  createEmbeddings: {
    ...account,
    ...routes,
    400: [...body, "wrong_endpoint", "request_rejected"],
    401: key,
    402: money,
    403: ["model_not_allowed", ...denied],
    404: ["model_not_found"],
    409: idempotent,
    413: ["request_too_large"],
  },
  createDecision: decision,
  createSystemOneDecision: decision,
  getCreditBalance: { ...account, 401: ["auth_required", "invalid_credentials", "key_expired"], 403: denied },
  createApiKey: { ...account, 400: body, 401: signedIn, 403: session, 413: ["request_too_large"] },
  updateApiKey: {
    ...account,
    400: ["invalid_json", "invalid_parameter", "not_found"],
    401: signedIn,
    403: session,
    413: ["request_too_large"],
  },
  deleteApiKey: { ...account, 400: ["invalid_parameter", "not_found"], 401: signedIn, 403: session },
  createTopup: {
    ...account,
    400: body,
    401: signedIn,
    402: ["payment_failed"],
    403: [...session, "email_unverified"],
    413: ["request_too_large"],
  },
};

/** Rerank's words are types. */
const rerank: Refusals = {
  400: ["invalid_request"],
  401: ["auth_required", "invalid_credentials"],
  402: money,
  403: ["forbidden"],
  404: ["model_not_found"],
  409: idempotent,
  413: ["invalid_request"],
  415: ["invalid_request"],
  422: ["invalid_request"],
  429: ["rate_limit"],
  500: ["server_error"],
  502: ["server_error"],
  503: ["server_error"],
};

const refusedBy = (id: string) =>
  Object.keys(operation(id).responses)
    .map(Number)
    .filter((status) => status >= 400);
const sorted = (refusals: Refusals) => Object.fromEntries(Object.entries(refusals).map(([status, words]) => [status, [...words].sort()]));
const errorOf = (id: string, status: number) =>
  resolved(resolved(operation(id).responses[status]!.content!["application/json"]!.schema).properties!["error"]!).properties!;

describe("is refused with exactly", () => {
  test.each(Object.keys(promised))("the promised codes per status: %s", (id) => {
    expect(Object.fromEntries(refusedBy(id).map((status) => [status, codesOf(id, status)]))).toEqual(sorted(promised[id]!));
  });

  test("the promised types per status: createRerank", () => {
    const types = refusedBy("createRerank").map((status) => [status, (errorOf("createRerank", status)["type"]!.enum as string[]).sort()]);
    expect(Object.fromEntries(types)).toEqual(sorted(rerank));
  });
});

test("a rerank 402 says its word as code too, no other refusal has a code", () => {
  const withCode = refusedBy("createRerank").filter((status) => "code" in errorOf("createRerank", status));
  expect(withCode).toEqual([402]);
});

test("a wrong decisions model and an unknown model name near ones; other refusals don't", () => {
  const suggesting = (id: string) =>
    refusedBy(id).filter(
      (status) => "did_you_mean" in resolved(operation(id).responses[status]!.content!["application/json"]!.schema).properties!,
    );
  expect(suggesting("createDecision")).toEqual([400]);
  expect(suggesting("createChatCompletion")).toEqual([404]);
});

test("every answer of a message has its cost, whole or streamed; the record that opens a stream has none yet", () => {
  const tokens = { input_tokens: 9, output_tokens: 0 };
  const money = { cost: 0.00002, cache_discount: 0 };
  const answer = { id: "m", type: "message", role: "assistant", model: "m", content: [], stop_reason: "end_turn", stop_sequence: null };
  const end = { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null } };
  const start = { type: "message_start", message: { ...answer, stop_reason: null } };
  const takes = (name: string, value: object) => validatorOf(name)(value) as boolean;
  expect([{ ...tokens, ...money }, tokens].map((usage) => takes("Message", { ...answer, usage }))).toEqual([true, false]);
  expect([{ ...tokens, ...money }, tokens].map((usage) => takes("MessageDeltaEvent", { ...end, usage }))).toEqual([true, false]);
  expect(takes("MessageStartEvent", { ...start, message: { ...start.message, usage: tokens } })).toBe(true);
});

test("thinking comes back with its signature, empty as it is", () => {
  const block = { type: "thinking", thinking: "Hmm." };
  expect([{ ...block, signature: "" }, block].map((one) => validatorOf("OutputBlock")(one))).toEqual([true, false]);
});
