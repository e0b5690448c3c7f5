// The pages for programs: their Markdown, llms.txt (llmstxt.org), which lists the pages for language models, and
// llms-full.txt, which has all but the least important pages in one file.
import { type OpenApi, operationGroups } from "./contract.ts";
import { placeOf, placeOfFile } from "./links.ts";
import { twinOf } from "./markdown.ts";
import type { Page, Site } from "./types.ts";

interface LlmsParts {
  /** What the service is called. */
  name: string;
  document: OpenApi;
  pages: ReadonlyMap<string, Page>;
  guides: readonly Page[];
  site: Site;
  /** Put before each link; "" makes them relative. */
  base: string;
}

const opening = (name: string) => `# ${name}

> Many AI models behind one address, one key and one prepaid balance in US dollars. Programs written for OpenAI's or Anthropic's API work
> once their base address and key are changed.`;

export function llmsText({ name, document, pages, guides, site, base }: LlmsParts): string {
  const line = ({ path, title, summary }: Page) => `- [${title}](${base}${placeOf(path, site, "md")}): ${summary.replace(/\s+/g, " ")}`;
  const known = (path: string) => pages.get(path) as Page;
  const ofTags = operationGroups(document).map(
    ({ tag, operations }) => `## ${tag}\n\n${operations.map(({ id }) => line(known(`api/${id}`))).join("\n")}`,
  );
  const parts = [
    opening(name),
    `Send the key as \`Authorization: Bearer <API_KEY>\`. Branch on \`error.code\`; every code is explained at ${base}${placeOf("errors", site, "md")}.`,
    `## Guides\n\n${guides.map(line).join("\n")}`,
    `## Reference\n\n${["errors", "endpoints", "models", "credits", "changelog"].map((path) => line(known(path))).join("\n")}\n- [OpenAPI 3.1](${base}openapi.json): the contract\n- [OpenAPI 3.2](${base}openapi-3.2.json): the same, with the events of streams\n- [svc-sdk](${base}${placeOfFile("svc-sdk.tgz", site)}): this gateway's TypeScript SDK, for \`npm install\``,
    ...ofTags,
    `## Optional\n\n- [All of it in one file](${base}llms-full.txt)`,
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Guides, operations and the list of errors. Takes half a second of work, which yields to other requests. */
export async function llmsFullText({ pages, site }: LlmsParts): Promise<string> {
  const texts: string[] = [];
  for (const page of pages.values()) {
    if (page.path === "api" || page.path.startsWith("errors/")) continue;
    texts.push(pageMarkdown(page, site));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return texts.join("\n---\n\n");
}

// A page as Markdown, for programs and for people who prefer plain text.

export function pageMarkdown(page: Page, site: Site): string {
  const blocks = page.blocks().map((block) => (typeof block === "string" ? block : block.markdown));
  const parts = [`# ${page.title}`, `> ${page.summary}`, ...blocks].map((part) => twinOf(part, page.path, site).trim());
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}
