// Renders the guides as pages: the texts of src/docs/guides with this gateway's address and models, and with the portal's links.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { unnamedModel } from "./here.ts";
import type { Page, PortalFacts } from "./types.ts";

/** The customer's guides; the operator's guide is read in the repository. */
export function guidePages({ here }: Pick<PortalFacts, "here">): Page[] {
  return guides
    .filter(({ book }) => book === "customer")
    .map(({ slug, title, summary }) => ({
      path: `guides/${slug}`,
      title,
      kicker: "Guide",
      summary,
      blocks: () => {
        const source = readGuide(slug);
        return [...notServedNote(here.notServed(source)), here.text(withGuideLinks(withoutTitle(source)))];
      },
    }));
}

/** Kinds of models that the samples need and this gateway does not serve. */
function notServedNote(kinds: readonly string[]): string[] {
  if (kinds.length === 0) return [];
  return [`> Not served here now: ${kinds.map((kind) => `${kind} models`).join(", ")}. Samples that need one say \`${unnamedModel}\`.`];
}

/** The texts of all guides, for a name that changes with them. */
export function guideSources(): string[] {
  return guides.map(({ slug }) => readGuide(slug));
}

function readGuide(slug: string): string {
  return readFileSync(fileURLToPath(new URL(`guides/${slug}.md`, import.meta.url)), "utf8");
}

function withoutTitle(text: string): string {
  return text.replace(/^\s*# .*\n/, "");
}

/** Guides link to each other as files. */
function withGuideLinks(text: string): string {
  return text.replace(/\]\(([\w-]+)\.md(#[^()\s]*)?\)/g, (whole, slug: string, anchor = "") =>
    guides.some((guide) => guide.slug === slug) ? `](/docs/guides/${slug}${anchor})` : whole,
  );
}

// Lists the guides in reading order. Each is a file of src/docs/guides named by its slug. The portal shows the customer's guides;
// the operator's guide is read in the repository.

interface Guide {
  slug: string;
  title: string;
  /** One sentence, for lists of guides. */
  summary: string;
  book: "customer" | "operator";
}

export const guides: readonly Guide[] = [
  {
    slug: "quick-start",
    title: "Quick start",
    summary: "A first answer with curl, TypeScript and Python, and what it cost.",
    book: "customer",
  },
  {
    slug: "clients",
    title: "Integrations",
    summary: "OpenAI's and Anthropic's SDKs, the Vercel AI SDK, LangChain, Claude Code, Codex.",
    book: "customer",
  },
  {
    slug: "streaming",
    title: "Streaming",
    summary: "Answers as they are generated, and what an interrupted stream sends.",
    book: "customer",
  },
  {
    slug: "errors",
    title: "Errors",
    summary: "What an error looks like, what to branch on, what to retry.",
    book: "customer",
  },
  {
    slug: "limits",
    title: "Limits",
    summary: "Tiers, what counts, how to see what is left, how large a request may be.",
    book: "customer",
  },
  {
    slug: "fallbacks",
    title: "Fallbacks",
    summary: "What happens when a provider fails, and how an answer shows it.",
    book: "customer",
  },
  {
    slug: "billing-on-failure",
    title: "Billing on failure",
    summary: "What failed, abandoned, interrupted, refused and refunded calls cost.",
    book: "customer",
  },
  {
    slug: "media-jobs",
    title: "Images and videos",
    summary: "Media jobs, from submission to the file and its charge.",
    book: "customer",
  },
  {
    slug: "batches",
    title: "Batches",
    summary: "Many requests in one file, answered within a day.",
    book: "customer",
  },
  {
    slug: "kept-answers",
    title: "Kept answers",
    summary: "The same request answered again at once, for less.",
    book: "customer",
  },
  {
    slug: "audio",
    title: "Speech and transcription",
    summary: "Text to speech, transcription, translation, music.",
    book: "customer",
  },
  {
    slug: "accounts-and-credit",
    title: "Accounts and credit",
    summary: "How to get a key and credit, from sign-up to receipt and ledger.",
    book: "customer",
  },
  {
    slug: "teams",
    title: "Teams",
    summary: "Workspaces, roles, invitations, and what happens when a member leaves.",
    book: "customer",
  },
  {
    slug: "quotes-and-proofs",
    title: "Quotes and proofs",
    summary: "What a request would cost, and how to prove what it did cost.",
    book: "customer",
  },
  {
    slug: "webhooks",
    title: "Webhooks",
    summary: "Notices on your own server: endpoints, signatures, what is sent again.",
    book: "customer",
  },
  {
    slug: "operator",
    title: "Operator's guide",
    summary: "Every setting, the svc command, the catalog file.",
    book: "operator",
  },
];
