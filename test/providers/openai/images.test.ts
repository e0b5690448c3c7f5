// Images over the `openai` protocol: generations and edits, both forms of answers, refusals, and references that can't be loaded.
import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Begun, FetchReference, ImageOrder } from "../../../src/providers/verbs/media.ts";
import { openaiImages, referenceBytesMax } from "../../../src/providers/openai/images.ts";
import type { Provider } from "../../../src/providers/types.ts";
import { until } from "../../support/eventually.ts";
import { type Answer, type Host, routeTo, startHost, useUpstream } from "../upstream-fixture.ts";
import { expectFault, json } from "./chat-fixture.ts";

const square = { width: 1024, height: 1024 };
const imageOrder: ImageOrder = { prompt: "a lighthouse", count: 1, size: square, aspect: "1:1", quality: null, references: [], extra: {} };
const nothing = { contentType: null, width: null, height: null, seconds: null, fps: null };
const file = Buffer.from("a picture");
const answered = JSON.stringify({ created: 1, data: [{ b64_json: file.toString("base64"), revised_prompt: "A lighthouse" }] });
const references = ["https://a.example.com/1", "https://a.example.com/2"];

const fetchPng: FetchReference = (url) => Promise.resolve({ bytes: Buffer.from(`bytes of ${url}`), contentType: "image/png" });

interface Ask {
  upstream?: ReturnType<typeof useUpstream>;
  signal?: AbortSignal;
  provider?: Partial<Provider>;
  fetchReference?: FetchReference;
}

function make(host: Host, order: Partial<ImageOrder> = {}, ask: Ask = {}): Promise<Begun> {
  const { upstream = useUpstream(), signal = new AbortController().signal, provider, fetchReference = fetchPng } = ask;
  const call = { route: routeTo(`${host.url}/v1`, provider), signal, requestId: "req_test", publicModel: "demo/image", jobId: "job_1" };
  return openaiImages(upstream, fetchReference)({ ...call, order: { ...imageOrder, ...order } });
}

const makeOf = async (answer: Answer | string, order: Partial<ImageOrder> = {}, ask: Ask = {}) =>
  make(await startHost(typeof answer === "string" ? json(200, answer) : answer), order, ask);

async function formOf(host: Host): Promise<FormData> {
  const { headers, body } = host.requests[0]!;
  return await new Response(body, { headers: { "content-type": headers["content-type"]! } }).formData();
}

describe("generations", () => {
  test("POST /images/generations with what the endpoint decided, and without response_format", async () => {
    const host = await startHost(json(200, answered));
    await make(host, { count: 3, size: { width: 1536, height: 1024 }, extra: { background: "transparent", n: 9, model: "other" } });
    expect(host.requests).toMatchObject([{ method: "POST", url: "/v1/images/generations" }]);
    expect(host.requests[0]!.headers).toMatchObject({ authorization: "Bearer sk-demo-secret-0001", "idempotency-key": "job_1" });
    expect(JSON.parse(host.requests[0]!.body)).toEqual({
      background: "transparent",
      model: "upstream-model",
      prompt: "a lighthouse",
      n: 3,
      size: "1536x1024",
    });
  });

  test("the quality of a model that is priced by it; nothing is streamed, whatever `extra` says", async () => {
    const host = await startHost(json(200, answered));
    await make(host, { quality: "high", extra: { stream: true, partial_images: 2, quality: "low" } });
    const sent = JSON.parse(host.requests[0]!.body) as Record<string, unknown>;
    expect(sent).toEqual({ model: "upstream-model", prompt: "a lighthouse", n: 1, size: "1024x1024", quality: "high" });
  });
});

