// Says below "Export CSV" that the file has not all rows, and how to get the rest.
import type { ReactNode } from "react";
import { savedRowsMax } from "../lib/save.ts";
import { Icon } from "./icons.tsx";

interface CutNoteProps {
  cut: boolean | undefined;
  /** Which rows the file has. */
  kept: "earliest" | "newest";
  /** Of the API, whose pages have them all. */
  path: string;
}

export function CutNote({ cut, kept, path }: CutNoteProps): ReactNode {
  if (cut !== true) return null;
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-line bg-panel p-4 text-sm">
      <span className="mt-0.5">
        <Icon name="alert" />
      </span>
      <p className="min-w-0 flex-1 break-words">
        The file is cut: it has the {kept} {savedRowsMax.toLocaleString("en")} rows. For the rest, export shorter ranges, or read all pages
        of <code>GET {path}</code> with <code>Accept: text/csv</code>.
      </p>
    </div>
  );
}
