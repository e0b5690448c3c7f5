// A page of a list, and whether more follows: reads one row more than it shows.

/** The contract's default: the edge's validator does not fill it in. */
const limitDefault = 50;

interface Page<Row> {
  rows: Row[];
  hasMore: boolean;
}

/** `read` returns at most so many rows. */
export async function pageOf<Row>(limit: number = limitDefault, read: (most: number) => Promise<Row[]>): Promise<Page<Row>> {
  const found = await read(limit + 1);
  return { rows: found.slice(0, limit), hasMore: found.length > limit };
}
