// One example body per code of a status, for the documentation and the mock server. The texts are the catalogue's own.
import type { Dialect, Row } from "./catalogue.ts";
import type { Document, Example } from "./document.ts";
import { anthropicType, type ErrorsOfStatus } from "./error-schemas.ts";

export function errorExamples(envelope: Dialect["envelope"], group: ErrorsOfStatus): unknown[] {
  return shownOnce(group).map((one) => bodyOf[envelope](one));
}

/**
 * By code, so that a mock server can be asked for each. References: the examples themselves are added to the document's components.
 * `field` is one that the operation has; null where it takes none.
 */
export function errorExamplesByCode(
  document: Document,
  { envelope }: Dialect,
  group: ErrorsOfStatus,
  field: string | null,
): Record<string, Example> {
  const shared = (document.components.examples ??= {});
  return Object.fromEntries(
    shownOnce(group).map((one) => {
      const value = bodyOf[envelope]({ ...one, field });
      const blamed = namesItsField(one) && field !== null ? `-${field}` : "";
      const name = nameFor(shared, `${envelope}-${one.status}-${one.shown}${blamed}`, value);
      shared[name] = { summary: one.shown, value };
      return [one.shown, { $ref: `#/components/examples/${name}` }];
    }),
  );
}

/** Two dialects may show two codes as one word, with other texts. */
function nameFor(shared: Record<string, Example>, wanted: string, value: unknown): string {
  let name = wanted;
  for (let count = 2; name in shared && JSON.stringify(shared[name]!.value) !== JSON.stringify(value); count++) name = `${wanted}-${count}`;
  return name;
}

function shownOnce({ status, entries }: ErrorsOfStatus): Shown[] {
  const words = new Map(entries.map((entry) => [entry.shown, entry]));
  return [...words.values()].map((entry) => ({ status, ...entry }));
}

/** The caller's field that a code is about, where the code itself doesn't say which. */
function namesItsField({ code, row }: Shown): boolean {
  return row.message.includes("{param}") && samplesOf[code]?.param === undefined;
}

interface Shown {
  status: number;
  code: string;
  shown: string;
  row: Row;
  /** Of the operation; a chat's where none is known. */
  field?: string | null;
}

const requestId = "req_0195c1f2a7e07c31";

const bodyOf: Record<Dialect["envelope"], (one: Shown) => unknown> = {
  standard: (one) => ({ error: errorOf(one, one.row.type), ...extrasOf(one) }),
  anthropic: (one) => ({
    type: "error",
    error: { ...errorOf(one, anthropicType(one.row.type, one.status)), details: { error_code: one.shown } },
    request_id: requestId,
    ...extrasOf(one),
  }),
  bare: (one) => ({
    error: {
      message: messageOf(one),
      type: one.shown,
      ...(one.status === 402 ? { code: one.shown } : {}),
      request_id: requestId,
    },
    ...extrasOf(one),
  }),
  genmedia: (one) => {
    const { details, ...others } = extrasOf(one);
    return {
      error: messageOf(one),
      details: { ...(details as object | undefined), error_type: one.row.type, code: one.shown, request_id: requestId },
      ...others,
    };
  },
};

function errorOf(one: Shown, type: string) {
  const { code, shown, row } = one;
  return {
    message: messageOf(one),
    type,
    code: shown,
    param: row.message.includes("{param}") ? textsOf(one).param : null,
    ...(row.bare === true ? {} : { retryable: row.retryable }),
    request_id: requestId,
    doc_url: `https://gateway.example/docs/errors#${shown}`,
    ...(code === "route_refused" ? { suggested_models: ["north/chat-small"] } : {}),
  };
}

function extrasOf({ code }: Shown): Record<string, unknown> {
  if (code === "model_not_found" || code === "invalid_model")
    return { did_you_mean: "north/chat-large", suggested_models: ["north/chat-large", "north/chat-small"] };
  if (code !== "insufficient_credits" && code !== "key_limit_reached" && code !== "model_requires_paid") return {};
  return {
    need_usd: 0.0312,
    have_usd: 0.0125,
    balance: 0.0125,
    required: 0.0312,
    ...(code === "key_limit_reached" ? { resets_at: samplesOf.key_limit_reached!.resets_at! } : { held_usd: 0 }),
    topup_url: "https://gateway.example/docs/credits",
    topup: { url: "https://gateway.example/docs/credits", minimum_usd: 5 },
    details: { model: samples.model, tier: 0 },
  };
}

