// The matrix as a page: a row for each client, a cell for each column that was run.
/** Empty: the client has no such call. "about": it shows an estimate. */
export type Cell = "yes" | "no" | "about" | "";

export interface Row {
  name: string;
  version: string;
  cells: Record<string, Cell>;
}

export const columns = [
  "chat",
  "stream",
  "tools",
  "structured",
  "embeddings",
  "errors",
  "usage",
  "usage streamed",
  "cost",
  "cost streamed",
];

const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;

function lineOf({ name, version, cells }: Row): string {
  return line([name, version, ...columns.map((column) => cells[column] ?? "")]);
}

export function pageOf(rows: readonly Row[]): string {
  const heads = [line(["client", "version", ...columns]), line(["client", "version", ...columns].map(() => "---"))];
  return `${head}\n${[...heads, ...rows.map(lineOf)].join("\n")}\n`;
}

/** What a page says. */
export function rowsOf(page: string): Row[] {
  const lines = page.split("\n").filter((text) => text.startsWith("| "));
  return lines.slice(2).map((text) => {
    const [name = "", version = "", ...cells] = text.slice(2, -2).split(" | ");
    return { name, version, cells: Object.fromEntries(columns.map((column, at) => [column, (cells[at] ?? "").trim() as Cell])) };
  });
}

const head = `# The matrix of clients

Written by \`npm run test:clients\`, which runs every cell against a gateway. An empty cell: the client has no such call, or none was tried.

- chat, stream, tools, structured, embeddings: the call as the client makes it, and its answer in the client's own types.
- errors: the program can read the code of a refusal.
- usage, cost: the program can read what the call used and what was charged for it, exactly; of a whole answer and of a stream. "about": it takes the
  input's tokens from the beginning of a stream, where they are an estimate.
`;
