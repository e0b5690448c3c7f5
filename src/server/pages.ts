// Everything the server answers outside /v1 and /media: the front page, the probes, the documentation (docs-portal.ts), the console
// (console-files.ts) and the plain pages that mails lead to where there is no console. All are GET (and so HEAD), all are public.
import { createHash, timingSafeEqual } from "node:crypto";
import { openConsole } from "./console-files.ts";
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
  const site = openConsole(edge);
  const docs = openDocs(edge, site.built);
  // Agents probe this path before they start.
  const facts = { status: "ok", docs: "/docs", openapi: "/openapi.json" };
  const headers = { vary: "accept" };
  const forAgents = fixed({ ...headers, "content-type": "application/json" }, JSON.stringify(facts));
  // Relative, because the gateway may be below a path.
  const forReaders: Page = () => ({ status: 302, headers: { ...headers, location: site.built ? "console" : "docs" } });
  const startPage = ({ req }: Exchange) => (wantsHtml(req) ? forReaders : forAgents);
  return (exchange) => (exchange.path === "/" ? startPage(exchange) : (pages.get(exchange.path) ?? site.find(exchange) ?? docs(exchange)));
}

// The pages for machines: /healthz, /readyz, the keys that receipts are signed with, and /metrics. They need no key; /metrics needs a
// separate token if the operator has set one.

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
    "/.well-known/jwks.json": async () => {
      const keys = json(200, await edge.context.receiptKeys.jwks());
      return { ...keys, headers: { "content-type": "application/jwk-set+json", "cache-control": "public, max-age=300" } };
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

/** Compares digests, which have one length, so that timing reveals nothing about the token. */
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
  const timeout = Promise.withResolvers<string>();
  const timer = setTimeout(() => timeout.resolve("the database does not answer in time"), readyWaitMs);
  try {
    return await Promise.race([edge.unready(), timeout.promise]);
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

// /verify and /reset-password: the pages that our mails link to. The token stands behind the #, which browsers never send. It is used
// only in the one call that spends it, after a click, because scanners that open links before people do click nothing.

const style =
  ":root{color-scheme:light dark;background:#fff;color:#1b1b1f}" +
  "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}h1{font-size:1.5rem}" +
  "pre{background:#f1f1f4;padding:.8em;border-radius:3px;overflow-x:auto}" +
  "button,input{font:inherit;padding:.4em .8em}label{display:block;margin-bottom:.8rem}" +
  "@media(prefers-color-scheme:dark){:root{background:#17171a;color:#ececf0}pre{background:#26262b}}";

/** Only the page's own script runs, nothing loads, and no other page may frame it. */
function accountPageHeaders(script: string): Record<string, string> {
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy":
      `default-src 'none'; script-src '${hashOf(script)}'; style-src '${hashOf(style)}'; connect-src 'self'; ` +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  };
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

function verifyPage(): string {
  const form = `<form id="form"><button>Verify my email address</button></form>`;
  return accountPage("Verify your email address", form, verifyScript);
}

function resetPasswordPage(): string {
  const form = `<form id="form"><label>New password, 8 to 200 characters<br><input id="password" type="password" autocomplete="new-password" minlength="8" maxlength="200" required></label><button>Change my password</button></form>`;
  return accountPage("Choose a new password", form, resetPasswordScript);
}

function accountPage(title: string, form: string, script: string): string {
  const main = `<h1>${title}</h1>\n<noscript><p>This page needs JavaScript.</p></noscript>\n${form}\n<div id="result" role="status"></div>`;
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${style}</style></head><body><main>${main}</main>\n<script>${script}</script></body></html>\n`;
}

/** Text is never read as markup. The token leaves the address bar, and so the history, at once. */
const common = `"use strict";
const form = document.getElementById("form");
const result = document.getElementById("result");
const token = new URLSearchParams(location.hash.slice(1)).get("token");
history.replaceState(null, "", location.pathname);
function show(...lines) {
  result.replaceChildren(...lines.map(([tag, text]) => Object.assign(document.createElement(tag), { textContent: text })));
}
async function post(path, body) {
  const reply = await window.fetch(path, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  return { ok: reply.ok, body: await reply.json() };
}
function onSubmit(path, bodyOf, done) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    try {
      const { ok, body } = await post(path, bodyOf());
      if (ok) { form.hidden = true; done(body); } else show(["p", body.error.message]);
    } catch { show(["p", "The gateway did not answer. Try again in a moment."]); }
    button.disabled = false;
  });
}
if (!token) { form.hidden = true; show(["p", "The link is not complete. Open it again from the mail, or ask for a new one."]); }
`;

/** Addresses are relative, because the gateway may be below a path. */
const verifyScript = `${common}onSubmit("v1/auth/verify", () => ({ token }), (body) => {
  show(
    ["p", "The address " + body.user.email + " is verified."],
    ["p", body.credit_granted_usd > 0 ? body.credit_granted_usd.toFixed(2) + " USD of credit was added to your account." : "No credit was added."],
    ["p", "Your API key, shown here and never again:"],
    ["pre", body.api_key]);
});
`;

const resetPasswordScript = `${common}onSubmit("v1/auth/password/reset",
  () => ({ token, password: document.getElementById("password").value }),
  (body) => show(["p", "The password of " + body.user.email + " is changed. Every session has ended: sign in with the new password."]));
`;
