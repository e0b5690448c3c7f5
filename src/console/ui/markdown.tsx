// An answer's Markdown as elements. Raw HTML stands as text, pictures are links, and links open only when they are followed: nothing that a
// model writes is loaded or run.
import { marked, type Token, type Tokens } from "marked";
import { type ReactNode, useMemo } from "react";
import { CopyButton } from "./copy.tsx";

export function Markdown({ text }: { text: string }): ReactNode {
  const tokens = useMemo(() => marked.lexer(text), [text]);
  return <div className="space-y-3 break-words">{shown(tokens)}</div>;
}

function shown(tokens: readonly Token[] | undefined): ReactNode[] {
  return (tokens ?? []).map((token, index) => <Piece key={index} token={token} />);
}

const headings = ["text-lg", "text-base", "text-base", "text-sm", "text-sm", "text-sm"];

function Piece({ token }: { token: Token }): ReactNode {
  const inner = shown("tokens" in token ? token.tokens : undefined);
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "paragraph":
      return <p className="leading-relaxed">{inner}</p>;
    case "heading":
      return <p className={`font-semibold ${headings[(token as Tokens.Heading).depth - 1]}`}>{inner}</p>;
    case "strong":
      return <strong>{inner}</strong>;
    case "em":
      return <em>{inner}</em>;
    case "del":
      return <del>{inner}</del>;
    case "br":
      return <br />;
    case "hr":
      return <hr className="border-line" />;
    case "codespan":
      return <code className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.85em]">{(token as Tokens.Codespan).text}</code>;
    case "code":
      return <Code {...(token as Tokens.Code)} />;
    case "blockquote":
      return <blockquote className="space-y-2 border-l-2 border-edge pl-3 text-quiet">{inner}</blockquote>;
    case "list":
      return <List {...(token as Tokens.List)} />;
    case "checkbox":
      return (
        <span aria-label={(token as Tokens.Checkbox).checked ? "done" : "open"}>{(token as Tokens.Checkbox).checked ? "☑ " : "☐ "}</span>
      );
    case "table":
      return <Grid {...(token as Tokens.Table)} />;
    case "link":
      return <SafeLink href={(token as Tokens.Link).href}>{inner}</SafeLink>;
    case "image":
      return (
        <SafeLink href={(token as Tokens.Image).href}>Picture: {(token as Tokens.Image).text || (token as Tokens.Image).href}</SafeLink>
      );
    case "text":
      return (token as Tokens.Text).tokens === undefined ? plain((token as Tokens.Text).text) : inner;
    default: // HTML, and what this file does not know: as it was written
      return token.raw;
  }
}

/** The few entities that models write; an unknown one stands as it is. */
const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: "\u00a0" };
function plain(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => entities[name] ?? "");
}

function SafeLink({ href, children }: { href: string; children: ReactNode }): ReactNode {
  if (!/^(?:https?:|mailto:)/i.test(href)) return <span title={href}>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
      {children}
    </a>
  );
}

function Code({ text, lang = "" }: Tokens.Code): ReactNode {
  return (
    <div className="overflow-hidden rounded-lg border border-line">
      <div className="flex items-center justify-between gap-2 bg-sunken py-1 pr-1 pl-3 text-xs text-quiet">
        {lang === "" ? "Code" : lang} <CopyButton text={text} />
      </div>
      <pre
        tabIndex={0}
        aria-label={`Code${lang === "" ? "" : `, ${lang}`}`}
        className="overflow-x-auto p-3 font-mono text-xs leading-relaxed"
      >
        {text}
      </pre>
    </div>
  );
}

function List({ ordered, start, items }: Tokens.List): ReactNode {
  const rows = items.map((item, index) => (
    <li key={index} className="space-y-1">
      {shown(item.tokens)}
    </li>
  ));
  if (!ordered) return <ul className="list-disc space-y-1 pl-5">{rows}</ul>;
  return (
    <ol start={start === "" ? 1 : start} className="list-decimal space-y-1 pl-5">
      {rows}
    </ol>
  );
}

function Grid({ header, rows }: Tokens.Table): ReactNode {
  return (
    <div className="overflow-x-auto" tabIndex={0} role="group" aria-label="Table, scrolls sideways">
      <table className="text-sm">
        <thead>
          <tr className="border-b border-edge text-left">
            {header.map((cell, index) => (
              <th key={index} scope="col" className="px-2.5 py-1.5">
                {shown(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at} className="border-b border-line">
              {row.map((cell, index) => (
                <td key={index} className="px-2.5 py-1.5">
                  {shown(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
