// Test files that an everyday run of all tests draws, anew each time: those that take tens of seconds each, because they start processes,
// browsers or published clients, or harm and load what runs, and those that take seconds. It has all of the rooms where something is not yet
// committed. .ci/run, which sets CI, has all, and so have runs of chosen files.
import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

const oneInSix = [
  "{clients,overload,prism,robustness,scale}/**/*",
  "cli/{backup,catalog-versions,compare-jobs,environment,ledger-head,lost-deposit,provider}",
  "db/{embedded,hosts,upgrade,upgrade-beside}",
  "deploy/{plans,shards}",
  "docs/{*-guide,guides,operation-samples}",
  "jobs/{crash,kill-steps,lost-end,run-job}",
  "ledger/{clock-jump,crash,escrow,escrow-crash,heartbeat,member-budget,period-budget,race,replica,slices,summary,verify}",
  "media/{audio-hostile,stores}",
  "portal/{accessibility,browser,choices,links,own-catalog,samples,sample-key,sdk-package}",
  "sdk/{editor,jobs,package,types}",
  "support/{gateway,leftovers}",
  "telemetry/{alert-rules,database-unavailable,metrics,traces,tracing-off,workers}",
];

const oneInThree = [
  "cli/{commands,money-back,simulate,unsettled}",
  "contract/breaking-check",
  "db/{partitions,plan}",
  "expenses/attempts",
  "ledger/{commit-proof,given-up,held-account,held-rounds,lost-answer}",
  "limits/{replicas,throttle}",
  "mail/mailer",
  "media/fetch-bodies",
  "notices/crash",
  "operations/audio/audio-shipped",
  "operations/chat/{chat-credentials,chat-slices,chat-weights,doubted-database,upstream-causes,withheld-fields}",
  "operations/credits/{auto-charge,money-back,payment-events,topups}",
  "operations/decisions/decisions-refusals",
  "operations/embeddings/embeddings",
  "operations/images/{image-edits,image-variations,images-shipped,images-wait}",
  "operations/keys/key-policies",
  "operations/limits/limits-tokens",
  "operations/music/{music,sound-effects}",
  "operations/operators/catalog-versions",
  "operations/quotes/quot*",
  "operations/responses/{conversation-responses,responses-logprobs,stored-responses}",
  "operations/sign-in/{account-deletion,mail-floods,password-reset,second-factor,sign-in,sign-in-floods,sign-up,signup-credit,verify}",
  "operations/speech/{speech,speech-pools,speech-stream}",
  "operations/team/{domains,key-rights,member-budgets,members,workspaces}",
  "operations/transcriptions/{transcription-*,translations}",
  "operations/usage/{cost-header,receipt-proofs,summary}",
  "operations/voices/own-voices",
  "portal/pages",
  "providers/{minimax/speech,openai/stream-times}",
  "sdk/retries",
  "server/{bodies,form-bounds}",
];

export const shares: readonly { share: number; names: readonly string[] }[] = [
  { share: 1 / 6, names: oneInSix },
  { share: 1 / 3, names: oneInThree },
];

/** The rooms whose requests are tested in folders of test/operations that have other names. */
const foldersOf: Record<string, readonly string[]> = {
  accounts: ["keys", "sign-in"],
  audio: ["music", "speech", "transcriptions", "voices"],
  jobs: ["genmedia", "images", "videos"],
  language: ["chat", "completions", "decisions", "embeddings", "messages", "quotes", "rerank", "responses"],
  ledger: ["credits", "usage"],
  payments: ["credits"],
  workspaces: ["team"],
};

const checkout = fileURLToPath(new URL("../..", import.meta.url));

export const filesOf = (names: readonly string[]): string[] =>
  globSync(
    names.map((name) => `test/${name}.test.ts`),
    { cwd: checkout },
  );

/**
 * Relative to the checkout. `words`: what follows the program on Vitest's command line; a name among them chooses files. `changed`: files with
 * what is not yet committed.
 */
export function filesNotDrawn(words: readonly string[], changed = uncommitted(checkout), random = Math.random): string[] {
  const isEveryday = !process.env.CI && words.every((word) => word === "run" || word.startsWith("-"));
  if (!isEveryday) return [];
  const rooms = new Set(changed.map(roomOf).flatMap((room) => [room, ...(foldersOf[room] ?? [])]));
  const isOfChanged = (file: string) => rooms.has(roomOf(file)) || (rooms.has("handlers") && file.startsWith("test/operations/"));
  const drawn = shares.map(({ share, names }) => ({ share, files: filesOf(names) }));
  const left = drawn.flatMap(({ share, files }) => files.filter((file) => !isOfChanged(file) && random() >= share));
  const count = drawn.reduce((sum, { files }) => sum + files.length, 0);
  console.log(`NOT DRAWN: ${left.length} of the ${count} test files that take long; CI=1 npm test runs them all`);
  return left;
}

/** src/ledger and test/ledger are one room, as are src/sign-in and test/operations/sign-in; guides are tested in test/docs. */
const roomOf = (file: string) => /^(?:(?:src|test\/operations|test|generated)\/)?([^/]+)\//.exec(file)?.[1] ?? "";

export function uncommitted(folder: string): string[] {
  const git = (...given: string[]) => execFileSync("git", given, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  try {
    return [git("diff", "--name-only", "HEAD"), git("ls-files", "--others", "--exclude-standard")].flatMap((names) =>
      names.split("\n").filter((name) => name !== ""),
    );
  } catch {
    return []; // no checkout, but a copy of one
  }
}
