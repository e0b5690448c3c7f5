// The page that says what the last written run of bench:pages measured.
import type { Machine } from "./machine.ts";
import type { Size } from "./pages-fill.ts";
import type { Planned } from "./pages-watch.ts";

export const goalMs = 200;

export interface Step {
  what: string;
  seconds: number;
}

export interface Asked {
  operation: string;
  path: string;
  status: number;
  ms: number;
  /** Of the statements; several may run at once. */
  databaseMs: number;
  /** Of the page that follows; null: there is none. */
  nextMs: number | null;
  /** Of 8 KB, that all its statements touch. */
  pages: number;
  /** Of the statement that touches most. */
  plan: Planned | null;
}

interface Run {
  asked: readonly Asked[];
  steps: readonly Step[];
  size: Size;
  machine: Machine;
  /** Of the minute before the end. */
  load: number;
}

const plansShown = 8;

/** Times as days before now. */
export function shownPath(path: string): string {
  return decodeURIComponent(path).replace(
    /\d{4}-\d\d-\d\dT[\d:.]+Z/g,
    (time) => `${Math.round((Date.now() - Date.parse(time)) / 86_400_000)} days ago`,
  );
}

export function pageOf({ asked, steps, size, machine, load }: Run): string {
  const slow = asked.filter(({ ms, nextMs }) => Math.max(ms, nextMs ?? 0) > goalMs);
  const rows = asked.map(({ operation, path, ms, databaseMs, nextMs, pages, plan }) =>
    row([
      ...[
        operation,
        `\`${shownPath(path)}\``,
        ms.toFixed(0),
        databaseMs.toFixed(0),
        nextMs === null ? "" : nextMs.toFixed(0),
        count(pages),
      ],
      plan === null ? "" : `${plan.most.name}: ${count(plan.most.rows)}`,
    ]),
  );
  const planned = [...asked].filter(({ plan }) => plan !== null).sort((one, other) => other.plan!.pages - one.plan!.pages);
  const plans = planned
    .slice(0, plansShown)
    .map(({ path, plan }) => `\`${shownPath(path)}\`:\n\n\`\`\`text\n${plan!.lines.join("\n")}\n\`\`\`\n`);
  return `# How long a page waits, beside much

Written by \`npm run bench:pages\` on ${machine.at.slice(0, 10)}: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node.slice(1)},
the embedded Postgres with its usual settings, but without fsync. ${count(size.accounts)} accounts and ${count(size.rows)} rows of the log over 13 months, and an entry of the
ledger for each charge. Accounts are busy by Zipf's law: the n-th busiest makes 1/n of the calls of the first, which asks, and has a twentieth of
all; some thousands have half, and nine of ten none. Calls come in sessions of 20 within ten minutes, one in ten with a tag, and twice as many a
day at the end as at the beginning.

Each question is asked alone over HTTP, once to warm up and then five times: the median, what of it the database took, and the same of the next
page where there is one, in milliseconds; then the pages of 8 KB that its statements touch, and where most of them are, with the rows looked at; the load of the machine's last minute was ${load.toFixed(1)}. The goal is ${goalMs} ms: ${slow.length === 0 ? "all reach it" : `${slow.length} of ${asked.length} miss it`}.

| operation | question | ms | database | next page | pages | most of them, and rows |
|---|---|---|---|---|---|---|
${rows.join("\n")}

## The dearest statements

Rows are those of all loops, pages have 8 KB and count those below.

${plans.join("\n")}
## How it is filled

By sets, past the triggers, with the indexes of what is large made afterwards. The sums are made by \`usage_add\`, a month at a time; those of one
day are then made again by the minute's task in its own steps and have to be the same, row by row.

| step | seconds |
|---|---|
${steps.map(({ what, seconds }) => row([what, seconds.toFixed(0)])).join("\n")}
`;
}

const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const count = (number: number) => number.toLocaleString("en");
