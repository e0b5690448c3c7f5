import { afterEach, describe, expect, test } from "vitest";
import { auth, call, chat, startEdge } from "./start-edge.ts";
import type { EdgeUnderTest } from "./start-edge.ts";

let edge: EdgeUnderTest;
afterEach(() => edge.close());

describe("probes need no key", () => {
  test("/healthz and /health are 200 while the process lives", async () => {
    edge = await startEdge({ unready: async () => "not yet" });
    for (const path of ["/healthz", "/health"]) expect((await call(edge, path)).status).toBe(200);
  });
  test.each([
    ["finds nothing", async () => null, 200, undefined],
    ["finds a reason", async () => "the database only reads", 503, "the database only reads"],
    ["throws", () => Promise.reject(new Error("secret")), 503, "the check failed"],
    ["hangs", () => new Promise<null>(() => {}), 503, "the database does not answer in time"],
  ])("/readyz when the check %s: %i, with its reason", async (_title, unready, status, reason) => {
    edge = await startEdge({ unready });
    const answer = await call(edge, "/readyz");
    expect([answer.status, (answer.body as { reason?: string }).reason]).toEqual([status, reason]);
  });
  test("/metrics counts by operation and status", async () => {
    edge = await startEdge();
    await call(edge, "/v1/chat/completions", { json: chat, headers: auth });
    await call(edge, "/v1/chat/completions", { json: chat });
    await call(edge, "/v1/nothing");
    const { headers, text } = await call(edge, "/metrics");
    expect(headers.get("content-type")).toContain("text/plain");
    expect(text).toContain('svc_http_requests_total{operation="createChatCompletion",status="200"} 1');
    expect(text).toContain('svc_http_requests_total{operation="createChatCompletion",status="401"} 1');
    expect(text).toContain('svc_http_requests_total{operation="none",status="404"} 1');
    expect(text).toContain('svc_http_request_duration_seconds_count{operation="createChatCompletion",status="200"} 1');
    expect(text).toContain("svc_http_requests_in_flight 1");
    expect(text).toContain("process_cpu_seconds_total");
  });
});