/** What fills a message's {placeholders} here; optional parts with other names are dropped, as when code does not know them. */
const samples: Record<string, string> = {
  param: "messages[0].role", model: "north/chat-large", key: "svc_EXAM…ab12", need: "0.0312", have: "0.0125", count: "5120",
  max: "5000", type: "image", endpoint: "POST /v1/images/generations", kind: "image", limit: "30 requests per minute", id: "job_0195c1f2",
  voice: "calm-woman", path: "/v1/chat/completions", method: "POST", allowed: "mp3, wav, m4a, ogg, webm, flac",
}; // prettier-ignore

/** Where a code says more, or other numbers. */
const samplesOf: Record<string, Record<string, string>> = {
  invalid_json: { reason: "unexpected end of text at position 512" },
  missing_parameter: { reason: "every message has one" },
  invalid_parameter: { reason: 'must be "developer", "system", "user", "assistant", "tool" or "function"' },
  invalid_request: { reason: "input is required" },
  invalid_prompt: { reason: "it holds 4312 characters; at most 4000 are taken" },
  invalid_duration: { param: "music_length_ms", reason: "whole milliseconds, 1000 to 300000" },
  previous_response_not_found: { kept: "stored in this workspace" },
  response_not_found: {
    id: "resp_0195c1f2a7e07c3189d2b4a5c6d7e8f9",
    hint: "nothing is stored here, so send the whole conversation to POST /v1/responses",
  },
  conversation_not_found: {
    id: "conv_0195c1f2a7e07c3189d2b4a5c6d7e8f9",
    hint: "nothing is stored here, so send the whole conversation to POST /v1/responses",
  },
  conversation_item_not_found: { id: "msg_0195c1f2a7e07c3189d2b4a5c6d7e8fa_i0" },
  conversation_limit_reached: { count: "10000" },
  stateless_only: { param: "previous_response_id", instead: "send the whole conversation as input, with store: false" },
  request_rejected: { reason: "temperature must be at most 1." },
  request_too_large: { reason: "the body is over 25 MB" },
  too_many_references: { count: "12", max: "10" },
  prompt_too_long: { param: "prompt", count: "2120", max: "2000" },
  description_too_long: { count: "1204", max: "1000" },
  audio_concurrent_limit: { limit: "2" },
  rate_limited: { limit: "6" },
  key_expired: { expired_at: "2026-11-21T10:00:00.000Z" },
  operation_not_allowed: { operation: "createVideo", scope: "no_media" },
  network_not_allowed: { address: "203.0.113.9" },
  key_limit_reached: { limit: "5", span: "in each day", resets_at: "2026-11-22T00:00:00.000Z" },
  topup_not_found: { id: "top_0195c1f2" },
  account_not_deletable: { reason: "12.5 USD would be lost: repeat it with forfeit_balance=true" },
  voucher_not_redeemable: { reason: "it was redeemed before" },
  domain_unverified: { reason: "there is no TXT record _svc-verify.example.com" },
  not_possible: { reason: "the account is an operator's, who has to be removed first" },
  account_not_found: { id: "acc_42" },
  batch_not_found: { id: "batch_0195c1f2" },
  batch_limit_reached: { count: "20" },
  batch_ended: { id: "batch_0195c1f2", status: "completed" },
  file_not_found: { id: "file-0195c1f2" },
  file_limit_reached: { reason: "it has 1000 files" },
  payment_event_not_applied: { reason: "it names no payment of this gateway" },
};

/** Where the field is the operation's own, the reason is not: it speaks of a chat's. */
function textsOf(one: Shown): Record<string, string> {
  if (one.field != null && namesItsField(one)) return { ...samples, param: one.field };
  return { ...samples, ...samplesOf[one.code] };
}

function messageOf(one: Shown): string {
  const { message } = one.row;
  const texts = textsOf(one);
  const known = (part: string) => [...part.matchAll(/\{(\w+)\}/g)].every(([, name]) => name! in texts);
  return message
    .replace(/\[([^[\]]*\{\w+\}[^[\]]*)\]/g, (_, part: string) => (known(part) ? part : ""))
    .replace(/\{(\w+)\}/g, (_, name: string) => {
      const sample = texts[name];
      if (sample === undefined) throw new Error(`error-examples.ts has no sample for {${name}} in: ${message}`);
      return sample;
    });
}
