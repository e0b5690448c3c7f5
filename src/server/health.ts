// The pages that machines ask for: /healthz, /readyz and /metrics. None needs a key, none is under /v1.
import type { Edge } from "./edge.ts";
import type { Page } from "./pages.ts";

/** A load balancer's probe waits about this long; a database that hangs is as good as one that is gone. */
const readyWaitMs = 2_000;

export function probePages(edge: Edge): Record<string, Page> {
  const alive: Page = () => json(200, { status: "ok" });
  return {
    "/healthz": alive,
    "/health": alive,
    "/readyz": async () => ((await isReady(edge)) ? json(200, { status: "ready" }) : json(503, { status: "unavailable" })),
    "/metrics": async () => ({
      status: 200,
      headers: { "content-type": edge.metrics.contentType },
      bytes: Buffer.from(await edge.metrics.text()),
    }),
  };
}

async function isReady(edge: Edge): Promise<boolean> {
  if (edge.closing) return false;
  const patience = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => patience.resolve(false), readyWaitMs);
  try {
    return await Promise.race([edge.ready(), patience.promise]);
  } catch (error) {
    edge.context.log.warn({ err: error }, "readiness check failed");
    return false;
  } finally {
    clearTimeout(timer);
  }
}

function json(status: number, body: object) {
  return { status, headers: { "content-type": "application/json", "cache-control": "no-store" }, bytes: Buffer.from(JSON.stringify(body)) };
}
