// What the pages of the portal say, and how the server hands them out.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errors, type ErrorCode } from "../../generated/errors.ts";
import { operations } from "../../generated/operations.ts";
import { type OpenApi, toVersion32 } from "../../src/docs/contract.ts";
import { readShippedCatalog } from "../../src/catalog/load.ts";
import { escapeHtml } from "../../src/text/html.ts";
import { createPortal } from "../../src/docs/portal.ts";
import { call, startEdge, type EdgeUnderTest } from "../server/start-edge.ts";

let edge: EdgeUnderTest;
beforeAll(async () => void (edge = await startEdge({ publicUrl: "https://gw.example" })));
afterAll(() => edge.close());

const codes = Object.keys(errors) as ErrorCode[];
const html = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };

describe("/docs", () => {
  test("a first call in three languages at this gateway's own address, and the way to everything else", async () => {
    const { status, text } = await call(edge, "/docs", html);
    expect(status).toBe(200);
    for (const language of ["curl", "TypeScript", "Python"]) expect(text).toContain(`data-language="${language}"`);
    expect(text).toContain("https://gw.example/v1/chat/completions");
    for (const place of ["docs/api", "docs/errors", "docs/credits", "docs/endpoints", "openapi.json", "llms.txt"])
      expect(text).toContain(`href="${place}"`);
  });

  test("every operation has a page: its fields, an example, every code that it declares", async () => {
    for (const { id, method, path, errors: declared } of Object.values(operations)) {
      const { status, text } = await call(edge, `/docs/api/${id}`, html);
      expect([id, status]).toEqual([id, 200]);
      expect(text).toContain(`${method.toUpperCase()}</span>`);
      expect(text).toContain(`https://gw.example${path.split("{")[0]}`);
      expect(declared.length).toBeGreaterThan(0);
      expect(text.split('id="errors"')[1]!.match(/<tr>/g)!.length).toBeGreaterThan(1);
      expect(text).not.toMatch(/undefined|\[object Object\]/);
    }
  });

  test("the menu lists no operation that answers 404 to customers, but beside those operations' own pages", async () => {
    const menuOf = async (path: string) => /<nav class="menu"[\s\S]*?<\/nav>/.exec((await call(edge, path, html)).text)![0];
    for (const path of ["/docs", "/docs/errors", "/docs/api/createImage"]) {
      const menu = await menuOf(path);
      expect(menu).toContain("<summary>Account</summary>");
      expect(menu).not.toContain("<summary>Operator</summary>");
    }
    expect(await menuOf("/docs/api/listOperatorSettings")).toContain("<details open><summary>Operator</summary>");
  });

  test("the bar and the menu lead to the console, where there is one", async () => {
    const known = {
      document: (await call(edge, "/openapi.json")).text,
      catalog: readShippedCatalog(),
      canPay: false,
    };
    const linkOf = (site: "live" | "static", publicUrl: string | null, hasConsole: boolean, path: string) =>
      createPortal({ site, ...known, publicUrl, hasConsole, service: { name: null, logo: null }, scalar: null })
        .html(path)!
        .match(/[^"]+(?=">Console<)/g);
    expect(linkOf("live", "https://gw.example", true, "api/createImage")).toEqual(["../../console", "../../console"]);
    expect(linkOf("live", "https://gw.example", true, "")).toEqual(["console", "console"]);
    expect(linkOf("static", "https://gw.example/ai", true, "errors")).toEqual([
      "https://gw.example/ai/console",
      "https://gw.example/ai/console",
    ]);
    expect(linkOf("live", "https://gw.example", false, "")).toBeNull();
  });

  test("a page of a method is found by the operation's name alone", async () => {
    expect((await call(edge, "/docs/api/createNothing", html)).status).toBe(404);
  });
});

