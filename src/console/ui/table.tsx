// A table: columns by name, rows that may open, its empty state. On a phone it scrolls sideways within its frame. Of a long one the rows that are
// seen are in the page.
import { type ReactNode, useRef } from "react";
import { useVisibleRows } from "./visible-rows.ts";

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand at the right. */
  right?: boolean;
  /** The name is for readers of the page alone. */
  hidden?: boolean;
  /** Stays in view where the table scrolls: for a row's menu, which is narrow enough to leave the others room. */
  stays?: boolean;
}

interface TableProps<Row> {
  name: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
  empty?: ReactNode;
  /** Makes the first cell of a row a button with this name. */
  onOpen?: (row: Row) => void;
  /** The row below the line: the sums. */
  total?: Row;
}

export function Table<Row>({ name, columns, rows, idOf, empty, onOpen, total }: TableProps<Row>): ReactNode {
  const body = useRef<HTMLTableSectionElement>(null);
  const { from, to, height } = useVisibleRows(rows.length, body);
  const isPart = to - from < rows.length;
  return (
    <div className="relative overflow-x-auto rounded-b-xl" tabIndex={0} role="group" aria-label={`${name}, scrolls sideways`}>
      <table aria-label={name} aria-rowcount={isPart ? rows.length + 1 : undefined} className="w-full border-collapse text-left text-sm">
        <Head columns={columns} />
        <tbody ref={body}>
          <Room height={from * height} />
          {rows.length === 0 && empty !== undefined && (
            <tr>
              <td colSpan={columns.length}>{empty}</td>
            </tr>
          )}
          {rows.slice(from, to).map((row, at) => (
            <tr
              key={idOf(row)}
              aria-rowindex={isPart ? from + at + 2 : undefined}
              className={`border-b border-line last:border-0 ${onOpen === undefined ? "" : "cursor-pointer hover:bg-sunken/60"}`}
              onClick={onOpen === undefined ? undefined : () => onOpen(row)}
            >
              {columns.map((column, index) => (
                <td
                  key={column.name}
                  className={`${cellClass} py-3 align-middle first:max-sm:min-w-44 ${column.right === true ? "figures text-right whitespace-nowrap" : ""} ${placeOf(column)}`}
                >
                  {index === 0 && onOpen !== undefined ? (
                    <button
                      type="button"
                      className="text-left font-medium hover:underline"
                      onClick={(event) => (event.stopPropagation(), onOpen(row))}
                    >
                      {column.cell(row)}
                    </button>
                  ) : (
                    column.cell(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
          <Room height={(rows.length - to) * height} />
        </tbody>
        {total !== undefined && (
          <tfoot>
            <tr className="border-t border-edge font-medium">
              {columns.map((column) => (
                <td
                  key={column.name}
                  className={`${cellClass} py-3 ${column.right === true ? "figures text-right whitespace-nowrap" : ""}`}
                >
                  {column.cell(total)}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

/** Where there is little room it goes to the columns. */
const cellClass = "px-3 first:pl-5 last:pr-5 2xl:px-5";

const placeOf = ({ stays }: { stays?: boolean }): string => (stays === true ? "sticky right-0 bg-panel" : "");

/** Stands for rows that are not in the page. */
function Room({ height }: { height: number }): ReactNode {
  if (height <= 0) return null;
  return (
    <tr aria-hidden="true">
      <td style={{ height }} />
    </tr>
  );
}

function Head<Row>({ columns }: { columns: readonly Column<Row>[] }): ReactNode {
  return (
    <thead>
      <tr className="border-b border-line text-xs text-quiet">
        {columns.map((column) => (
          <th
            key={column.name}
            scope="col"
            className={`${cellClass} py-2.5 font-medium whitespace-nowrap ${column.right === true ? "text-right" : ""} ${placeOf(column)}`}
          >
            {column.hidden === true ? <span className="sr-only">{column.name}</span> : column.name}
          </th>
        ))}
      </tr>
    </thead>
  );
}
