// Follows every link of a set of pages: each must lead to a page or file that is there, and each anchor to a place on it.

export interface Fetched {
  /** Of the answer; null where there is nothing. */
  text: string | null;
  isHtml: boolean;
}

export interface CrawlReport {
  pages: number;
  /** "page -> link": leads nowhere. */
  broken: string[];
  /** "page -> address": what a page would load from another origin. */
  foreignLoads: string[];
}

/** From `start`, an absolute address; goes to nothing that is not below `root`. */
export async function crawl(start: string, root: string, read: (address: string) => Promise<Fetched>): Promise<CrawlReport> {
  const known = new Map<string, Fetched>();
  const wanted: { from: string; link: string; address: string; anchor: string }[] = [];
  const foreignLoads: string[] = [];
  const queue = [start];
  while (queue.length > 0) {
    const address = queue.shift() as string;
    if (known.has(address)) continue;
    const fetched = await read(address);
    known.set(address, fetched);
    if (fetched.text === null || !fetched.isHtml) continue;
    for (const { link, loads } of linksOf(fetched.text)) {
      const target = new URL(link, address);
      if (!target.href.startsWith(root)) {
        if (loads && target.protocol !== "data:") foreignLoads.push(`${address} -> ${link}`);
        continue;
      }
      const anchor = target.hash.slice(1);
      target.hash = "";
      wanted.push({ from: address, link, address: target.href, anchor });
      queue.push(target.href);
    }
  }
  const broken = wanted
    .filter(({ address, anchor }) => {
      const text = known.get(address)?.text ?? null;
      // Scalar makes its anchors itself: the browser test follows one.
      const made = anchor === "" || anchor.startsWith("tag/");
      return text === null || (!made && !text.includes(` id="${anchor}"`));
    })
    .map(({ from, link }) => `${from} -> ${link}`);
  return { pages: known.size, broken: [...new Set(broken)], foreignLoads };
}

/** What a page links to, and what it loads (style, scripts, images). */
function linksOf(html: string): { link: string; loads: boolean }[] {
  const tags = html.matchAll(/<(a|link|script|img|iframe|source|video|audio|form)\b[^>]*?\s(?:href|src|action)="([^"]*)"[^>]*>/g);
  return [...tags].map(([tag, name, link]) => ({
    link: link!.replaceAll("&amp;", "&"),
    loads: name !== "a" && !/rel="(?:alternate|help)"/.test(tag),
  }));
}
