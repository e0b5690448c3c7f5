// Saves as a file what the page has read or made, a document, or a list as the gateway writes it: CSV of all pages, with the fields' names
// once. The SDK reads these addresses as JSON, so they are read without it.
import { sessionHeaders } from "./api.ts";
import { gatewayUrl } from "./place.ts";

interface Pages {
  path: string;
  query: Readonly<Record<string, string>>;
  name: string;
  /** Asks the same of the SDK, which throws what the catalogue says of the failure. */
  again: () => Promise<unknown>;
}

/** Of a thousand rows each, as the gateway gives them: the browser has them all in memory. */
const mostPages = 100;
export const savedRowsMax = mostPages * 1000;

/** Returns whether the file is cut: whether there are rows after those that it has. */
export async function savePages({ path, query, name, again }: Pages): Promise<boolean> {
  let search: string | null = String(new URLSearchParams(query));
  const parts: string[] = [];
  while (search !== null && parts.length < mostPages) {
    const reply: Response = await window.fetch(`${gatewayUrl}${path}?${search}`, { headers: { ...sessionHeaders(), accept: "text/csv" } });
    if (!reply.ok) {
      await again();
      throw new Error("the rows could not be read.");
    }
    const text = await reply.text();
    parts.push(parts.length === 0 ? text : text.slice(text.indexOf("\n") + 1));
    search = nextSearch(reply.headers.get("link"));
  }
  saveFile(name, new Blob(parts, { type: "text/csv" }));
  return search !== null;
}

/** The address may be the gateway's public one; the page asks its own origin. */
function nextSearch(link: string | null): string | null {
  const [, address] = /<([^>]+)>;\s*rel="next"/.exec(link ?? "") ?? [];
  return address === undefined ? null : new URL(address, gatewayUrl).search.slice(1);
}

interface Download {
  path: string;
  accept: string;
  name: string;
  /** Asks the same of the SDK, which throws what the catalogue says of the failure. */
  again: () => Promise<unknown>;
}

export async function download({ path, accept, name, again }: Download): Promise<void> {
  const reply = await window.fetch(`${gatewayUrl}${path}`, { headers: { ...sessionHeaders(), accept } });
  if (!reply.ok) {
    await again();
    throw new Error("the document could not be read.");
  }
  saveFile(name, await reply.blob());
}

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
