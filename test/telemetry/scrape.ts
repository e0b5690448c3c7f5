// Reads a page of /metrics: figures by name and labels.
import type { Gateway } from "../support/gateway.ts";

export interface Page {
  /** The one figure of that name whose labels include these; undefined: there is none. */
  figure(name: string, labels?: Record<string, string>): number | undefined;
  /** Every figure of that name. */
  all(name: string): { labels: Record<string, string>; value: number }[];
  names: Set<string>;
  text: string;
}

export async function scrape(gateway: Pick<Gateway, "url">): Promise<Page> {
  const reply = await fetch(`${gateway.url}/metrics`);
  if (reply.status !== 200) throw new Error(`/metrics answered ${reply.status}`);
  return readPage(await reply.text());
}

export function readPage(text: string): Page {
  const figures = text.split("\n").flatMap((line) => {
    if (line === "" || line.startsWith("#")) return [];
    const [, name, inside = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`no figure: ${line}`);
    const labels = Object.fromEntries([...inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label, text as string]));
    return [{ name, labels, value: Number(value === "+Inf" ? Infinity : value) }];
  });
  const all = (name: string) => figures.filter((figure) => figure.name === name);
  return {
    all,
    figure(name, labels = {}) {
      const found = all(name).filter((figure) => Object.entries(labels).every(([label, value]) => figure.labels[label] === value));
      if (found.length > 1) throw new Error(`${found.length} figures of ${name} ${JSON.stringify(labels)}`);
      return found[0]?.value;
    },
    names: new Set(figures.map(({ name }) => name)),
    text,
  };
}

/** Scrapes until the condition holds; fails with the last page. */
export async function scrapeUntil(gateway: Pick<Gateway, "url">, holds: (page: Page) => boolean, withinMs = 20_000): Promise<Page> {
  for (const giveUpAt = Date.now() + withinMs; ;) {
    const page = await scrape(gateway);
    if (holds(page)) return page;
    if (Date.now() > giveUpAt)
      throw new Error(`it never held; svc figures of the last page:\n${page.text.match(/^svc_.*$/gm)?.join("\n")}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
