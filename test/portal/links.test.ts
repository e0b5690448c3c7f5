// Every link of the portal leads somewhere: as the gateway serves it, and as a static site under a prefix.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errors } from "../../generated/errors.ts";
import { operations } from "../../generated/operations.ts";
import { buildDocs } from "../../src/docs/build.ts";
import { startEdge, type EdgeUnderTest } from "../server/start-edge.ts";
import { crawl, type Fetched } from "./links.ts";
import { scratchFolder } from "../support/leftovers.ts";
import { oneInThree } from "../support/size.ts";

/** A page for each; guides and the rest come on top. */
const least = Object.keys(operations).length + Object.keys(errors).length;

describe("as the gateway serves it", () => {
  let edge: EdgeUnderTest;
  beforeAll(async () => void (edge = await startEdge()));
  afterAll(() => edge.close());

  async function read(address: string): Promise<Fetched> {
    const reply = await fetch(address, { headers: { accept: "text/html,*/*;q=0.8" } });
    const isHtml = reply.headers.get("content-type")!.startsWith("text/html");
    return { text: reply.ok ? await reply.text() : null, isHtml };
  }

  test("every link and anchor leads to something; nothing is loaded from elsewhere", async () => {
    const report = await crawl(`${edge.url}/docs`, `${edge.url}/`, read);
    expect(report).toMatchObject({ broken: [], foreignLoads: [] });
    expect(report.pages).toBeGreaterThan(least);
  });

  test("the links of Markdown twins and of llms.txt lead to twins and files", async () => {
    const known = new Map<string, boolean>();
    const broken: string[] = [];
    const queue = [`${edge.url}/llms.txt`];
    while (queue.length > 0) {
      const address = queue.shift() as string;
      if (known.has(address)) continue;
      const reply = await fetch(address);
      known.set(address, reply.ok);
      const text = await reply.text();
      if (!reply.ok) broken.push(address);
      if (!/^text\/(?:markdown|plain)/.test(reply.headers.get("content-type")!) || address.endsWith("llms-full.txt")) continue;
      const prose = text.replace(/^ *```[\s\S]*?^ *```/gm, "");
      for (const [, link] of prose.matchAll(/\]\(([^()\s]+)\)/g)) {
        const target = new URL(link!, address);
        target.hash = "";
        if (target.href.startsWith(edge.url)) queue.push(target.href);
      }
    }
    expect(broken).toEqual([]);
    expect(known.size).toBeGreaterThan(least);
  });
});

describe("npm run docs:build", () => {
  const folder = scratchFolder("docs-");

  const root = "https://files.example/any/prefix/";
  async function read(address: string): Promise<Fetched> {
    const file = join(folder, decodeURIComponent(new URL(address).href.slice(root.length)));
    return { text: existsSync(file) ? readFileSync(file, "utf8") : null, isHtml: file.endsWith(".html") };
  }

  oneInThree()("writes the same pages with relative links that all lead somewhere, and loads nothing from elsewhere", async () => {
    const pages = await buildDocs(folder, null);
    const report = await crawl(`${root}index.html`, root, read);
    expect(report).toMatchObject({ broken: [], foreignLoads: [] });
    expect(report.pages).toBeGreaterThan(pages);
    expect(readFileSync(join(folder, "index.html"), "utf8")).toContain("$SVC_URL");
  });

  oneInThree()("with SVC_PUBLIC_URL examples and the reference call that gateway, and only it", async () => {
    await buildDocs(folder, "https://gw.example");
    expect(readFileSync(join(folder, "index.html"), "utf8")).toContain("https://gw.example/v1/chat/completions");
    expect(JSON.parse(readFileSync(join(folder, "openapi-3.2.json"), "utf8"))).toMatchObject({ servers: [{ url: "https://gw.example" }] });
    expect(readFileSync(join(folder, "api.html"), "utf8")).toContain('connect-src &#39;self&#39; https://gw.example"');
    expect((await crawl(`${root}index.html`, root, read)).broken).toEqual([]);
  });
});
