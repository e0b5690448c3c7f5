// COPY over one connection, as chunks of Postgres's text format. pg leaves the messages of COPY to what was submitted as a query.
import { once } from "node:events";
import { Readable } from "node:stream";
import type pg from "pg";

/** The part of pg's connection that COPY uses. */
interface Wire {
  stream: NodeJS.ReadWriteStream & { pause(): unknown; resume(): unknown; writableNeedDrain: boolean };
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}

/** Rows come one by one and are small: so many bytes are handed on together. */
const chunkBytes = 64 * 1024;
const aheadBytes = 1 << 20;

/** What pg calls on a query; those without an effect here. */
const ignored = { handleRowDescription: () => {}, handleDataRow: () => {}, handlePortalSuspended: () => {}, handleEmptyQuery: () => {} };

/** The rows of `copy … to stdout`. A reader that is slow slows the server; nothing is kept but a megabyte. */
export function copyOut(client: pg.ClientBase, sql: string): AsyncIterable<Buffer> {
  let rows: Buffer[] = [];
  let bytes = 0;
  let wire: Wire | undefined;
  const readable = new Readable({ highWaterMark: aheadBytes, read: () => void wire?.stream.resume() });
  const flush = () => {
    const more = bytes === 0 || readable.push(Buffer.concat(rows));
    [rows, bytes] = [[], 0];
    return more;
  };
  submit(client, {
    ...ignored,
    submit(connection: Wire) {
      wire = connection;
      connection.query(sql);
    },
    handleCopyData({ chunk }: { chunk: Buffer }, connection: Wire) {
      rows.push(Buffer.from(chunk)); // pg uses its buffer again
      bytes += chunk.length;
      if (bytes >= chunkBytes && !flush()) connection.stream.pause();
    },
    handleCommandComplete: () => void flush(),
    handleReadyForQuery: () => void readable.push(null),
    handleError: (error: Error) => void readable.destroy(error),
  });
  return readable as AsyncIterable<Buffer>;
}

/** `copy … from stdin`. If the source fails, so does the statement, with the source's error. */
export function copyIn(client: pg.ClientBase, sql: string, source: AsyncIterable<Buffer>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let ended = false;
  let cause: unknown;
  const feed = async (connection: Wire) => {
    try {
      for await (const chunk of source) {
        if (ended) return;
        connection.sendCopyFromChunk(chunk);
        if (connection.stream.writableNeedDrain) await once(connection.stream, "drain");
      }
      connection.endCopyFrom();
    } catch (error) {
      cause = error;
      connection.sendCopyFail("the source failed");
    }
  };
  submit(client, {
    ...ignored,
    submit: (connection: Wire) => connection.query(sql),
    handleCopyInResponse: (connection: Wire) => void feed(connection),
    handleCopyData: () => {},
    handleCommandComplete: () => {},
    handleReadyForQuery: () => resolve(),
    handleError(error: Error) {
      ended = true;
      reject(cause ?? error);
    },
  });
  return promise;
}

function submit(client: pg.ClientBase, query: object): void {
  client.query(query as pg.Submittable);
}
