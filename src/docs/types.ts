// What a page of the portal is, and what it is made from. Types only.
import type { OpenApi } from "./contract.ts";
import type { Here } from "./here.ts";

export interface Sample {
  language: string;
  code: string;
  /** HTML above the code. */
  caption?: string;
}

/** What the pages say about this gateway. */
export interface PortalFacts {
  /** With this gateway's address and models in its examples. */
  document: OpenApi;
  here: Here;
  /** Address of the gateway that the examples call, without a trailing slash; null in a static site without a gateway. */
  publicUrl: string | null;
  /** Whether credit can be paid online; null: the gateway is unknown. */
  canPay: boolean | null;
  /** Whether the interactive reference is available. */
  interactive: boolean;
}

/** A block of a page: Markdown for both forms, or separate HTML beside its Markdown. */
export type Block = string | HtmlBlock;

export interface HtmlBlock {
  html: (tools: HtmlTools) => string;
  markdown: string;
}

/** What a block with its own HTML may need from its page. */
export interface HtmlTools {
  /** A short text of Markdown, as paragraphs. */
  markdown: (source: string) => string;
  /** `/docs/…` as the page's relative link. */
  link: (href: string) => string;
  /** Samples as tabs. */
  samples: (samples: readonly Sample[]) => string;
}

export interface Page {
  /** Below /docs, without a leading slash; "" is the landing page. */
  path: string;
  title: string;
  /** One sentence, as text. */
  summary: string;
  /** A word above the title that says where the reader is. */
  kicker?: string;
  /** Follows the title. Links are `/docs/…` or addresses from the gateway's root; they are made relative later. */
  blocks: () => Block[];
  /** Its own HTML, if the usual frame does not fit. */
  shape?: "landing" | "reference" | "missing";
}

/** Where links point: pages as the gateway serves them, or files of a static site. */
export type Site = "live" | "static";
