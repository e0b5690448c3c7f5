// The list of all operations, and the interactive reference, which is Scalar's and runs only in the reader's browser.
import { operationGroups, type OpenApi } from "./contract.ts";
import { escapeHtml } from "./html.ts";
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
