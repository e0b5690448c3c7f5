// fal's errors as job error codes (docs/behaviour/providers.md#fal) in both shapes, and which of them are the work's own.
import { describe, expect, test } from "vitest";
import { expectFault, json } from "../openai/chat-fixture.ts";
import { startHost } from "../upstream-fixture.ts";
import { key, look, lookAtResult, startQueue, submitImage } from "./fal-fixture.ts";

const listed = (type: string, msg = "It went wrong", loc: unknown[] = ["body", "prompt"]) =>
  JSON.stringify({ detail: [{ loc, msg, type, url: "https://docs.fal.ai/errors", ctx: {}, input: "a lighthouse" }] });
const errorBody = (error_type: string, detail = "It went wrong") => JSON.stringify({ detail, error_type });

const offer = async (status: number, body: string, headers: Record<string, string> = {}) =>
  submitImage(await startHost(json(status, body, headers)));
const result = (status: number, body: string, headers: Record<string, string> = {}) => lookAtResult(json(status, body, headers));

/** Word, status, the job's code, the fault of an offer, the fault of work. */
const table = [
  ["content_policy_violation", 422, "content_policy", "refused", "refused"],
  ["image_too_large", 422, "input_too_large", "rejected", "rejected"],
  ["file_too_large", 422, "input_too_large", "rejected", "rejected"],
  ["image_too_small", 422, "input_invalid", "rejected", "rejected"],
  ["image_load_error", 422, "input_invalid", "rejected", "rejected"],
  ["file_download_error", 422, "input_invalid", "rejected", "rejected"],
  ["face_detection_error", 422, "input_invalid", "rejected", "rejected"],
  ["unsupported_image_format", 422, "input_invalid", "rejected", "rejected"],
  ["greater_than", 422, "input_invalid", "rejected", "rejected"],
  ["less_than_equal", 422, "input_invalid", "rejected", "rejected"],
  ["one_of", 422, "input_invalid", "rejected", "rejected"],
  ["missing", 422, "input_invalid", "rejected", "rejected"],
  ["sequence_too_long", 422, "prompt_too_long", "rejected", "rejected"],
  ["string_too_long", 422, "prompt_too_long", "rejected", "rejected"],
  ["no_media_generated", 422, "provider_error", "unavailable", "failed"],
  ["generation_timeout", 504, "provider_timeout", "unavailable", "failed"],
  ["request_timeout", 504, "provider_timeout", "unavailable", "failed"],
  ["startup_timeout", 504, "provider_timeout", "unavailable", "failed"],
  ["downstream_service_error", 400, "provider_error", "unavailable", "failed"],
  ["internal_server_error", 500, "provider_error", "unavailable", "failed"],
  ["downstream_service_unavailable", 503, "provider_unavailable", "unavailable", "failed"],
  ["runner_scheduling_failure", 503, "provider_unavailable", "unavailable", "failed"],
  ["runner_connection_timeout", 503, "provider_unavailable", "unavailable", "failed"],
  ["runner_connection_refused", 503, "provider_unavailable", "unavailable", "failed"],
  ["runner_incomplete_response", 502, "provider_unavailable", "unavailable", "failed"],
  ["concurrency_limit", 429, "provider_rate_limited", "rate_limited", "failed"],
  ["runner_disconnected", 502, "provider_unavailable", "unavailable", "failed"],
  ["client_cancelled", 499, "provider_error", "unavailable", "failed"],
  ["client_disconnected", 499, "provider_error", "unavailable", "failed"],
] as const;

describe("a model's error, listed", () => {
  test.each(table)("%s (%i): %s; an offer is %s, work %s", async (word, status, code, offered, worked) => {
    const job = { code, word };
    expect(await expectFault(offer(status, listed(word)), offered)).toMatchObject({
      status,
      job,
      reason: "It went wrong",
      param: "prompt",
    });
    expect(await expectFault(result(status, listed(word)), worked)).toMatchObject({
      status,
      job,
      reason: "It went wrong",
      param: "prompt",
    });
  });

  test("too long a text that is no prompt is an invalid input", async () => {
    const error = await expectFault(result(422, listed("string_too_long", "Too long", ["body", "style"])), "rejected");
    expect(error.job).toEqual({ code: "input_invalid", word: "string_too_long" });
  });
});

