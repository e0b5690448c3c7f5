// Everything the server answers outside /v1 and /media: the front door, the probes, the documentation (docs-portal.ts) and the
// pages that mails link to. All are GET (and so HEAD), all are public.
import { accountPageHeaders, resetPasswordPage, resetPasswordScript, verifyPage, verifyScript } from "./account-pages.ts";
import { openDocs } from "./docs-portal.ts";
import type { Edge, Exchange } from "./edge.ts";
import { probePages } from "./health.ts";
import type { AnyReply } from "./reply.ts";

export type Page = (exchange: Exchange) => AnyReply | Promise<AnyReply>;

/** Finds the page of a path; undefined where there is none. */
export type Pages = (exchange: Exchange) => Page | undefined | Promise<Page | undefined>;

export function createPages(edge: Edge): Pages {
  const fixed = (headers: Record<string, string>, text: string): Page => {
    const reply = { status: 200, headers, bytes: Buffer.from(text) };
    return () => reply;
  };
  const pages = new Map<string, Page>([
    // Agents knock here before they start (WIRE.md 6.1).
    ["/", fixed({ "content-type": "application/json" }, JSON.stringify({ status: "ok", docs: "/docs", openapi: "/openapi.json" }))],
    ["/verify", fixed(accountPageHeaders(verifyScript), verifyPage())],
    ["/reset-password", fixed(accountPageHeaders(resetPasswordScript), resetPasswordPage())],
    ...Object.entries(probePages(edge)),
  ]);
  const docs = openDocs(edge);
  return (exchange) => pages.get(exchange.path) ?? docs(exchange);
}