describe("edits", () => {
  test("a form: the fields as text, each reference a file with a name of its type", async () => {
    const host = await startHost(json(200, answered));
    const types = ["image/png", "image/jpeg"];
    const fetchReference: FetchReference = (url) => Promise.resolve({ bytes: Buffer.from(url), contentType: types.shift()! });
    const extra = { seed: 7, options: { a: [1] }, flag: false, none: null, style: 'it\'s "so"\r\nnew', image: "x", "image[]": "y" };
    await make(host, { references, quality: "low", extra }, { fetchReference });
    expect(host.requests).toMatchObject([{ method: "POST", url: "/v1/images/edits" }]);
    const form = await formOf(host);
    const texts = [...form.entries()].filter(([, value]) => typeof value === "string");
    expect(Object.fromEntries(texts)).toEqual({
      model: "upstream-model",
      prompt: "a lighthouse",
      n: "1",
      size: "1024x1024",
      quality: "low",
      seed: "7",
      options: '{"a":[1]}',
      flag: "false",
      style: extra.style,
    });
    const files = form.getAll("image[]") as File[];
    expect(files.map(({ name, type }) => [name, type])).toEqual([
      ["image-1.png", "image/png"],
      ["image-2.jpg", "image/jpeg"],
    ]);
    expect(await Promise.all(files.map((each) => each.text()))).toEqual(references);
  });

  test("a field's name can't break out of its part", async () => {
    const host = await startHost(json(200, answered));
    await make(host, { references, extra: { 'a"; filename="x\r\ny': "1" } });
    expect((await formOf(host)).getAll("image[]")).toHaveLength(2);
    expect(host.requests[0]!.body).toContain('name="a%22; filename=%22x%0D%0Ay"');
  });

  const failing =
    (reason: string): FetchReference =>
    () =>
      Promise.reject(Object.assign(new Error("It can't be had."), { reason }));
  test.each([
    ["too_large", "input_too_large"],
    ["invalid", "input_invalid"],
    ["unreachable", "input_invalid"],
  ])("a reference that is %s: rejected as %s, without a call", async (reason, code) => {
    const host = await startHost(json(200, answered));
    const error = await expectFault(make(host, { references }, { fetchReference: failing(reason) }), "rejected");
    expect(error).toMatchObject({ reason: "It can't be had.", job: { code } });
    expect(host.requests).toEqual([]);
  });

  test("references that are too large together", async () => {
    const half = Buffer.alloc(referenceBytesMax / 2 + 1);
    const fetchReference: FetchReference = () => Promise.resolve({ bytes: half, contentType: "image/png" });
    const error = await expectFault(makeOf(answered, { references }, { fetchReference }), "rejected");
    expect(error.job!.code).toBe("input_too_large");
  });

  test("our own error while one is loaded stays unchanged; an abort is the signal's reason", async () => {
    const broken: FetchReference = () => Promise.reject(new TypeError("a bug"));
    await expect(makeOf(answered, { references }, { fetchReference: broken })).rejects.toThrow(TypeError);
    const stop = new AbortController();
    const stopped: FetchReference = () => {
      stop.abort(new Error("enough"));
      return Promise.reject(Object.assign(new Error("gone"), { reason: "unreachable" }));
    };
    await expect(makeOf(answered, { references }, { fetchReference: stopped, signal: stop.signal })).rejects.toThrow("enough");
  });
});

describe("variations", () => {
  test("a form with the uploaded image, and neither prompt nor quality nor `extra`", async () => {
    const host = await startHost(json(200, answered));
    const upload = `data:image/webp;base64,${file.toString("base64")}`;
    const order = { prompt: "", isVariation: true as const, references: [upload], quality: "high" as const, extra: { seed: 7 }, count: 2 };
    expect(await make(host, order)).toMatchObject({ kind: "made" });
    expect(host.requests).toMatchObject([{ method: "POST", url: "/v1/images/variations" }]);
    expect(host.requests[0]!.headers).toMatchObject({ "idempotency-key": "job_1" });
    const { image, ...texts } = Object.fromEntries((await formOf(host)).entries());
    expect(texts).toEqual({ model: "upstream-model", n: "2", size: "1024x1024" });
    expect([(image as File).name, (image as File).type, await (image as File).text()]).toEqual([
      "image.webp",
      "image/webp",
      file.toString(),
    ]);
  });
});