/** Value checks always come as a list: without a place in the input an unknown word says less than the status. */
const requestErrors = table.filter(
  ([word]) => !/^(?:greater_than|less_than_equal|one_of|missing|sequence_too_long|string_too_long)$/.test(word),
);

describe("a request's error, in words", () => {
  test.each(requestErrors)("%s (%i): %s; an offer is %s, work %s", async (word, status, code, offered, worked) => {
    const job = { code, word };
    expect((await expectFault(offer(status, errorBody(word)), offered)).job).toEqual(job);
    expect((await expectFault(result(status, errorBody(word)), worked)).job).toEqual(job);
    const header = { "x-fal-error-type": word };
    expect((await expectFault(offer(status, '{"detail":"It went wrong"}', header), offered)).job).toEqual(job);
    expect((await expectFault(result(status, "", header), worked)).job).toEqual(job);
  });

  test.each(requestErrors)("%s inside a newer status body (%i): %s", async (word, _status, code, _offered, worked) => {
    const body = JSON.stringify({ status: "COMPLETED", error: "It went wrong", error_type: word });
    const error = await expectFault(look(await startQueue(body)), worked);
    expect(error).toMatchObject({ job: { code, word }, reason: "It went wrong" });
  });

  test("a status body with an error without a type, or with a list of errors", async () => {
    const plain = await expectFault(look(await startQueue('{"status":"COMPLETED","error":"Out of memory"}')), "failed");
    expect(plain.job).toEqual({ code: "provider_error", word: "internal_server_error" });
    const list = JSON.stringify({ status: "COMPLETED", error: JSON.parse(listed("image_too_large")) as unknown });
    const whole = await expectFault(look(await startQueue(list)), "rejected");
    expect(whole.job).toEqual({ code: "input_too_large", word: "image_too_large" });
  });
});

describe("which content policy", () => {
  test.each([
    ["The content could not be processed because it was flagged by a content checker.", "content_policy"],
    ["Prompt contains NSFW content", "content_policy_nsfw"],
    ["Sexual content is not allowed", "content_policy_nsfw"],
    ["The image may depict the likeness of a celebrity", "content_policy_likeness"],
    ["Images of real people are not allowed", "content_policy_likeness"],
    ["Flagged as unsafe", "content_policy_unsafe"],
    ["Dangerous content: weapons", "content_policy_unsafe"],
  ])("%s", async (msg, code) => {
    expect((await expectFault(result(422, listed("content_policy_violation", msg)), "refused")).job!.code).toBe(code);
    expect((await expectFault(offer(422, errorBody("content_policy_violation", msg)), "refused")).job!.code).toBe(code);
  });

  test("its context counts, the prompt that it repeats does not", async () => {
    const entry = { loc: ["body", "prompt"], msg: "Refused", type: "content_policy_violation", input: "nudity" };
    expect((await expectFault(result(422, JSON.stringify({ detail: [entry] })), "refused")).job!.code).toBe("content_policy");
    const because = { ...entry, ctx: { extra_info: { reason: "nudity" } } };
    expect((await expectFault(result(422, JSON.stringify({ detail: [because] })), "refused")).job!.code).toBe("content_policy_nsfw");
  });
});

