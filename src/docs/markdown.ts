// Renders Markdown as a page's HTML: headings with anchors, highlighted code, samples in several languages as tabs, links that work on
// that page. Raw HTML in a source stays text.
import { Marked, type Token, type Tokens } from "marked";
import { escapeHtml } from "../text/html.ts";
import { highlight, languageTitle } from "./html.ts";
import { resolveLink } from "./links.ts";
import type { Sample, Site } from "./types.ts";

export interface Heading {
  depth: number;
  id: string;
  /** Inline HTML. */
  html: string;
}

interface RenderOptions {
  /** The page that shows the text. */
  from: string;
  site: Site;
  /** Anchors of the page so far, to keep them unique. */
  ids: Set<string>;
  /** Filled with the headings, for the list of what is on the page. */
  headings: Heading[];
}

export function renderMarkdown(source: string, options: RenderOptions): string {
  const marked = markedFor(options);
  const tokens = marked.lexer(source);
  const panel = ({ tokens: own, sample, introduced }: Unit): Sample =>
    introduced && !isBareIntroduction(own[0] as Token) ? { ...sample, caption: marked.parser([own[0] as Token]) } : sample;
  return groupSamples(tokens)
    .map((part) => (Array.isArray(part) ? tabs(part.map(panel), options.ids) : marked.parser([part])))
    .join("");
}

function markedFor({ from, site, ids, headings }: RenderOptions): Marked {
  return new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }) {
        const html = this.parser.parseInline(tokens);
        const id = anchorOf(text, ids);
        headings.push({ depth, id, html });
        return `<h${depth} id="${id}">${html}<a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`;
      },
      code({ text, lang }) {
        return codeBlock(text, (lang ?? "").split(/\s/)[0] ?? "");
      },
      link({ href, title, tokens }) {
        const html = this.parser.parseInline(tokens);
        const target = resolveLink(href, from, site, "html");
        if (target === null) return html;
        return `<a href="${escapeHtml(target)}"${title ? ` title="${escapeHtml(title)}"` : ""}>${html}</a>`;
      },
      table(token: Tokens.Table) {
        const inline = ({ tokens }: Tokens.TableCell) => this.parser.parseInline(tokens);
        const labels = token.header.map(({ text }) => text);
        return tableHtml(
          token.header.map(inline),
          token.rows.map((row) => row.map((cell) => ({ html: inline(cell), text: cell.text }))),
          labels,
        );
      },
      html: ({ text }) => escapeHtml(text),
      image: ({ text }) => escapeHtml(text),
    },
  });
}

/** Lower-case words with dashes, as GitHub makes them, so that links between sources work in both places. */
export function anchorOf(text: string, ids: Set<string>): string {
  const plain = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
  let id = plain || "section";
  for (let n = 1; ids.has(id); n += 1) id = `${plain}-${n}`;
  ids.add(id);
  return id;
}

function codeBlock(code: string, language: string): string {
  const title = languageTitle(language, code);
  const isText = language === "" || language === "text";
  const bar = isText ? "" : `<div class="code-title">${escapeHtml(title)}</div>`;
  return `<div class="code${isText ? " wrap" : ""}">${bar}${pre(code, language)}</div>\n`;
}

function pre(code: string, language: string): string {
  return `<pre tabindex="0"><code>${highlight(code.trimEnd(), language)}</code></pre>`;
}