describe("/docs/errors", () => {
  test("has an entry for every code's doc_url, escaped, and runs nothing but our own files", async () => {
    const { status, text, headers } = await call(edge, "/docs/errors", html);
    expect(status).toBe(200);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    const inText = (words: string) => escapeHtml(words).replace(/`([^`]+)`/g, "<code>$1</code>");
    for (const code of codes) {
      expect(text).toContain(`id="${code}"`);
      expect(text).toContain(inText(errors[code].happened));
      expect(text).toContain(inText(errors[code].fix));
    }
    expect(text.match(/<script[^>]*>[^<]*/g)).toEqual([
      expect.stringMatching(/^<script src="assets\/theme-\w+\.js">$/),
      expect.stringMatching(/^<script src="assets\/portal-\w+\.js" [^>]*>$/),
    ]);
  });

  test("a job's code says where it is read, and what a run that waited for it answers", async () => {
    const { text } = await call(edge, "/docs/errors", html);
    const entryOf = (code: string) => text.slice(text.indexOf(`id="${code}"`)).split("</section>")[0];
    expect(entryOf("content_policy_nsfw")).toContain("<dd>422; 200 where a failed job is read");
    expect(entryOf("content_policy_nsfw")).toContain("<code>GET /v1/jobs/{id}</code>");
    expect(entryOf("timeout")).toContain("<dd>504; 200 where");
    expect(entryOf("provider_error")).toContain("<dd>500, 502; 200 where");
    expect(entryOf("invalid_prompt")).toContain("<dd>400</dd>");
  });

  test("every code has a page: what happened, how to fix it, the body as it is sent", async () => {
    for (const code of codes) {
      const { status, text } = await call(edge, `/docs/errors/${code}.md`);
      expect([code, status]).toEqual([code, 200]);
      expect(text).toContain(`# ${code}\n`);
      expect(text).toContain(errors[code].fix);
      if (!errors[code].reserved) expect(text).toContain("## Body");
    }
  });

  test("a code that several families say shows each family's body, with this gateway's address", async () => {
    const { text } = await call(edge, "/docs/errors/insufficient_credits.md");
    const bodies = [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) => JSON.parse(json!) as Record<string, any>);
    expect(bodies[0]).toMatchObject({
      error: { code: "insufficient_credits", doc_url: "https://gw.example/docs/errors#insufficient_credits" },
    });
    expect(bodies[0]!.topup_url).toBe("https://gw.example/docs/credits");
    expect(
      bodies.map((body) => (body.type === "error" ? "anthropic" : typeof body.error === "string" ? "genmedia" : "code" in body.error)),
    ).toEqual(expect.arrayContaining(["anthropic", "genmedia", true]));
  });

  test("a code that is another at one of its statuses shows both: type, retry and body", async () => {
    const { text } = await call(edge, "/docs/errors/provider_error.md");
    expect(text).toContain("`upstream_error`; with 500: `api_error`");
    expect(text).toContain("there is one; with 500: no; change the request first.");
    expect(text).toMatch(/500 of `POST \/v1\/images\/edits` and 3 others:[^`]*```json\n[^`]*"type": "api_error"/);
    expect(text).toMatch(/"type": "upstream_error"/);
    const { text: page } = await call(edge, "/docs/api/createImage.md");
    expect(page).toContain(errors.provider_error.at![500]!.happened);
  });
});

describe("twins", () => {
  test("Markdown at the path with .md, and at the path itself for who prefers it", async () => {
    for (const path of ["/docs", "/docs/errors", "/docs/api/createImage", "/docs/credits", "/docs/endpoints", "/docs/api"]) {
      const twin = await call(edge, `${path}.md`);
      expect([path, twin.status, twin.headers.get("content-type")]).toEqual([path, 200, "text/markdown; charset=utf-8"]);
      expect(twin.text).toMatch(/^# .+\n\n> /);
      const asked = await call(edge, path, { headers: { accept: "text/markdown, text/html, */*" } });
      expect([asked.text, asked.headers.get("vary")]).toEqual([twin.text, "accept, accept-encoding"]);
      const page = await call(edge, path, html);
      expect([page.headers.get("content-type"), page.headers.get("vary")]).toEqual(["text/html; charset=utf-8", "accept, accept-encoding"]);
      expect((await call(edge, path)).headers.get("content-type")).toBe("text/html; charset=utf-8");
    }
  });

  test("what guides say to our tests stands in none of them, wherever in the guide it stands", async () => {
    const { text } = await call(edge, "/llms-full.txt");
    expect(text).toContain("# Streaming");
    expect(text).not.toContain("<!--");
  });

  test("llms.txt lists guides, reference and every operation as Markdown; llms-full.txt holds them", async () => {
    const { text, headers } = await call(edge, "/llms.txt");
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(text).toMatch(/^# Gateway\n\n> /);
    for (const id of Object.keys(operations)) expect(text).toContain(`(https://gw.example/docs/api/${id}.md)`);
    const full = await call(edge, "/llms-full.txt");
    for (const { path } of Object.values(operations)) expect(full.text).toContain(path);
  });
});

describe("how they are handed out", () => {
  test("brotli, gzip or as it is, with an ETag of its own; known ones are 304 without a body", async () => {
    const tags = new Set<string>();
    for (const coding of ["br", "gzip", "identity"]) {
      const first = await call(edge, "/docs/errors", { headers: { "accept-encoding": coding } });
      expect(first.headers.get("content-encoding")).toBe(coding === "identity" ? null : coding);
      expect(first.headers.get("cache-control")).toBe("public, max-age=300");
      tags.add(first.headers.get("etag")!);
      const again = await call(edge, "/docs/errors", {
        headers: { "accept-encoding": coding, "if-none-match": `"other", W/${first.headers.get("etag")}` },
      });
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", first.headers.get("etag")]);
    }
    expect(tags.size).toBe(3);
    expect((await call(edge, "/docs/errors", { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });

  test("HEAD is the page without its body", async () => {
    const headers = { accept: "text/html", "accept-encoding": "identity" };
    const get = await fetch(`${edge.url}/docs/errors`, { headers });
    const head = await fetch(`${edge.url}/docs/errors`, { method: "HEAD", headers });
    expect(head.headers.get("content-length")).toBe(String((await get.arrayBuffer()).byteLength));
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test("every page carries the headers that keep it harmless; none allows a foreign origin", async () => {
    for (const path of ["/docs", "/docs/errors", "/docs/api", "/docs/credits", "/docs/nothing"]) {
      const { headers } = await call(edge, path, html);
      const policy = headers.get("content-security-policy")!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
      expect([headers.get("x-content-type-options"), headers.get("referrer-policy")]).toEqual(["nosniff", "no-referrer"]);
    }
  });

  test("an unknown path is a page with navigation for browsers, an error for programs, on POST as well", async () => {
    for (const path of [
      "/docs/nothing",
      "/docs/nothing/",
      "/docs/guides",
      "/docs/a//b",
      "/docs/assets/none.css",
      "/docs/errors/%3Cscript%3E",
    ]) {
      const page = await call(edge, path, html);
      expect([path, page.status, page.headers.get("content-type")]).toEqual([path, 404, "text/html; charset=utf-8"]);
      expect(page.text).toContain('aria-label="Documentation"');
      const start = /class="brand" href="([^"]+)"/.exec(page.text)![1]!;
      expect([path, new URL(start, edge.url + path).pathname]).toEqual([path, "/docs"]);
      const error = await call(edge, path);
      expect([error.status, error.body.error.code]).toEqual([404, "endpoint_not_found"]);
      expect((await call(edge, path, { method: "POST", ...html })).body.error.code).toBe("endpoint_not_found");
    }
    expect((await call(edge, "/docs/nothing", html)).text).toContain('<a href="../docs">start</a>');
    const deep = await call(edge, `/docs${"/a".repeat(2_000)}`, html);
    expect([deep.status, deep.body.error.code]).toEqual([404, "endpoint_not_found"]);
    const post = await call(edge, "/docs", { method: "POST", ...html });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });

  test("a guide's name alone, a slash at the end and a file's ending lead browsers to the page; programs get an error", async () => {
    for (const [path, page] of [
      ["/docs/quick-start", "/docs/guides/quick-start"],
      ["/docs/quick-start/", "/docs/guides/quick-start"],
      ["/docs/quick-start.html", "/docs/guides/quick-start"],
      ["/docs/guides/quick-start/", "/docs/guides/quick-start"],
      ["/docs/guides/quick-start.html", "/docs/guides/quick-start"],
      ["/docs/api/createImage/", "/docs/api/createImage"],
      ["/docs/errors/", "/docs/errors"],
      ["/docs/", "/docs"],
    ] as const) {
      for (const method of ["GET", "HEAD"]) {
        const { status, headers } = await fetch(edge.url + path, { method, redirect: "manual", ...html });
        const location = headers.get("location") ?? "";
        expect([path, status, location.startsWith("/")]).toEqual([path, 302, false]);
        expect([path, new URL(location, edge.url + path).pathname]).toEqual([path, page]);
        expect([headers.get("cache-control"), headers.get("vary")]).toEqual(["no-store", "accept"]);
      }
      const error = await call(edge, path);
      expect([path, error.status, error.body.error.code]).toEqual([path, 404, "endpoint_not_found"]);
    }
  });

  test("files have their content in their name and may be kept for ever; the interactive reference is one of them", async () => {
    const { text } = await call(edge, "/docs/api", html);
    const files = [...text.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(([, file]) => file!);
    expect(files).toHaveLength(6); // the theme's script, style, icon, our script, Scalar, what starts it
    for (const file of files) {
      const { status, headers } = await call(edge, `/docs/${file}`, { headers: { "accept-encoding": "br" } });
      expect([file, status, headers.get("cache-control")]).toEqual([file, 200, "public, max-age=31536000, immutable"]);
      expect(headers.get("content-encoding")).toBe("br");
    }
  });

  test("both OpenAPI documents are as generated but for this gateway's address, for pages of any origin", async () => {
    for (const [path, version, made] of [
      ["/openapi.json", "3.1.1", (document: object) => document],
      ["/openapi-3.2.json", "3.2.0", toVersion32],
    ] as const) {
      const { text, body, headers } = await call(edge, path);
      const generated = readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8");
      const here = made(JSON.parse(generated.replaceAll("https://gateway.example", "https://gw.example")) as object) as OpenApi;
      expect(body.servers).toEqual([{ url: "https://gw.example" }]);
      // Examples of catalog rows are this catalog's own.
      const rest = ({ paths, components }: OpenApi) => ({ paths: { ...paths, ...without }, components });
      const without = Object.fromEntries(Object.keys(here.paths).flatMap((one) => (one.startsWith("/v1/models") ? [[one, null]] : [])));
      expect(rest(JSON.parse(text) as OpenApi)).toEqual(rest(here));
      expect([body.openapi, headers.get("access-control-allow-origin")]).toEqual([version, "*"]);
    }
  });
});

test("where Scalar is not installed /docs/api lists the operations, and nothing offers to try them", () => {
  const document = readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8");
  const known = { catalog: readShippedCatalog(), publicUrl: null, canPay: false, hasConsole: false, service: { name: null, logo: null } };
  const portal = createPortal({ site: "live", document, ...known, scalar: null });
  const reference = portal.html("api")!;
  for (const id of Object.keys(operations)) expect(reference).toContain(`href="api/${id}"`);
  expect(reference).not.toMatch(/scalar|start-reference/i);
  expect(portal.html("api/createImage")).not.toContain("Try it");
  expect(portal.assets.all.map(({ name }) => name).join()).not.toContain("scalar");
});

test("markup in a text stays text", () => {
  expect(escapeHtml(`<img src=x onerror="a('b')">&`)).toBe("&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;&amp;");
});