describe("answers", () => {
  test("base64, with what the host reports about the images", async () => {
    const files = [randomBytes(40_000), randomBytes(3)];
    const data = files.map((each) => ({ b64_json: each.toString("base64") }));
    const whole = JSON.stringify({ created: 1, data, output_format: "webp", size: "1536x1024", usage: { total_tokens: 3 } });
    expect(await makeOf(whole, { count: 2 })).toEqual({
      kind: "made",
      files: files.map((bytes) => ({ ...nothing, source: { bytes }, contentType: "image/webp", width: 1536, height: 1024 })),
    });
  });

  test("an address, or a data URL in its place", async () => {
    const url = "https://files.example.com/a.png?sig=1";
    const data = [{ url }, { b64_json: null, url: `data:image/jpeg;base64,${file.toString("base64")}` }];
    expect(await makeOf(JSON.stringify({ data }))).toEqual({
      kind: "made",
      files: [
        { ...nothing, source: { url } },
        { ...nothing, source: { bytes: file }, contentType: "image/jpeg" },
      ],
    });
  });

  test("one of 40 MB", async () => {
    const bytes = Buffer.alloc(40_000_000, "picture");
    const made = await makeOf(JSON.stringify({ data: [{ b64_json: bytes.toString("base64") }] }));
    expect(made.kind === "made" && "bytes" in made.files[0]!.source && made.files[0]!.source.bytes.equals(bytes)).toBe(true);
  });

  test.each([
    "",
    "<html>",
    '{"data":[{"b64_json":"',
    "{}",
    '{"data":[]}',
    '{"data":[{}]}',
    '{"data":[null]}',
    '{"data":[{"b64_json":""}]}',
    '{"data":[{"b64_json":"no base64!"}]}',
    '{"data":[{"url":"file:///etc/passwd"}]}',
  ])("%s: unreadable", async (body) => {
    await expectFault(makeOf(body), "unreadable");
  });

  test("an answer that comes after the provider's time for chats is still taken", async () => {
    const late: Answer = (request, response, body) => void setTimeout(() => json(200, answered)(request, response, body), 150);
    expect(await makeOf(late, {}, { provider: { timeoutMs: 50 } })).toMatchObject({ kind: "made" });
  });

  test("an abort while it draws leaves no socket", async () => {
    const host = await startHost(() => undefined);
    const upstream = useUpstream();
    const stop = new AbortController();
    const made = make(host, {}, { upstream, signal: stop.signal });
    await until(() => host.requests.length === 1);
    stop.abort(new Error("enough"));
    await expect(made).rejects.toThrow("enough");
    await until(() => host.sockets.size === 0 && upstream.gauge().calls === 0);
  });
});

describe("errors", () => {
  const error = (fields: Record<string, unknown>) => JSON.stringify({ error: { message: "It went wrong", param: null, ...fields } });
  test.each([
    [400, { type: "image_generation_user_error", code: "moderation_blocked" }, "refused", "moderation_blocked", "moderation_blocked"],
    [400, { type: "image_generation_user_error", code: null }, "refused", "moderation_blocked", "image_generation_user_error"],
    [400, { type: "invalid_request_error", code: "content_policy_violation" }, "refused", "content_policy", "content_policy_violation"],
    [403, { code: "content_filter" }, "refused", "content_policy", "content_filter"],
    [400, { type: "image_generation_user_error", code: "invalid_image_file" }, "rejected", "input_invalid", "invalid_image_file"],
    [400, { type: "invalid_request_error", param: "image" }, "rejected", "input_invalid", "invalid_image"],
    [413, {}, "rejected", "input_too_large", "request_too_large"],
    [400, { code: "string_above_max_length", param: "prompt" }, "rejected", "prompt_too_long", "string_above_max_length"],
  ] as const)("%i %o: %s, %s", async (status, fields, fault, code, word) => {
    const thrown = await expectFault(makeOf(json(status, error(fields))), fault);
    expect(thrown).toMatchObject({ status, job: { code, word }, reason: "It went wrong" });
  });

  test("a refusal under 200 is one", async () => {
    const thrown = await expectFault(makeOf(error({ code: "moderation_blocked" })), "refused");
    expect(thrown.job).toEqual({ code: "moderation_blocked", word: "moderation_blocked" });
  });

  test.each([
    [400, { type: "invalid_request_error", param: "background" }, "rejected"],
    [401, { code: "invalid_api_key" }, "our_fault"],
    [403, {}, "our_fault"],
    [429, { code: "rate_limit_exceeded" }, "rate_limited"],
    [429, { code: "insufficient_quota" }, "our_fault"],
    [404, { code: "model_not_found" }, "gone"],
    [500, { type: "server_error" }, "unavailable"],
  ] as const)("%i %o: %s, the fault alone decides", async (status, fields, fault) => {
    expect((await expectFault(makeOf(json(status, error(fields))), fault)).job).toBeNull();
  });

  test("the key is in no error", async () => {
    const thrown = await expectFault(makeOf(json(400, error({ message: "Bad: sk-demo-secret-0001" }))), "rejected");
    expect(JSON.stringify([String(thrown), thrown])).not.toContain("secret");
  });
});
