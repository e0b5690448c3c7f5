// A database that breaks off certain statements, or all, for tests of what a caller gets then.
import type { Db } from "../../src/db/connect.ts";

interface Failing {
  /** Statements that contain this text fail. */
  part: string;
  /** As Postgres or the socket says it. */
  code: string;
  /** Which of them, counted from 1; absent: all. */
  turns?: readonly number[];
}

/** Until `work` is done; resolves to what it gives, and how many such statements there were. */
export async function whileFailing<T>(
  { pool }: Pick<Db, "pool">,
  { part, code, turns }: Failing,
  work: () => Promise<T>,
): Promise<{ result: T; seen: number }> {
  const query = pool.query.bind(pool) as (...all: unknown[]) => Promise<unknown>;
  let seen = 0;
  const failing = (...all: unknown[]) => {
    if (!String(all[0]).includes(part)) return query(...all);
    seen += 1;
    const fails = turns === undefined || turns.includes(seen);
    return fails ? Promise.reject(Object.assign(new Error("the connection broke"), { code })) : query(...all);
  };
  pool.query = failing as never;
  try {
    const result = await work();
    return { result, seen };
  } finally {
    pool.query = query as never;
  }
}

/** The next statement that contains `part` is done, and after `meanwhile` its connection breaks instead of bringing the answer. */
export function loseAnswer({ pool }: Pick<Db, "pool">, part: string, meanwhile: () => Promise<unknown>): void {
  const query = pool.query.bind(pool) as (...all: unknown[]) => Promise<unknown>;
  const losing = async (...all: unknown[]) => {
    const answer = query(...all);
    if (!String(all[0]).includes(part)) return answer;
    pool.query = query as never;
    await answer;
    await meanwhile();
    throw Object.assign(new Error("the connection broke"), { code: "ECONNRESET" });
  };
  pool.query = losing as never;
}

/** Until `work` is done every statement and transaction fails. Both ways: a pool's own statement asks `connect` with a callback. */
export async function whileAllFail<T>({ pool }: Pick<Db, "pool">, error: Error, work: () => Promise<T>): Promise<T> {
  const own = { query: pool.query, connect: pool.connect };
  Object.assign(pool, { query: () => Promise.reject(error), connect: () => Promise.reject(error) });
  try {
    return await work();
  } finally {
    Object.assign(pool, own);
  }
}
