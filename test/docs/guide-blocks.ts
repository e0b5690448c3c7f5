// The code samples of the guides (src/docs/guides/*.md) as data: what stands in each fence, whether it runs here, and what it has to print.
//
// ```sh                     runs as it stands
// ```sh no-run: a reason    doesn't, for that reason; guide-texts.test.ts keeps the list of them
// ```sh apart: Codex        needs what only npm run test:clients installs: clients-guide.test.ts runs it where that is there
// <!-- prints: /text/ -->   under a fence: what its output has to hold; its dots mean line ends too
// <!-- the answer to the last sample of the shell --> under a fence of JSON: that sample prints it; … stands for anything
// <!-- first, by the operator: a command -->   under a fence: runs before it, and is not for its reader
// <!-- answers: /(\d+)/ --> under a fence: what `read` gets is found like that in what the gateway has printed
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

export interface Block {
  /** Name of the guide's file without `.md`. */
  guide: string;
  /** The nearest heading above it. */
  heading: string;
  /** Of the opening fence, from 1. */
  line: number;
  /** First word of the fence; "" where it has none. */
  language: string;
  code: string;
  /** Null: it runs. */
  noRun: string | null;
  /** What it needs that is installed apart. */
  apart: string | null;
  prints: RegExp | null;
  answers: RegExp | null;
  /** What the operator does before it. */
  operator: string | null;
  /** A sample of the shell: JSON that the guide shows as its answer. */
  answer: string | null;
}

/** What an interpreter is there for. */
export const runLanguages = ["sh", "ts", "python"];

const folder = fileURLToPath(new URL("../../src/docs/guides/", import.meta.url));

export const guideNames = globSync("*.md", { cwd: folder })
  .map((file) => basename(file, ".md"))
  .sort();

export function readGuide(guide: string): string {
  return readFileSync(`${folder}${guide}.md`, "utf8");
}

export function blocksOf(guide: string): Block[] {
  return blocksIn(readGuide(guide), guide);
}

export function blocksIn(page: string, guide: string): Block[] {
  const blocks: Block[] = [];
  let heading = "";
  let open: Block | null = null;
  page.split("\n").forEach((text, index) => {
    const fence = /^```(\w*)(?: (.*))?$/.exec(text);
    if (open !== null && text === "```") open = null;
    else if (open !== null) open.code += `${text}\n`;
    else if (fence !== null) blocks.push((open = openBlock(fence, { guide, heading, line: index + 1 })));
    else if (/^#+ /.test(text)) heading = text.replace(/^#+ /, "");
    else if (text === "<!-- the answer to the last sample of the shell -->") takeAnswer(blocks);
    else readExpectation(text, blocks.at(-1));
  });
  if (open !== null) throw new Error(`${guide}.md: a fence is never closed`);
  return blocks;
}

/** Those that have to run. */
export function runBlocksOf(guide: string): Block[] {
  return blocksOf(guide).filter(({ language, noRun, apart }) => runLanguages.includes(language) && noRun === null && apart === null);
}

function openBlock(fence: RegExpExecArray, place: Pick<Block, "guide" | "heading" | "line">): Block {
  const info = fence[2];
  const [, word, said = null] = /^(no-run|apart): (\S.*)$/.exec(info ?? "") ?? [];
  if (info !== undefined && said === null)
    throw new Error(`${place.guide}.md:${place.line}: "${info}" is not "no-run: REASON" or "apart: CLIENT"`);
  const [noRun, apart] = word === "apart" ? [null, said] : [said, null];
  return { ...place, language: fence[1]!, code: "", noRun, apart, prints: null, answers: null, operator: null, answer: null };
}

function takeAnswer(blocks: readonly Block[]): void {
  const shown = blocks.at(-1);
  const asked = blocks.findLast(({ language }) => language === "sh");
  if (shown?.language !== "json" || asked === undefined) throw new Error("an answer that is no JSON, or of no sample");
  asked.answer = shown.code;
}

function readExpectation(text: string, block: Block | undefined): void {
  const operator = /^<!-- first, by the operator: (.*) -->$/.exec(text)?.[1];
  if (operator !== undefined && block !== undefined) return void (block.operator = operator);
  const comment = /^<!-- (prints|answers): \/(.*)\/(m?) -->$/.exec(text);
  if (comment === null) {
    if (/^<!-- *(prints|answers|the|first)/.test(text)) throw new Error(`not an expectation: ${text}`);
    return;
  }
  if (block === undefined) throw new Error(`an expectation of no sample: ${text}`);
  block[comment[1] as "prints" | "answers"] = new RegExp(comment[2]!, `s${comment[3]!}`);
}
