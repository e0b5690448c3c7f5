// /docs: what this is, a first call with this gateway's own address, and where to continue; and the page of an unknown address.
import { operationGroups } from "./contract.ts";
import { escapeHtml } from "../text/html.ts";
import { samplesBlock } from "./html.ts";
import type { Block, Page, PortalFacts, Sample } from "./types.ts";

export function landingPage(facts: PortalFacts, guides: readonly Page[]): Page {
  return {
    path: "",
    title: "Documentation",
    summary: "Many AI models behind one address, one key and one prepaid balance in US dollars.",
    shape: "landing",
    blocks: () => [firstCall(facts), startHere(facts, guides), about(facts)],
  };
}

function firstCall({ publicUrl, here }: PortalFacts): Block {
  const samples = samplesBlock(samplesFor(publicUrl).map((sample) => ({ ...sample, code: here.code(sample.code) })));
  const install = `npm install ${here.address}/docs/svc-sdk.tgz`;
  const note = `The SDKs of OpenAI and Anthropic work once their base address and key are changed. \`svc-sdk\` is this gateway's own client: \`${install}\`.`;
  return {
    html: (tools) =>
      `<section class="first-call"><h2 id="first-call">First call</h2>${samples.html(tools)}<div class="note">${tools.markdown(note)}</div></section>`,
    markdown: `## First call\n\n${samples.markdown}\n\n${note}\n`,
  };
}

function samplesFor(publicUrl: string | null): Sample[] {
  const shell = publicUrl ?? "$SVC_URL";
  const script = publicUrl === null ? "process.env.SVC_URL" : JSON.stringify(publicUrl);
  const python = publicUrl === null ? 'os.environ["SVC_URL"] + "/v1"' : JSON.stringify(`${publicUrl}/v1`);
  return [
    {
      language: "sh",
      code: `curl ${shell}/v1/chat/completions \\
  -H "Authorization: Bearer $SVC_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "best", "messages": [{"role": "user", "content": "Hello!"}]}'`,
    },
    {
      language: "ts",
      code: `import Svc from "svc-sdk";

const svc = new Svc({ baseURL: ${script}, apiKey: process.env.SVC_KEY });

const answer = await svc.chat.completions.create({
  model: "best",
  messages: [{ role: "user", content: "Hello!" }],
});
console.log(answer.choices[0]?.message.content, answer.usage.cost);`,
    },
    {
      language: "python",
      code: `import os
from openai import OpenAI

client = OpenAI(base_url=${python}, api_key=os.environ["SVC_KEY"])

answer = client.chat.completions.create(
    model="best",
    messages=[{"role": "user", "content": "Hello!"}],
)
print(answer.choices[0].message.content)`,
    },
  ];
}

interface Card {
  href: string;
  title: string;
  text: string;
}

function startHere({ interactive }: PortalFacts, guides: readonly Page[]): Block {
  const reference: Card[] = [
    {
      href: "/docs/api",
      title: "API reference",
      text: interactive ? "Every operation, to be tried in the page with your key." : "Every operation.",
    },
    { href: "/docs/endpoints", title: "Endpoints", text: "A plain page for each operation: fields, examples, errors." },
    { href: "/docs/errors", title: "Error codes", text: "What happened, how to fix it, whether to send it again." },
    { href: "/docs/models", title: "Models and prices", text: "What is served now, and what it costs." },
    { href: "/docs/credits", title: "Credit", text: "How credit is added, and what it opens." },
    { href: "/docs/changelog", title: "Changelog", text: "What was added to the API, newest first." },
  ];
  const ofGuides = guides.map(({ path, title, summary }) => ({ href: `/docs/${path}`, title, text: summary }));
  const sections: [string, Card[]][] = [
    ["Guides", ofGuides],
    ["Reference", reference],
  ];
  return {
    html: ({ link }) =>
      sections
        .map(
          ([title, cards]) =>
            `<section><h2 id="${title.toLowerCase()}">${title}</h2><ul class="cards">${cards
              .map(
                (card) => `<li><a href="${link(card.href)}"><b>${escapeHtml(card.title)}</b><span>${escapeHtml(card.text)}</span></a></li>`,
              )
              .join("")}</ul></section>`,
        )
        .join(""),
    markdown: sections
      .map(([title, cards]) => `## ${title}\n\n${cards.map((card) => `- [${card.title}](${card.href}): ${card.text}\n`).join("")}`)
      .join("\n"),
  };
}

function about({ document }: PortalFacts): string {
  const count = operationGroups(document).reduce((sum, { operations }) => sum + operations.length, 0);
  return `## What holds everywhere

${document.info.description ?? ""}

## For programs

All ${count} operations as [OpenAPI 3.1](/openapi.json) and [OpenAPI 3.2](/openapi-3.2.json). Every page is there as Markdown: put \`.md\` behind its
address, or ask for \`text/markdown\`. [llms.txt](/llms.txt) lists them; [llms-full.txt](/llms-full.txt) holds the guides and the reference in one file.
[\`GET /v1/errors\`](/docs/api/listErrors) and [\`GET /v1/models\`](/docs/api/listModels) need no key.`;
}

/** For any address below /docs that has no page; `depth`: how many segments it has there. */
export function notFoundPage(depth: number): Page {
  return {
    path: Array(depth).fill("x").join("/"),
    shape: "missing",
    title: "There is no such page",
    summary: "This address leads to no page of the documentation.",
    blocks: () => [
      "This address leads to no page of the documentation. The [start](/docs), the [endpoints](/docs/endpoints) and the [error codes](/docs/errors) are a good place to go on.",
    ],
  };
}
