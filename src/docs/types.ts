// What a page of the portal is, and what it is made from. Types only.
import type { OpenApi } from "./contract.ts";
import type { Here } from "./here.ts";

export interface Sample {
  language: string;
  code: string;
  /** HTML above the code. */
  caption?: string;
}

/** What the pages say of this gateway. */
export interface PortalFacts {
  /** With this gateway's address and models in its examples. */
  document: OpenApi;
  here: Here;
  /** Address of the gateway that the examples call, without a slash at its end; null in a static site that knows none. */
  publicUrl: string | null;
  /** Whether credit can be paid online; null: it is not known which gateway this is. */
  canPay: boolean | null;
  /** Whether the interactive reference is there. */
  interactive: boolean;
}

/** A piece of a page: Markdown for both forms, or HTML of its own beside its Markdown. */
export type Block = string | HtmlBlock;

export interface HtmlBlock {
  html: (tools: HtmlTools) => string;
  markdown: string;
}

/** What a block with its own HTML may need of the page that it stands on. */
export interface HtmlTools {
  /** A short text of Markdown, as paragraphs. */
  markdown: (source: string) => string;
  /** `/docs/…` as the page says it. */
  link: (href: string) => string;
  /** Samples as tabs. */
  samples: (samples: readonly Sample[]) => string;
}

export interface Page {
  /** Below /docs, without a slash in front; "" is the landing page. */
  path: string;
  title: string;
  /** One sentence, as text. */
  summary: string;
  /** A word above the title: where the reader is. */
  kicker?: string;
  /** After the title. Links are `/docs/…` or addresses of the gateway's root; they are made relative later. */
  blocks: () => Block[];
  /** Its own HTML where the usual frame does not fit. */
  shape?: "landing" | "reference" | "missing";
}

/** Where links lead: pages as the gateway serves them, or as files of a static site. */
export type Site = "live" | "static";
