// Paged lists, read as one.
import type { OperationId } from "../../generated/sdk/types.d.ts";
import type { Call } from "./call.ts";

interface Page {
  readonly data: readonly unknown[];
  readonly has_more?: boolean;
  readonly last_id?: string | null;
}

/** Awaited, it is the first page; `for await` yields the rows of all pages and requests each page when it is needed. */
export interface Pages<List extends { readonly data: readonly unknown[] }, Op extends OperationId>
  extends Call<List, Op>, AsyncIterable<List["data"][number]> {}

/** `ask` gets the fields that select a page. */
export function pages<List extends Page, Op extends OperationId>(ask: (cursor: { after?: string }) => Call<List, Op>): Pages<List, Op> {
  type Row = List["data"][number];
  const first = ask({});
  return Object.assign(first, {
    async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
      let page = await first;
      for (;;) {
        yield* page.data as readonly Awaited<Row>[];
        const { has_more, last_id: after } = page;
        if (has_more !== true || after == null) return;
        page = await ask({ after });
        if (page.last_id === after) return; // guards against a page that points to itself
      }
    },
  });
}
