// What is wrong in a catalog file and what may be meant, by line.
import type { CatalogProblem } from "svc-sdk";
import type { ReactNode } from "react";
import { Badge } from "../../ui/parts.tsx";

interface FindingsProps {
  problems: readonly CatalogProblem[];
  warnings: readonly CatalogProblem[];
  /** Shows the line in the text. */
  onLine?: (line: number) => void;
}

export function Findings({ problems, warnings, onLine }: FindingsProps): ReactNode {
  const rows = [
    ...problems.map((row) => ({ ...row, tone: "bad" as const, word: "Problem" })),
    ...warnings.map((row) => ({ ...row, tone: "warn" as const, word: "Warning" })),
  ];
  if (rows.length === 0) return null;
  return (
    <ul
      aria-label="Problems and warnings"
      className="max-h-80 divide-y divide-line overflow-y-auto rounded-lg border border-line"
      tabIndex={0}
    >
      {rows.map(({ line, message, tone, word }, index) => (
        <li key={index} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2.5">
          <Badge tone={tone}>{word}</Badge>
          {onLine === undefined ? (
            <span className="figures text-quiet">Line {line}</span>
          ) : (
            <button type="button" className="figures text-accent hover:underline" onClick={() => onLine(line)}>
              Line {line}
            </button>
          )}
          <span className="min-w-0 break-words">{message}</span>
        </li>
      ))}
    </ul>
  );
}
