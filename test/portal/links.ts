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
  // Every page has the whole menu: an address waits once, however many pages lead to it.
  const queue = new Set([start]);
  for (const address of queue) {
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
      queue.add(target.href);
    }
  }
  const places = new Map([...known].map(([address, { text }]) => [address, text === null ? null : idsOf(text)]));
  const broken = wanted
    .filter(({ address, anchor }) => {
      const ids = places.get(address) ?? null;
      // Scalar makes its anchors itself: the browser test follows one.
      const made = anchor === "" || anchor.startsWith("tag/");
      return ids === null || (!made && !ids.has(anchor));
    })
    .map(({ from, link }) => `${from} -> ${link}`);
  return { pages: known.size, broken: [...new Set(broken)], foreignLoads };
}

const idsOf = (text: string) => new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!));

/** What a page links to, and what it loads (style, scripts, images); each once, as the menu stands beside links of the text. */
function linksOf(html: string): { link: string; loads: boolean }[] {
  const tags = html.matchAll(/<(a|link|script|img|iframe|source|video|audio|form)\b[^>]*?\s(?:href|src|action)="([^"]*)"[^>]*>/g);
  const loaded = new Map<string, boolean>();
  for (const [tag, name, written] of tags) {
    const link = written!.replaceAll("&amp;", "&");
    loaded.set(link, loaded.get(link) === true || (name !== "a" && !/rel="(?:alternate|help)"/.test(tag)));
  }
  return [...loaded].map(([link, loads]) => ({ link, loads }));
}
