// The guides of the portal, in the order in which they are shown. Each is a file of guides/ or a section of README.md.

export type Guide = { slug: string; title: string } & ({ file: string } | { readmeSection: string });

export const guides: readonly Guide[] = [
  { slug: "quick-start", title: "Quick start", file: "quick-start.md" },
  { slug: "clients", title: "Use it with …", file: "clients.md" },
  { slug: "streaming", title: "Streaming", file: "streaming.md" },
  { slug: "errors", title: "Errors", file: "errors.md" },
  { slug: "limits", title: "Limits", file: "limits.md" },
  { slug: "fallbacks", title: "Fallbacks", file: "fallbacks.md" },
  { slug: "billing-on-failure", title: "Billing on failure", file: "billing-on-failure.md" },
  { slug: "media-jobs", title: "Images and clips", file: "media-jobs.md" },
  { slug: "audio", title: "Speech and transcripts", file: "audio.md" },
  { slug: "accounts-and-credit", title: "Accounts and credit", file: "accounts-and-credit.md" },
  { slug: "operator", title: "Operator's page", file: "operator.md" },
  { slug: "decisions", title: "Decisions", readmeSection: "Decisions" },
];