describe("whose error", () => {
  test.each([401, 402, 403])("%i is our own account's, whatever was asked", async (status) => {
    for (const body of [
      '{"detail":"User is locked. Reason: Exhausted balance."}',
      errorBody("authorization_error"),
      '{"message":"No"}',
      "",
    ]) {
      expect((await expectFault(offer(status, body), "our_fault")).job).toBeNull();
      expect((await expectFault(result(status, body), "our_fault")).job).toBeNull();
    }
  });

  test("429: rate_limited with the wait; the model's own one, listed, ends the work", async () => {
    const error = await expectFault(offer(429, '{"detail":"Too many concurrent requests"}', { "retry-after": "7" }), "rate_limited");
    expect(error).toMatchObject({ retryAfterMs: 7_000, job: { code: "provider_rate_limited" } });
    await expectFault(result(429, errorBody("rate_limited")), "rate_limited");
    await expectFault(result(429, ""), "rate_limited");
  });

  test.each([
    [500, ""],
    [500, "<html>Internal Server Error</html>"],
    [502, "<html>Bad Gateway</html>"],
    [503, '{"detail":"Service Unavailable"}'],
    [504, "upstream request timeout"],
  ])("%i %s instead of a result may be the queue's: it is asked again", async (status, body) => {
    expect((await expectFault(result(status, body), "unavailable")).job).toBeNull();
  });

  test.each([
    ["500 in fal's shape", 500, '{"detail":"Internal Server Error"}', {}],
    ["500 in the other shape", 500, '{"message":"Internal Server Error"}', {}],
    ["503 that is not to be retried", 503, "", { "x-fal-retryable": "false" }],
    ["an unknown type", 503, errorBody("gpu_on_fire"), {}],
    ["499", 499, "", {}],
  ])("%s ends the work", async (_what, status, body, headers) => {
    expect((await expectFault(result(status, body, headers), "failed")).job!.code).toBe("provider_error");
  });

  test.each([
    [400, '{"detail":"Unknown argument"}'],
    [422, '{"message":"Unknown argument"}'],
  ])("%i %s: rejected, with its sentence", async (status, body) => {
    expect(await expectFault(offer(status, body), "rejected")).toMatchObject({ reason: "Unknown argument", job: null });
    expect(await expectFault(result(status, body), "rejected")).toMatchObject({ reason: "Unknown argument", job: null });
  });

  test("one with a word that no table has is kept with it", async () => {
    const job = { code: "invalid_input", word: "bad_request" };
    expect((await expectFault(offer(400, errorBody("bad_request")), "rejected")).job).toEqual(job);
    expect((await expectFault(result(400, errorBody("bad_request")), "rejected")).job).toEqual(job);
  });

  test("404: a missing application, and a missing result", async () => {
    await expectFault(offer(404, '{"detail":"Application not found"}'), "gone");
    await expectFault(result(404, '{"detail":"Not found"}'), "gone");
  });

  test("x-fal-retryable: an offer goes to the next route, work that ran is over", async () => {
    const retryable = { "x-fal-retryable": "true" };
    const error = await expectFault(offer(422, listed("file_download_error"), retryable), "unavailable");
    expect(error.job).toEqual({ code: "input_invalid", word: "file_download_error" });
    await expectFault(result(422, listed("file_download_error"), retryable), "rejected");
  });
});

describe("what is said", () => {
  test("neither the key nor an address, of several sentences all", async () => {
    const detail = [
      { loc: ["body", "image_url"], msg: `Failed to load https://v3.fal.media/x.png with Key ${key}`, type: "file_download_error" },
      { loc: ["body", "seed"], msg: "Bad seed", type: "int_parsing" },
    ];
    const error = await expectFault(result(422, JSON.stringify({ detail })), "rejected");
    expect(error.reason).toBe("Failed to load [hidden] with Key [hidden]; Bad seed");
    expect(error.param).toBe("image_url");
    const asks = [
      () => offer(500, `{"detail":"${key}"}`),
      () => offer(422, errorBody(key, key)),
      () => result(422, listed(key, key)),
      async () => look(await startQueue(JSON.stringify({ status: "COMPLETED", error: key, error_type: key }))),
    ];
    for (const ask of asks) {
      const other = await ask().catch((reason: unknown) => reason);
      expect(other).toBeInstanceOf(Error);
      expect(JSON.stringify([String(other), other])).not.toContain("secret");
    }
  });

  test("a sentence in a word's place is no word", async () => {
    const error = await expectFault(result(422, listed("it's all wrong")), "rejected");
    expect(error.job).toEqual({ code: "input_invalid", word: "unknown_error" });
  });
});
