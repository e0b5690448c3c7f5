// Test files that an everyday run of all tests draws, anew each time: those that take tens of seconds each, because they start processes,
// browsers or published clients, or harm and load what runs, and those that take seconds or test other requests than those of chat. It has all
// of the rooms where something is not yet committed. .ci/run, which sets CI, has all, and so have runs of chosen files.
import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

const oneInEight = [
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
  "operations/{audio,batches,credits,decisions,embeddings,genmedia,images,jobs,music,operators,quotes,rerank,sign-in,speech}/*",
  "operations/{team,transcriptions,usage,videos,voices}/*",
  "operations/chat/{chat-credentials,chat-slices,chat-weights,doubted-database,upstream-causes,withheld-fields}",
  "operations/keys/key-policies",
  "operations/limits/limits-tokens",
  "operations/responses/{conversation-responses,responses-logprobs,stored-responses}",
  "portal/pages",
  "providers/{minimax/speech,openai/stream-times}",
  "sdk/retries",
  "server/{bodies,form-bounds}",
];

export const shares: readonly { share: number; names: readonly string[] }[] = [
  { share: 1 / 8, names: oneInEight },
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
