// The pages beside the operations' own: the list of all operations, the interactive reference, which is Scalar's and runs only in the
// reader's browser, and the pages about credit and what changed.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { topupMinimumUsd } from "../network/own-addresses.ts";
import { type OpenApi, operationGroups } from "./contract.ts";
import { escapeHtml } from "../text/html.ts";
import type { Block, Page, PortalFacts } from "./types.ts";

export function endpointsPage({ document }: PortalFacts): Page {
  return {
    path: "endpoints",
    title: "Endpoints",
    kicker: "API",
    summary: "Every operation of the API, each with a page of its own.",
    blocks: () => endpointBlocks(document),
  };
}

/** /docs/api. Without Scalar it is the list of operations. */
export function referencePage({ document, interactive }: PortalFacts): Page {
  return {
    path: "api",
    title: "API reference",
    kicker: "API",
    summary: "The whole API; each operation can be tried in the page.",
    ...(interactive ? { shape: "reference" as const } : {}),
    blocks: () => endpointBlocks(document),
  };
}

function endpointBlocks(document: OpenApi): Block[] {
  const groups = operationGroups(document);
  return [
    "Everything stands below `/v1` of the gateway's address. As documents for tools: [OpenAPI 3.1](/openapi.json), [OpenAPI 3.2](/openapi-3.2.json).",
    ...groups.flatMap(({ tag, description, operations }): Block[] => [
      `## ${tag}\n\n${description}`,
      {
        html: ({ link }) =>
          `<ul class="endpoints">${operations
            .map(
              ({ id, method, path, doc }) =>
                `<li><a href="${link(`/docs/api/${id}`)}"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code> <span>${escapeHtml(doc.summary ?? "")}</span></a></li>`,
            )
            .join("")}</ul>`,
        markdown: operations
          .map(({ id, method, path, doc }) => `- [\`${method} ${path}\`](/docs/api/${id}): ${doc.summary ?? ""}\n`)
          .join(""),
      },
    ]),
  ];
}

// /docs/credits: how credit is added here, and what it unlocks. The target of every 402's topup_url, and the return page of a checkout.

export function creditsPage({ publicUrl, canPay }: Pick<PortalFacts, "publicUrl" | "canPay">): Page {
  return {
    path: "credits",
    title: "Credit",
    summary: "How credit is added, and what it opens.",
    blocks: () => [...(canPay === false ? [] : [byPayment(publicUrl)]), ...(canPay === true ? [] : [byOperator(canPay)]), rules],
  };
}

function byPayment(publicUrl: string | null): string {
  return `## Add credit

[Sign in](/docs/api/signIn) and ask for a checkout with the session token; an API key is not enough. The least amount is ${topupMinimumUsd} USD.

\`\`\`sh
curl ${publicUrl ?? "$SVC_URL"}/v1/credits/topup \\
  -H "Authorization: Bearer $SVC_SESSION" -H "Content-Type: application/json" \\
  -d '{"amount_usd": 20}'
\`\`\`

Open \`checkout_url\` of the reply in a browser and pay there. [\`GET /v1/credits/topup/{id}\`](/docs/api/getTopup) says when the payment was
confirmed, most often within seconds: the balance and the tier rise in that moment.

If you have just come back from a payment, there is nothing more to do.`;
}

function byOperator(canPay: boolean | null): string {
  const opening = canPay === null ? "Where there is no online payment, ask" : "This gateway takes no payments online. Ask";
  return `${canPay === null ? "## Without online payment" : "## Add credit"}

${opening} the operator to add credit, and say the email address of your account and the amount.`;
}

const rules = `## What it opens

An account that never added credit can call the models with \`free_tier: true\` in [\`GET /v1/models\`](/docs/api/listModels) only; any other
model answers 402 [\`model_requires_paid\`](/docs/errors#model_requires_paid). The credit given for signing up does not change that. The first
time credit is added opens every model.

All credit ever added sets the tier, and with it the rate limits ([\`GET /v1/limits/tiers\`](/docs/api/listTiers)).
[\`GET /v1/credits/balance\`](/docs/api/getCreditBalance) shows the balance and the tier; a call that it cannot pay for answers 402
[\`insufficient_credits\`](/docs/errors#insufficient_credits).`;

// /docs/changelog: what changed in the contract, newest day first. The text is spec/CHANGELOG.md, which `npm run generate` copies.

export function readChangelog(): string {
  return readFileSync(fileURLToPath(new URL("../../generated/changelog.md", import.meta.url)), "utf8");
}

export function changelogPage({ here }: Pick<PortalFacts, "here">): Page {
  return {
    path: "changelog",
    title: "Changelog",
    summary: "What was added to the API, newest first. Codes and fields are added, never renamed or given another meaning.",
    blocks: () => daysOf(here.text(readChangelog())).map(([day, changes]) => `## ${day}\n\n${changes.join("\n")}`),
  };
}

/** Its entries are `- DATE: text` and `- DATE, what of: text`, the oldest first; a longer entry goes on in indented lines. */
function daysOf(text: string): [day: string, changes: string[]][] {
  const entries = [...text.matchAll(/^- (\d{4}-\d\d-\d\d)(?:, beyond the specification)?(, [^:]*)?: (.*(?:\n {2}.*)*)/gm)];
  const changes = entries.map(([, day = "", of = "", said = ""]) => ({ day, text: `- ${capital(of.replace(/^, /, ""), said)}` }));
  return [...Map.groupBy(changes.reverse(), ({ day }) => day)].map(([day, all]) => [day, all.map((one) => one.text)]);
}

function capital(of: string, said: string): string {
  const text = of === "" ? said : `${of}: ${said}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
