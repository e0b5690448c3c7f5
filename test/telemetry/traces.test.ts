// Traces as a collector receives them: a span for each request, a span for each attempt below it, and what is passed to upstreams.
import { afterAll, beforeAll, expect, test } from "vitest";
import { hello, language, provider, recordsOf } from "../operations/chat/chat-gateway.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { type Collector, type SentSpan, startCollector } from "./collector.ts";
import { scrapeUntil } from "./scrape.ts";

const catalog = JSON.stringify({
  providers: [...["north", "south", "west"].map((id) => provider(id)), provider("east", { protocol: "fal", base_url: "simulator:/fal" })],
  models: [
    language("demo/chat", ["chat+sim-fail-503", "chat"]),
    language("demo/broken", ["chat+sim-fail-503"]),
    language("demo/stream", ["chat+sim-pace-50ms"]),
    language("demo/cut", ["chat+sim-cut-after-2"]),
    {
      ...{ id: "demo/image", type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 } },
      routes: [{ provider: "east", model: "vendor/image" }],
    },
  ],
});
const traceId = "0af7651916cd43dd8448eb211c80319c";
const callersSpan = "b7ad6b7169203331";

let collector: Collector;
let gateway: Gateway;
beforeAll(async () => {
  collector = await startCollector();
  gateway = await startGateway({ catalog, env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
});
afterAll(async () => {
  await gateway.stop();
  await collector.close();
});

async function chat(model: string, headers: Record<string, string> = {}, more: object = {}) {
  const account = await gateway.createAccount({ deposit: "20" });
  gateway.simulator.reset();
  const body = { model, messages: hello, ...more };
  return await gateway.request("POST", "/v1/chat/completions", { key: account.key, body, headers });
}

/** Of the request, its own first. */
async function spansOf(requestId: string, count: number): Promise<SentSpan[]> {
  const own = () => collector.spans.find(({ attributes }) => attributes["svc.request_id"] === requestId);
  const all = () => collector.spans.filter(({ parentId }) => parentId === own()?.spanId);
  await expect.poll(() => (own() === undefined ? 0 : 1 + all().length)).toBe(count);
  return [own()!, ...all()];
}

const sentUpstream = () => gateway.simulator.calls().map(({ headers }) => headers["traceparent"]);

test("a request is a span below its caller's, each attempt a span below it, and each upstream gets its own as parent", async () => {
  const reply = await chat("demo/chat", { traceparent: `00-${traceId}-${callersSpan}-01`, "x-request-id": "traced-1" });
  expect(reply.status).toBe(200);
  const [request, failed, served] = await spansOf("traced-1", 3);
  expect(request).toMatchObject({ traceId, parentId: callersSpan, name: "POST /v1/chat/completions", kind: 2, status: 0 });
  expect(request!.attributes).toEqual({
    "http.request.method": "POST",
    "http.route": "/v1/chat/completions",
    "http.response.status_code": 200,
    "url.scheme": "http",
    "svc.operation": "createChatCompletion",
    "svc.model": "demo/chat",
    "svc.request_id": "traced-1",
  });
  expect(request!.resource).toMatchObject({ "service.name": "svc-gateway" });
  expect(failed).toMatchObject({ traceId, name: "attempt north/chat+sim-fail-503", kind: 3, status: 2 });
  expect(failed!.attributes).toMatchObject({ "svc.outcome": "unavailable", "http.response.status_code": 503, "error.type": "unavailable" });
  expect(failed!.attributes["gen_ai.usage.output_tokens"]).toBeUndefined();
  const { usage } = reply.json as { usage: { prompt_tokens: number; completion_tokens: number } };
  expect(served).toMatchObject({ traceId, name: "attempt south/chat", kind: 3, status: 0 });
  expect(served!.attributes).toMatchObject({
    "svc.route": "south/chat",
    "svc.outcome": "ok",
    "gen_ai.request.model": "chat",
    "gen_ai.usage.input_tokens": usage.prompt_tokens,
    "gen_ai.usage.output_tokens": usage.completion_tokens,
  });
  for (const span of [failed!, served!]) {
    expect(span.start).toBeGreaterThanOrEqual(request!.start);
    expect(span.end).toBeLessThanOrEqual(request!.end);
  }
  expect(sentUpstream()).toEqual([failed, served].map((span) => `00-${traceId}-${span!.spanId}-01`));
});

test("a stream's attempt lasts to its end and knows its tokens", async () => {
  const reply = await chat("demo/stream", { "x-request-id": "traced-2" }, { stream: true, stream_options: { include_usage: true } });
  const { usage } = recordsOf(reply).findLast((record) => record.usage);
  const [request, served] = await spansOf("traced-2", 2);
  expect(request!.parentId).toBe("");
  expect(served!.attributes["gen_ai.usage.output_tokens"]).toBe(usage.completion_tokens);
  const ms = (span: SentSpan) => Number((span.end - span.start) / 1_000_000n);
  expect(ms(served!)).toBeGreaterThanOrEqual(Number(served!.attributes["svc.answer_ms"]));
});

test("a stream that broke is an attempt that failed, to its end", async () => {
  await chat("demo/cut", { "x-request-id": "traced-cut" }, { stream: true });
  const [, broken] = await spansOf("traced-cut", 2);
  expect(broken).toMatchObject({ status: 2, attributes: { "svc.outcome": "interrupted", "http.response.status_code": 200 } });
  expect(broken!.attributes["gen_ai.usage.output_tokens"]).toBeUndefined();
});

test("a request that no route serves is an error with its code; an invalid one is not", async () => {
  expect((await chat("demo/broken", { "x-request-id": "traced-3" })).status).toBe(503);
  const [request] = await spansOf("traced-3", 2);
  expect(request).toMatchObject({ status: 2, attributes: { "svc.error_code": "provider_unavailable", "http.response.status_code": 503 } });
  expect((await chat("a-model-of-mine", { "x-request-id": "traced-4", traceparent: "nonsense" })).status).toBe(404);
  const [refused] = await spansOf("traced-4", 1);
  expect(refused).toMatchObject({ status: 0, parentId: "", attributes: { "svc.error_code": "model_not_found" } });
  expect(refused!.attributes["svc.model"]).toBeUndefined();
});

test("a media job's attempt belongs to the trace of the request that submitted it", async () => {
  const account = await gateway.createAccount({ deposit: "20" });
  gateway.simulator.reset();
  const headers = { "x-request-id": "traced-5", traceparent: `00-${"c".repeat(32)}-${callersSpan}-01` };
  const body = { model: "demo/image", prompt: "A boat" };
  expect((await gateway.request("POST", "/v1/images/generations", { key: account.key, body, headers })).status).toBeLessThan(300);
  const [request, attempt] = await spansOf("traced-5", 2);
  expect(attempt).toMatchObject({ traceId: "c".repeat(32), parentId: request!.spanId, name: "attempt east/vendor/image", kind: 3 });
  expect(sentUpstream()[0]).toBe(`00-${"c".repeat(32)}-${attempt!.spanId}-01`);
});

test("an unsampled request is not exported, and the upstream gets the flag", async () => {
  await chat("demo/stream", { traceparent: `00-${"d".repeat(32)}-${callersSpan}-00`, "x-request-id": "untraced" });
  expect(sentUpstream().map((header) => String(header).replace(/-[0-9a-f]{16}-/, "-…-"))).toEqual([`00-${"d".repeat(32)}-…-00`]);
  await chat("demo/stream", { "x-request-id": "after" });
  await spansOf("after", 2);
  expect(collector.spans.filter((span) => span.traceId === "d".repeat(32))).toEqual([]);
});

test("no prompt, answer, key, address of an account or unknown path is in a span", async () => {
  const account = await gateway.createAccount({ deposit: "20" });
  const messages = [{ role: "user", content: "my-secret-prompt" }];
  const headers = { "x-request-id": "traced-7", tracestate: "vendor=my-secret-state", baggage: "k=my-secret-baggage" };
  await gateway.request("POST", "/v1/chat/completions", {
    key: account.key,
    body: { model: "demo/stream", messages, user: "my-secret-user" },
    headers,
  });
  await gateway.request("GET", `/v1/${account.key}?key=${account.key}`, {
    key: account.key,
    unchecked: true,
    headers: { "x-request-id": "traced-8" },
  });
  await gateway.request("PATCH", `/v1/auth/keys/${account.key}`, {
    key: account.key,
    unchecked: true,
    headers: { "x-request-id": "traced-9" },
  });
  await spansOf("traced-7", 2);
  expect((await spansOf("traced-8", 1))[0]!.name).toBe("GET");
  await spansOf("traced-9", 1);
  const sent = collector.bytes().toString("latin1");
  for (const secret of ["my-secret", account.key, account.email, account.id, "Hello", "A boat"]) expect(sent).not.toContain(secret);
});

test("what was sent is counted", async () => {
  await scrapeUntil(gateway, (page) => page.figure("svc_trace_spans_total", { outcome: "sent" }) === collector.spans.length);
});
