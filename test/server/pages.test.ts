import { afterEach, describe, expect, test } from "vitest";
import { errors } from "../../generated/errors.ts";
import { escapeHtml } from "../../src/server/page-html.ts";
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

describe("documentation", () => {
  test("/docs/errors has an entry for every code's doc_url, escaped, and may run nothing", async () => {
    edge = await startEdge();
    const { status, text, headers } = await call(edge, "/docs/errors");
    expect(status).toBe(200);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    for (const [code, row] of Object.entries(errors)) {
      expect(text).toContain(`id="${code}"`);
      expect(text).toContain(escapeHtml(row.happened));
      expect(text).toContain(escapeHtml(row.fix));
    }
    expect(text).not.toContain("<script");
  });
  test("a job's code says where it is read, and what a run that waited for it answers", async () => {
    edge = await startEdge();
    const { text } = await call(edge, "/docs/errors");
    const entryOf = (code: string) => text.slice(text.indexOf(`id="${code}"`)).split("</section>")[0];
    expect(entryOf("content_policy_nsfw")).toContain("<dd>422; 200 where a failed job is read");
    expect(entryOf("content_policy_nsfw")).toContain("<code>GET /v1/jobs/{id}</code>");
    expect(entryOf("timeout")).toContain("<dd>504; 200 where");
    expect(entryOf("provider_error")).toContain("<dd>500, 502; 200 where");
    expect(entryOf("invalid_prompt")).toContain("<dd>400</dd>");
  });
  test("markup in a text stays text", () => {
    expect(escapeHtml(`<img src=x onerror="a('b')">&`)).toBe("&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;&amp;");
  });
  test("/docs links the error page and the OpenAPI document, which is served", async () => {
    edge = await startEdge();
    const index = await call(edge, "/docs");
    expect(index.text).toContain('href="/docs/errors"');
    expect(index.text).toContain('href="/openapi.json"');
    expect((await call(edge, "/openapi.json")).body.openapi).toBe("3.1.1");
  });
});
