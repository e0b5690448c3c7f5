// A page of a list, and whether more follows: one row more than is shown is read, which tells.

/** The contract's: the edge's validator puts no defaults in. */
const limitDefault = 50;

interface Page<Row> {
  rows: Row[];
  hasMore: boolean;
}

/** `read` brings so many rows at most. */
export async function pageOf<Row>(limit: number = limitDefault, read: (most: number) => Promise<Row[]>): Promise<Page<Row>> {
  const found = await read(limit + 1);
  return { rows: found.slice(0, limit), hasMore: found.length > limit };
}
