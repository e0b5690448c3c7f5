import { afterEach, describe, expect, test } from "vitest";
import { auth, call, chat, startEdge } from "./start-edge.ts";
import type { EdgeUnderTest } from "./start-edge.ts";

let edge: EdgeUnderTest;
afterEach(() => edge.close());

describe("probes need no key", () => {
  test("/healthz and /health are 200 while the process lives", async () => {
    edge = await startEdge({ ready: async () => false });
    for (const path of ["/healthz", "/health"]) expect((await call(edge, path)).status).toBe(200);
  });
  test.each([
    ["ready", async () => true, 200],
    ["not ready", async () => false, 503],
    ["throws", () => Promise.reject(new Error("db gone")), 503],
    ["hangs", () => new Promise<boolean>(() => {}), 503],
  ])("/readyz when the check %s: %i", async (_title, ready, status) => {
    edge = await startEdge({ ready });
    expect((await call(edge, "/readyz")).status).toBe(status);
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
