// The navigation beside every page: guides, reference, operations by tag. The page's own group is open.
import { operationGroups, type OpenApi } from "./contract.ts";
import { escapeHtml } from "./html.ts";
import type { Page } from "./types.ts";

export interface NavigationParts {
  document: OpenApi;
  guides: readonly Page[];
}

/** `link` says an address as the page does. */
export function navigationHtml({ document, guides }: NavigationParts, current: string, link: (href: string) => string): string {
  const item = (path: string, title: string, more = "") =>
    `<li><a href="${link(path === "" ? "/docs" : `/docs/${path}`)}"${path === current ? ' aria-current="page"' : ""}>${more}${escapeHtml(title)}</a></li>`;
  const list = (items: string[]) => `<ul>${items.join("")}</ul>`;
  const groups = operationGroups(document).map(({ tag, operations }) => {
    const open = operations.some(({ id }) => `api/${id}` === current) ? " open" : "";
    const items = operations.map(({ id, method, doc }) =>
      item(`api/${id}`, doc.summary ?? id, `<span class="method ${method.toLowerCase()}">${method}</span>`),
    );
    return `<details${open}><summary>${escapeHtml(tag)}</summary>${list(items)}</details>`;
  });
  return [
    list([item("", "Start")]),
    // On pages of the reference they would only be in the way.
    `<details class="group"${/^(?:api|errors|endpoints)\b/.test(current) ? "" : " open"}><summary>Guides</summary>${list(guides.map(({ path, title }) => item(path, title)))}</details>`,
    `<p>Reference</p>${list([item("api", "Try the API"), item("endpoints", "Endpoints"), item("errors", "Error codes"), item("credits", "Credit")])}`,
    `<p>Operations</p>${groups.join("")}`,
  ].join("");
}