/** On a phone, three or more columns are stacked, each with its label. A date or a status stays on one line. */
export function tableHtml(head: readonly string[], rows: readonly { html: string; text: string }[][], labels: readonly string[]): string {
  const cell = ({ html, text }: { html: string; text: string }, column: number) =>
    `<td data-label="${escapeHtml(labels[column] ?? "")}"${text.length <= 12 ? ' class="short"' : ""}>${html}</td>`;
  const body = rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`).join("\n");
  const heads = head.map((one) => (one === "" ? "<td></td>" : `<th>${one}</th>`)).join("");
  const shape = head.length > 2 ? "table stack" : "table";
  return `<div class="${shape}" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>\n`;
}

/** The same sample in several languages: tabs that need no script. In print and without styles they are stacked. */
export function tabs(samples: readonly Sample[], ids: Set<string>): string {
  const group = anchorOf("sample", ids);
  const titles = sampleTitles(samples);
  const inputs = titles.map((title, index) => {
    const id = `${group}-${index}`;
    const checked = index === 0 ? " checked" : "";
    return `<input type="radio" name="${group}" id="${id}" data-language="${escapeHtml(title)}"${checked}><label for="${id}">${escapeHtml(title)}</label>`;
  });
  const panels = samples.map(
    ({ language, code, caption = "" }, index) =>
      `<div class="panel"><div class="code-title">${escapeHtml(titles[index] as string)}</div>${caption}${pre(code, language)}</div>`,
  );
  return `<div class="code tabs" role="group" aria-label="Code sample">${inputs.join("")}${panels.join("")}</div>\n`;
}

/** Two samples of one language are distinguished by the package that they use. */
function sampleTitles(samples: readonly Sample[]): string[] {
  const plain = samples.map(({ language, code }) => languageTitle(language, code));
  return plain.map((title, index) => {
    const used = /^(?:import .* from "|from )([\w@/-]+)/m.exec((samples[index] as Sample).code)?.[1];
    return used !== undefined && plain.filter((other) => other === title).length > 1 ? `${title} · ${used}` : title;
  });
}

const sampleLanguages = ["sh", "bash", "ts", "typescript", "js", "python", "py"];

/** As many as the style sheet has rules for. */
const samplesMax = 5;

/** A fence, with the paragraph above it that names its language ("With Python:"). */
interface Unit {
  tokens: Token[];
  sample: Sample;
  introduced: boolean;
}

/** Fences of different languages that follow each other, each with its "With …:" at most between them, are one sample. */
function groupSamples(all: Token[]): (Token | Unit[])[] {
  const tokens = all.filter(({ type, raw }) => type !== "space" && !(type === "html" && isComment(raw)));
  const parts: (Token | Unit[])[] = [];
  let open: Unit[] = [];
  const close = () => {
    if (open.length > 1) parts.push(open);
    else parts.push(...open.flatMap((unit) => unit.tokens));
    open = [];
  };
  for (let at = 0; at < tokens.length; at += 1) {
    const unit = unitAt(tokens, at);
    if (unit === null) {
      close();
      parts.push(tokens[at] as Token);
      continue;
    }
    const known = !unit.introduced && open.some(({ sample }) => sample.language === unit.sample.language);
    if (known || open.length === samplesMax || (open[0] !== undefined && open[0].introduced !== unit.introduced)) close();
    open.push(unit);
    at += unit.tokens.length - 1;
  }
  close();
  return parts;
}

function unitAt(tokens: readonly Token[], at: number): Unit | null {
  const first = tokens[at] as Token;
  const introduced = first.type === "paragraph" && /^With [^\n]*:$/.test(first.raw.trim());
  const code = tokens[introduced ? at + 1 : at];
  if (code?.type !== "code") return null;
  const { lang, text } = code as Tokens.Code;
  const language = (lang ?? "").split(/\s/)[0] as string;
  if (!sampleLanguages.includes(language)) return null;
  return { tokens: introduced ? [first, code] : [code], sample: { language, code: text }, introduced };
}

/** "With curl:" only repeats the tab's label. */
function isBareIntroduction({ raw }: Token): boolean {
  return /^With \w+:$/.test(raw.trim());
}

function isComment(raw: string): boolean {
  return /^<!--[\s\S]*-->$/.test(raw.trim());
}

/** The same text for its Markdown twin: links point to twins, remarks for our tests are removed. Code is unchanged. */
export function twinOf(source: string, from: string, site: Site): string {
  return source
    .split(/(^ *```[\s\S]*?^ *```)/m)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(/^<!--.*-->(?:\n|$)/gm, "").replace(/(?<!!)\[([^\]]*)\]\(([^()\s]+)\)/g, (whole, text: string, href: string) => {
            const target = resolveLink(href, from, site, "md");
            return target === null ? text : target === href ? whole : `[${text}](${target})`;
          }),
    )
    .join("");
}
