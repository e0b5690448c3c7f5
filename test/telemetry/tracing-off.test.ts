// Without a collector there is no tracing at all; an unavailable collector affects nothing but the operator's figures.
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { readConfig } from "../../src/config.ts";
import { hello, language, provider } from "../operations/chat/chat-gateway.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { spawnGateway } from "../support/spawned-gateway.ts";
import { startCollector } from "./collector.ts";
import { scrapeUntil } from "./scrape.ts";

const catalog = JSON.stringify({ providers: [provider("north")], models: [language("demo/chat", ["chat"])] });
let gateway: Gateway | null = null;
afterEach(async () => {
  await gateway?.stop();
  gateway = null;
});

async function chat(): Promise<number> {
  const { key } = await gateway!.createAccount({ deposit: "20" });
  const headers = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` };
  return (await gateway!.request("POST", "/v1/chat/completions", { key, body: { model: "demo/chat", messages: hello }, headers })).status;
}

test("off: an upstream gets no traceparent, not even its caller's", async () => {
  gateway = await startGateway({ catalog });
  expect(await chat()).toBe(200);
  expect(gateway.simulator.calls()[0]!.headers).not.toHaveProperty("traceparent");
});

test("an unavailable collector: calls are served, the lost spans are counted, and the gateway ends in time", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  gateway = await startGateway({ catalog, env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` } });
  expect(await chat()).toBe(200);
  await scrapeUntil(gateway, (page) => page.figure("svc_trace_spans_total", { outcome: "failed" })! >= 2);
});

describe("a process of its own", () => {
  /** Prints to standard error which of OpenTelemetry's packages are loaded; prom-client itself loads only the API package. */
  const watching = () => {
    const path = join(inject("runFolder"), "watch-loads.mjs");
    writeFileSync(
      path,
      `import { registerHooks } from "node:module";
       registerHooks({ resolve(name, context, next) { if (name.startsWith("@opentelemetry") && !context.parentURL.includes("/prom-client/")) console.error("LOADED " + name); return next(name, context); } });`,
    );
    return `--import=${path}`;
  };

  let database: TestDatabase;
  beforeAll(async () => void (database = await freshDatabase()));
  afterAll(() => database.drop());

  test("off: no package of OpenTelemetry is loaded", async () => {
    const off = await spawnGateway({ DATABASE_URL: database.url, NODE_OPTIONS: watching() });
    await off.kill("SIGTERM");
    expect(off.output()).toContain("gateway ready");
    expect(off.output()).not.toContain("LOADED");
  });

  test("on: what waits is sent before it ends, under the operator's names", async () => {
    await using collector = await startCollector();
    const names = { OTEL_SERVICE_NAME: "our-gateway", OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=stage" };
    const address = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` };
    const on = await spawnGateway({ DATABASE_URL: database.url, NODE_OPTIONS: watching(), ...names, ...address });
    await (await fetch(`${on.url}/v1/models`)).text();
    await on.kill("SIGTERM");
    expect(on.output()).toContain("LOADED @opentelemetry/sdk-trace");
    expect(collector.spans).toMatchObject([
      { name: "GET /v1/models", resource: { "service.name": "our-gateway", "deployment.environment.name": "stage" } },
    ]);
  });
});

describe("the settings", () => {
  const traces = (env: Record<string, string>) => readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/base/", ...env }).traces;
  test("unset, disabled or with another exporter there are no traces", () => {
    expect(readConfig({}).traces).toBeNull();
    expect(traces({ OTEL_SDK_DISABLED: "true" })).toBeNull();
    expect(traces({ OTEL_TRACES_EXPORTER: "none" })).toBeNull();
  });
  test("the address of traces is below the general one, or one of its own", () => {
    expect(traces({})).toEqual({ url: "http://collector:4318/base/v1/traces", sampler: { parentBased: true, ratio: 1 } });
    expect(traces({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://own/x" })?.url).toBe("http://own/x");
  });
  test.each([
    ["always_on", undefined, { parentBased: false, ratio: 1 }],
    ["always_off", undefined, { parentBased: false, ratio: 0 }],
    ["traceidratio", "0.25", { parentBased: false, ratio: 0.25 }],
    ["parentbased_traceidratio", "0.25", { parentBased: true, ratio: 0.25 }],
    ["parentbased_always_off", undefined, { parentBased: true, ratio: 0 }],
  ])("sampler %s %s", (name, argument, sampler) => {
    expect(traces({ OTEL_TRACES_SAMPLER: name, ...(argument && { OTEL_TRACES_SAMPLER_ARG: argument }) })?.sampler).toEqual(sampler);
  });
  test.each<Record<string, string>>([
    { OTEL_TRACES_SAMPLER: "jaeger_remote" },
    { OTEL_TRACES_SAMPLER_ARG: "2" },
    { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" },
  ])("%j stops the start", (env) => {
    expect(() => traces(env)).toThrow(/OTEL_/);
  });
  test("a sampler that isn't known stops the start, by its name, also without a collector", () => {
    expect(() => readConfig({ OTEL_TRACES_SAMPLER: "foo" })).toThrow(/^OTEL_TRACES_SAMPLER must be one of always_on, .*, not "foo"$/);
    expect(() => readConfig({ OTEL_TRACES_SAMPLER_ARG: "foo" })).toThrow("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1");
    expect(readConfig({ OTEL_TRACES_SAMPLER: "foo", OTEL_SDK_DISABLED: "true" }).traces).toBeNull();
  });
});
