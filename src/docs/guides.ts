// The guides: which there are, in the order of reading, and where the text of each stands. A guide that is a section of the README
// is read out of it, so that nothing is written twice.

interface Guide {
  slug: string;
  title: string;
  /** One sentence, for lists of guides. */
  summary: string;
  /** In src/docs/guides; or a heading of the README, whose section it is. */
  source: { file: string } | { readmeSection: string };
}

export const guides: readonly Guide[] = [
  {
    slug: "quick-start",
    title: "Quick start",
    summary: "A first answer with curl, TypeScript and Python, and what it cost.",
    source: { file: "quick-start.md" },
  },
  {
    slug: "clients",
    title: "Use it with …",
    summary: "OpenAI's and Anthropic's SDKs, the Vercel AI SDK, LangChain, Claude Code, Codex.",
    source: { file: "clients.md" },
  },
  {
    slug: "streaming",
    title: "Streaming",
    summary: "An answer piece by piece, and what a stream says when it breaks.",
    source: { file: "streaming.md" },
  },
  {
    slug: "errors",
    title: "Errors",
    summary: "What an error looks like, what to branch on, what to send again.",
    source: { file: "errors.md" },
  },
  {
    slug: "limits",
    title: "Limits",
    summary: "Tiers, what counts, how to see what is left, how large a request may be.",
    source: { file: "limits.md" },
  },
  {
    slug: "fallbacks",
    title: "Fallbacks",
    summary: "What is tried when a provider fails, and how an answer says so.",
    source: { file: "fallbacks.md" },
  },
  {
    slug: "billing-on-failure",
    title: "Billing on failure",
    summary: "What is charged when a call is complete, left, broken or refused.",
    source: { file: "billing-on-failure.md" },
  },
  {
    slug: "media-jobs",
    title: "Images and clips",
    summary: "Jobs, from the submit to the file and its charge.",
    source: { file: "media-jobs.md" },
  },
  {
    slug: "audio",
    title: "Speech and transcripts",
    summary: "A text spoken, a recording written down, music.",
    source: { file: "audio.md" },
  },
  {
    slug: "accounts-and-credit",
    title: "Accounts and credit",
    summary: "From sign-up to receipt: keys, credit, the ledger.",
    source: { file: "accounts-and-credit.md" },
  },
  {
    slug: "operator",
    title: "Operator's page",
    summary: "Every setting, the svc command, the catalog file.",
    source: { file: "operator.md" },
  },
  {
    slug: "decisions",
    title: "Decisions",
    summary: "What was decided where the specification left it open, and why.",
    source: { readmeSection: "Decisions" },
  },
];
