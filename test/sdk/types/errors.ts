// What the compiler knows of failures: codes by operation and by status. Compiled, never run (types.test.ts).
import Svc, { SvcError } from "svc-sdk";
import type { ErrorCode, ErrorCodeOf, ErrorOf } from "svc-sdk";
import { exactly } from "./exactly.ts";

const svc = new Svc();
const request = { model: "best", messages: [{ role: "user" as const, content: "Hello" }] };

try {
  await svc.chat.completions.create(request);
} catch (error) {
  // @ts-expect-error anything may be thrown
  void error.code;
  if (SvcError.is(error)) exactly<string | null>()(error.requestId);
  if (SvcError.is(error, "model_requires_paid")) {
    exactly<"model_requires_paid">()(error.code);
    exactly<402>()(error.status);
  }
  if (SvcError.is(error, "insufficient_credits")) {
    // @ts-expect-error a job may have failed with it
    void error.body.need_usd;
    if (error.status === 402) exactly<number | undefined>()(error.body.need_usd);
  }
  if (SvcError.is(error, "timeout")) {
    exactly<unknown>()(error.body); // of this side there is none
    if (error.status === 504 && typeof error.body.error === "string") exactly<string>()(error.body.error);
  }
  if (SvcError.is(error, "rate_limit_exceeded", "overloaded")) exactly<"rate_limit_exceeded" | "overloaded">()(error.code);
  // @ts-expect-error no such code
  if (SvcError.is(error, "model_requires_money")) void error;
}

const result = await svc.chat.completions.create(request).result();
// @ts-expect-error there may be no data
void result.data;
if (result.ok) exactly<string>()(result.data.id);
else if (result.error.status === 402) {
  exactly<"insufficient_credits" | "key_limit_reached" | "model_requires_paid">()(result.error.code);
  exactly<number>()(result.error.body.need_usd);
  // @ts-expect-error no such code of this status
  if (result.error.code === "rate_limit_exceeded") void result;
} else if (result.error.status === 404) {
  exactly<"model_not_found">()(result.error.code);
  exactly<string[] | undefined>()(result.error.body.suggested_models);
  // @ts-expect-error a 404 has no sums
  void result.error.body.need_usd;
} else {
  // @ts-expect-error chat has no such status
  if (result.error.status === 418) void result;
}

// Each dialect in its own words.
const images = await svc.images.generate({ model: "demo/image-standard", prompt: "A lighthouse" }).result();
if (!images.ok && images.error.status === 402)
  exactly<"insufficient_balance" | "key_limit_reached" | "model_requires_paid">()(images.error.code);
const ranking = await svc.rerank.create({ model: "demo/rerank", query: "Which?", documents: ["This."] }).result();
if (!ranking.ok && ranking.error.status === 429) {
  exactly<"rate_limit">()(ranking.error.code);
  exactly<"rate_limit">()(ranking.error.body.error.type);
}
const video = await svc.genmedia.run({ model: "demo/video", prompt: "Waves" }).result();
if (!video.ok && video.error.status === 504) exactly<"provider_timeout" | "timeout">()(video.error.body.details.code);
const answer = await svc.messages.create({ model: "best", max_tokens: 9, messages: [] }).result();
if (!answer.ok && answer.error.status === 503) exactly<"overloaded_error" | "api_error">()(answer.error.body.error.type);

// By operation and status, without a call.
exactly<ErrorCodeOf<"getJob">>()({} as ErrorOf<"getJob">["code"]);
exactly<"job_not_found">()({} as ErrorOf<"getJob", 404>["code"]);
const known: ErrorCode[] = ["insufficient_balance", "invalid_request", "stream_interrupted", "content_policy", "rate_limited"];
void known;
// @ts-expect-error no such code of this operation
const wrong: ErrorCodeOf<"getJob"> = "insufficient_credits";
void wrong;
// @ts-expect-error no such code at all
const unknown: ErrorCode = "out_of_luck";
void unknown;
