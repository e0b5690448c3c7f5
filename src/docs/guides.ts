// The guides: which there are, in the order of reading. Each is a file of src/docs/guides that bears its slug. The customer's book is
// shown on the portal; the operator's is read in the repository.

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
    title: "Use it with …",
    summary: "OpenAI's and Anthropic's SDKs, the Vercel AI SDK, LangChain, Claude Code, Codex.",
    book: "customer",
  },
  {
    slug: "streaming",
    title: "Streaming",
    summary: "An answer piece by piece, and what a stream says when it breaks.",
    book: "customer",
  },
  {
    slug: "errors",
    title: "Errors",
    summary: "What an error looks like, what to branch on, what to send again.",
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
    summary: "What is tried when a provider fails, and how an answer says so.",
    book: "customer",
  },
  {
    slug: "billing-on-failure",
    title: "Billing on failure",
    summary: "What is charged when a call is complete, left, broken or refused.",
    book: "customer",
  },
  {
    slug: "media-jobs",
    title: "Images and clips",
    summary: "Jobs, from the submit to the file and its charge.",
    book: "customer",
  },
  {
    slug: "audio",
    title: "Speech and transcripts",
    summary: "A text spoken, a recording written down, music.",
    book: "customer",
  },
  {
    slug: "accounts-and-credit",
    title: "Accounts and credit",
    summary: "From sign-up to receipt: keys, credit, the ledger.",
    book: "customer",
  },
  {
    slug: "operator",
    title: "Operator's page",
    summary: "Every setting, the svc command, the catalog file.",
    book: "operator",
  },
];
