// The files that SVC_CATALOG names.
import { existsSync } from "node:fs";

/** With commas between them; none where it is not set. A file whose own name has a comma is one file. */
export function catalogPaths(named: string | null): string[] {
  if (named === null) return [];
  const paths = named.includes(",") && !existsSync(named) ? named.split(",").map((path) => path.trim()) : [named];
  return paths.filter((path) => path !== "");
}
