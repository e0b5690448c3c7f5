// Everything the server answers outside /v1: the front door, the probes, the documentation, the OpenAPI document and the
// pages that mails link to.
// All are GET (and so HEAD), all are public.
import { accountPageHeaders, resetPasswordPage, resetPasswordScript, verifyPage, verifyScript } from "./account-pages.ts";
import { docsCreditsPage } from "./docs-credits.ts";
import { docsIndexPage, errorsPage, pageHeaders } from "./docs-errors.ts";
import type { Edge } from "./edge.ts";
import { probePages } from "./health.ts";

interface PageReply {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
}

export type Page = () => PageReply | Promise<PageReply>;

export function createPages(edge: Edge, openapi: Buffer): Map<string, Page> {
  const fixed = (headers: Record<string, string>, text: string | Buffer): Page => {
    const reply = { status: 200, headers, bytes: Buffer.from(text) };
    return () => reply;
  };
  return new Map<string, Page>([
    // Agents knock here before they start (WIRE.md 6.1).
    ["/", fixed({ "content-type": "application/json" }, JSON.stringify({ status: "ok", docs: "/docs", openapi: "/openapi.json" }))],
    ["/docs", fixed(pageHeaders, docsIndexPage())],
    ["/docs/errors", fixed(pageHeaders, errorsPage())],
    // Made anew each time: the port, and so the address in its example, is known late.
    ["/docs/credits", () => ({ status: 200, headers: pageHeaders, bytes: Buffer.from(docsCreditsPage(creditsFacts(edge))) })],
    ["/verify", fixed(accountPageHeaders(verifyScript), verifyPage())],
    ["/reset-password", fixed(accountPageHeaders(resetPasswordScript), resetPasswordPage())],
    [
      "/openapi.json",
      fixed({ "content-type": "application/json", "cache-control": "public, max-age=300", "access-control-allow-origin": "*" }, openapi),
    ],
    ...Object.entries(probePages(edge)),
  ]);
}

function creditsFacts({ publicUrl, context }: Edge) {
  return { publicUrl, canPay: context.payments !== null };
}
