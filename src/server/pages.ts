// Everything the server answers outside /v1 and /media: the front page, the probes, the documentation (docs-portal.ts) and the pages
// that mails link to. All are GET (and so HEAD), all are public.
import { createHash, timingSafeEqual } from "node:crypto";
import { accountPageHeaders, resetPasswordPage, resetPasswordScript, verifyPage, verifyScript } from "./account-pages.ts";
import { openDocs, type Page, wantsHtml } from "./docs-portal.ts";
import type { Edge, Exchange } from "./edge.ts";

/** Finds the page of a path; undefined where there is none. */
export type Pages = (exchange: Exchange) => Page | undefined | Promise<Page | undefined>;

export function createPages(edge: Edge): Pages {
  const fixed = (headers: Record<string, string>, text: string): Page => {
    const reply = { status: 200, headers, bytes: Buffer.from(text) };
    return () => reply;
  };
  const pages = new Map<string, Page>([
    ["/verify", fixed(accountPageHeaders(verifyScript), verifyPage())],
    ["/reset-password", fixed(accountPageHeaders(resetPasswordScript), resetPasswordPage())],
    ...Object.entries(probePages(edge)),
  ]);
  const docs = openDocs(edge);
  // Agents probe this path before they start.
  const door = { status: "ok", docs: "/docs", openapi: "/openapi.json" };
  const headers = { vary: "accept" };
  const forAgents = fixed({ ...headers, "content-type": "application/json" }, JSON.stringify(door));
  // Relative: the gateway may stand below a path.
  const forReaders: Page = () => ({ status: 302, headers: { ...headers, location: "docs" } });
  const frontDoor = ({ req }: Exchange) => (wantsHtml(req) ? forReaders : forAgents);
  return (exchange) => (exchange.path === "/" ? frontDoor(exchange) : (pages.get(exchange.path) ?? docs(exchange)));
}

// The pages for machines: /healthz, /readyz and /metrics. They need no key; /metrics needs a token of its own where the operator has
// set one.

/** A load balancer's probe waits about this long; a database that hangs counts as unavailable. */
const readyWaitMs = 2_000;

function probePages(edge: Edge): Record<string, Page> {
  const alive: Page = () => json(200, { status: "ok" });
  return {
    "/healthz": alive,
    "/health": alive,
    "/readyz": async () => {
      const reason = await whyUnready(edge);
      return reason === null ? json(200, { status: "ready" }) : json(503, { status: "unavailable", reason });
    },
    "/metrics": async ({ req }) => {
      if (!mayRead(edge.context.config.metricsToken, req.headers.authorization)) return unauthorized;
      const headers = { "content-type": edge.metrics.contentType, "cache-control": "no-store" };
      return { status: 200, headers, bytes: Buffer.from(await edge.metrics.text()) };
    },
  };
}

const unauthorized = {
  ...json(401, { error: { message: "/metrics asks for the bearer token that SVC_METRICS_TOKEN holds.", type: "authentication_error" } }),
  headers: { "content-type": "application/json", "cache-control": "no-store", "www-authenticate": 'Bearer realm="metrics"' },
};

/** Digests are compared, since they are of one length: how long it takes says nothing of the token. */
function mayRead(token: string | null, authorization: string | undefined): boolean {
  if (token === null) return true;
  const given = /^bearer +(.+)$/i.exec(authorization ?? "")?.[1];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Null: it is ready. */
async function whyUnready(edge: Edge): Promise<string | null> {
  if (edge.closing) return "the gateway is ending";
  const patience = Promise.withResolvers<string>();
  const timer = setTimeout(() => patience.resolve("the database does not answer in time"), readyWaitMs);
  try {
    return await Promise.race([edge.unready(), patience.promise]);
  } catch (error) {
    edge.context.log.warn({ err: error }, "readiness check failed");
    return "the check failed";
  } finally {
    clearTimeout(timer);
  }
}

function json(status: number, body: object) {
  return { status, headers: { "content-type": "application/json", "cache-control": "no-store" }, bytes: Buffer.from(JSON.stringify(body)) };
}
