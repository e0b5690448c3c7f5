// SVC_METRICS_TOKEN: who may read /metrics; and the shipped scrape configuration, asked with what it says.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readConfig } from "../../src/config.ts";
import { root } from "../robustness/image.ts";
import { auth, call, type EdgeUnderTest, startEdge } from "./start-edge.ts";

const token = "9c1c3d7f5e0a4b62";
let edge: EdgeUnderTest;
afterEach(() => edge.close());

describe("/metrics", () => {
  test("401 without the token, with another, with a part of it, with a key; 200 with it, in any case of the scheme", async () => {
    edge = await startEdge({ env: { SVC_METRICS_TOKEN: token } });
    const refused = [
      undefined,
      "",
      token,
      "Bearer",
      "Bearer ",
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token}0`,
      `Basic ${token}`,
      auth.authorization,
    ];
    for (const authorization of refused) {
      const answer = await call(edge, "/metrics", authorization === undefined ? {} : { headers: { authorization } });
      expect([authorization, answer.status, answer.headers.get("www-authenticate")]).toEqual([
        authorization,
        401,
        'Bearer realm="metrics"',
      ]);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.text).not.toMatch(new RegExp(`svc_http|${token}`));
    }
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      const answer = await call(edge, "/metrics", { headers: { authorization: `${scheme} ${token}` } });
      expect(answer.status).toBe(200);
      expect(answer.text).toContain("svc_http_requests_total");
    }
    expect(JSON.stringify(edge.logs)).not.toContain(token);
  });

  test("none else asks for it: probes and pages are as they were", async () => {
    edge = await startEdge({ env: { SVC_METRICS_TOKEN: token } });
    for (const path of ["/healthz", "/readyz", "/"]) expect((await call(edge, path)).status).toBe(200);
  });

  test("200 for everybody where it is not set", async () => {
    edge = await startEdge();
    expect((await call(edge, "/metrics")).status).toBe(200);
  });

  test("one that a header can't carry stops the start without being repeated", async () => {
    edge = await startEdge();
    for (const bad of ["with a blank inside it", "ümlaute-und-noch-mehr", "a\nline"]) {
      const start = () => readConfig({ SVC_METRICS_TOKEN: bad });
      expect(start).toThrow(/^SVC_METRICS_TOKEN must be printable ASCII/);
      expect(start).not.toThrow(bad);
    }
  });

  test("the shipped scrape configuration sends a bearer token, from a file, to every gateway of the shipped nginx", async () => {
    edge = await startEdge({ env: { SVC_METRICS_TOKEN: token } });
    const file = parse(readFileSync(join(root, "deploy/prometheus/prometheus.yaml"), "utf8"));
    const [scrape] = file.scrape_configs;
    const { type = "Bearer", credentials_file } = scrape.authorization; // Prometheus' own default
    expect(credentials_file).toMatch(/^\//);
    const { metrics_path = "/metrics" } = scrape;
    expect((await call(edge, metrics_path, { headers: { authorization: `${type} ${token}` } })).status).toBe(200);
    const nginx = readFileSync(join(root, "deploy/nginx/nginx.conf"), "utf8");
    const servers = [...nginx.matchAll(/^ *server ([\d.]+:\d+) /gm)].map(([, address]) => address);
    expect(scrape.static_configs[0].targets).toEqual(servers);
    expect(readFileSync(join(root, "deploy/prometheus/alerts.yaml"), "utf8")).toContain(`job="${scrape.job_name}"`);
  });
});
