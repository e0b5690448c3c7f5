// A table: columns by name, rows that may open, its empty state. On a phone it scrolls sideways within its frame.
import type { ReactNode } from "react";

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand at the right. */
  right?: boolean;
  /** The name is for readers of the page alone. */
  hidden?: boolean;
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
  return (
    <div className="relative overflow-x-auto" tabIndex={0} role="group" aria-label={`${name}, scrolls sideways`}>
      <table aria-label={name} className="w-full border-collapse text-left text-sm">
        <thead>
          <tr className="border-b border-line text-xs text-quiet">
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                className={`px-5 py-2.5 font-medium whitespace-nowrap ${column.right === true ? "text-right" : ""}`}
              >
                {column.hidden === true ? <span className="sr-only">{column.name}</span> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.length === 0 && empty !== undefined && (
            <tr>
              <td colSpan={columns.length}>{empty}</td>
            </tr>
          )}
          {rows.map((row) => (
            <tr
              key={idOf(row)}
              className={`border-b border-line last:border-0 ${onOpen === undefined ? "" : "cursor-pointer hover:bg-sunken/60"}`}
              onClick={onOpen === undefined ? undefined : () => onOpen(row)}
            >
              {columns.map((column, index) => (
                <td
                  key={column.name}
                  className={`px-5 py-3 align-middle ${column.right === true ? "figures text-right whitespace-nowrap" : ""}`}
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
        </tbody>
        {total !== undefined && (
          <tfoot>
            <tr className="border-t border-edge font-medium">
              {columns.map((column) => (
                <td key={column.name} className={`px-5 py-3 ${column.right === true ? "figures text-right whitespace-nowrap" : ""}`}>
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
