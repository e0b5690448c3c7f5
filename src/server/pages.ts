// Everything the server answers outside /v1 and /media: the front door, the probes, the documentation (docs-portal.ts) and the
// pages that mails link to. All are GET (and so HEAD), all are public.
import { accountPageHeaders, resetPasswordPage, resetPasswordScript, verifyPage, verifyScript } from "./account-pages.ts";
import { openDocs, wantsHtml } from "./docs-portal.ts";
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
    ["/verify", fixed(accountPageHeaders(verifyScript), verifyPage())],
    ["/reset-password", fixed(accountPageHeaders(resetPasswordScript), resetPasswordPage())],
    ...Object.entries(probePages(edge)),
  ]);
  const docs = openDocs(edge);
  // Agents knock here before they start.
  const door = { status: "ok", docs: "/docs", openapi: "/openapi.json" };
  const headers = { vary: "accept" };
  const forAgents = fixed({ ...headers, "content-type": "application/json" }, JSON.stringify(door));
  // Relative: the gateway may stand below a path.
  const forReaders: Page = () => ({ status: 302, headers: { ...headers, location: "docs" } });
  const frontDoor = ({ req }: Exchange) => (wantsHtml(req) ? forReaders : forAgents);
  return (exchange) => (exchange.path === "/" ? frontDoor(exchange) : (pages.get(exchange.path) ?? docs(exchange)));
}
