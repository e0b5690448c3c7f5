// A table of a list that comes in pages: loading, failed, empty and older rows.
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Loading } from "../ui/parts.tsx";
import { type Column, Table } from "../ui/table.tsx";

interface Cursor {
  limit: number;
  after?: string;
}

interface PagedTableProps<Row> {
  name: string;
  /** What is asked, so that another question is another list. */
  asked: readonly unknown[];
  read: (cursor: Cursor) => Promise<{ data: Row[]; has_more: boolean; last_id: string | null }>;
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string;
  empty: ReactNode;
  onOpen?: (row: Row) => void;
}

export function PagedTable<Row>({ name, asked, read, ...table }: PagedTableProps<Row>): ReactNode {
  const list = useInfiniteQuery({
    queryKey: ["operator", name, ...asked],
    queryFn: ({ pageParam }) => read({ limit: 50, ...(pageParam === null ? {} : { after: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page.has_more ? page.last_id : null),
  });
  const rows = list.data?.pages.flatMap((page) => page.data);
  if (rows === undefined && list.error === null) return <Loading what={`Loading ${name.toLowerCase()}`} lines={6} />;
  return (
    <>
      {
        list.error !== null && <div className="p-5"><ErrorNote error={list.error} retry={() => void list.refetch()} /></div> /* prettier-ignore */
      }
      {rows !== undefined && <Table name={name} rows={rows} {...table} />}
      {list.hasNextPage && (
        <div className="border-t border-line p-4 text-center">
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Load more
          </Button>
        </div>
      )}
    </>
  );
}
