// A matrix that tests write as a page of docs/, and compare in every run: names in its first columns, a cell for each other one.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface MatrixForm {
  /** In docs/. */
  file: string;
  /** What stands above the table. */
  head: string;
  /** Of the columns that name a row, and of the others. */
  names: readonly string[];
  columns: readonly string[];
}

export interface MatrixRow {
  names: readonly string[];
  cells: Readonly<Record<string, string>>;
}

const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const pathOf = ({ file }: MatrixForm) => fileURLToPath(new URL(`../../docs/${file}`, import.meta.url));

export function writeMatrix(form: MatrixForm, rows: readonly MatrixRow[]): void {
  const heads = [...form.names, ...form.columns];
  const lines = rows.map(({ names, cells }) => line([...names, ...form.columns.map((column) => cells[column] ?? "")]));
  writeFileSync(pathOf(form), `${form.head}\n${[line(heads), line(heads.map(() => "---")), ...lines].join("\n")}\n`);
}

/** What the page says. */
export function readMatrix(form: MatrixForm): MatrixRow[] {
  const lines = readFileSync(pathOf(form), "utf8")
    .split("\n")
    .filter((text) => text.startsWith("| "));
  return lines.slice(2).map((text) => {
    const parts = text.slice(2, -2).split(" | ");
    const cells = parts.slice(form.names.length);
    return {
      names: parts.slice(0, form.names.length),
      cells: Object.fromEntries(form.columns.map((column, at) => [column, (cells[at] ?? "").trim()])),
    };
  });
}
