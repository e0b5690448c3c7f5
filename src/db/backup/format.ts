// The container of a backup: what is in the file, written and read (README.md beside this file). Both sides see one stream of bytes; the last line
// holds the hash of all before it, so a file that was cut or altered is known as such.
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { parseJson } from "../../json/parse.ts";

const formatName = "svc-backup";
const formatVersion = 1;

/** The first line. */
export interface Header {
  format: typeof formatName;
  version: number;
  /** Of the snapshot, by the database's clock. */
  created_at: string;
  /** Names of the migrations that made its tables. */
  migrations: string[];
  /** Months of the usage log that have a partition, such as 2026_11. */
  months: string[];
  /** The next numbers follow these. */
  sequences: Record<string, string>;
  /** What `svc ledger verify` says of the snapshot. */
  ledger_head: string;
  accounts: number;
  entries: number;
}

/** The line before a table's rows. */
interface TableLine {
  table: string;
  columns: string[];
}

/** Encodes a backup, hashing what it passes on. */
export function createEncoder(write: (bytes: Buffer) => Promise<void>) {
  const hash = createHash("sha256");
  const send = (bytes: Buffer) => {
    hash.update(bytes);
    return write(bytes);
  };
  const line = (value: object) => send(Buffer.from(`${JSON.stringify(value)}\n`));
  let tables = 0;
  return {
    header: (header: Omit<Header, "format" | "version">) => line({ format: formatName, version: formatVersion, ...header }),
    async table(head: TableLine, rows: AsyncIterable<Buffer>): Promise<void> {
      tables += 1;
      await line(head);
      for await (const block of rows) {
        await send(Buffer.from(`${block.length}\n`));
        await send(block);
      }
      await send(Buffer.from("0\n"));
    },
    end: () => write(Buffer.from(`${JSON.stringify({ tables, sha256: hash.digest("hex") })}\n`)),
  };
}

export interface Section {
  head: TableLine;
  /** To be read to its end before the next section. */
  rows: AsyncGenerator<Buffer>;
}

/** Refused: what the file is instead of a whole backup. */
export class BadBackup extends Error {}

const lineMax = 1 << 22;
/** Postgres's largest row, and what may stand before it in a block. */
const blockMax = 2 ** 30 + (1 << 17);

/** Opens a backup. `sections` has read and compared the hash when it ends; it throws BadBackup where the file is not what was written. */
export async function readBackup(file: string): Promise<{ header: Header; sections: AsyncGenerator<Section>; close(): void }> {
  const source = createReadStream(file, { highWaterMark: 1 << 18 });
  const content = createGunzip({ chunkSize: 1 << 17 });
  source.once("error", (error) => content.destroy(error));
  const input = openInput(source.pipe(content));
  const close = () => {
    source.destroy();
    content.destroy();
  };
  try {
    const header = readHeader(await input.line());
    return { header, sections: sectionsOf(input), close };
  } catch (error) {
    close();
    throw explained(error);
  }
}

async function* sectionsOf(input: Input): AsyncGenerator<Section> {
  try {
    for (let tables = 0; ; tables += 1) {
      const before = input.hash.copy();
      const head = readLine(await input.line());
      if ("sha256" in head) {
        if (head["sha256"] !== before.digest("hex") || head["tables"] !== tables)
          throw new BadBackup("the backup was altered: its hash is another");
        if (!(await input.ended())) throw new BadBackup("the backup was altered: something follows its end");
        return;
      }
      if (typeof head["table"] !== "string" || !Array.isArray(head["columns"])) throw new BadBackup("the backup was altered");
      const rows = blocksOf(input);
      yield { head: head as unknown as TableLine, rows };
      for await (const unread of rows) void unread;
    }
  } catch (error) {
    throw explained(error);
  }
}

async function* blocksOf(input: Input): AsyncGenerator<Buffer> {
  for (;;) {
    const length = await input.line();
    if (!/^\d{1,10}$/.test(length) || Number(length) > blockMax) throw new BadBackup("the backup was altered");
    if (length === "0") return;
    yield* input.bytes(Number(length));
  }
}

function readHeader(text: string): Header {
  const header = readLine(text) as unknown as Header;
  if (header.format !== formatName) throw new BadBackup("the file is no backup of this gateway");
  if (header.version !== formatVersion) throw new BadBackup(`the backup has format ${header.version}, this version reads ${formatVersion}`);
  return header;
}

function readLine(text: string): Record<string, unknown> {
  try {
    const value = parseJson(text);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // said below
  }
  throw new BadBackup("the backup was altered, or the file is none of this gateway");
}

/** zlib's and the disk's errors as a sentence. */
function explained(error: unknown): unknown {
  const { code } = error as { code?: string };
  if (code === "Z_BUF_ERROR") return new BadBackup("the backup was cut: its end is missing", { cause: error });
  if (code?.startsWith("Z_")) return new BadBackup("the backup was altered, or the file is none of this gateway", { cause: error });
  return error;
}

interface Input {
  hash: Hash;
  line(): Promise<string>;
  bytes(length: number): AsyncGenerator<Buffer>;
  ended(): Promise<boolean>;
}

/** Lines and counted bytes of a stream. */
function openInput(stream: AsyncIterable<Buffer>): Input {
  const chunks = stream[Symbol.asyncIterator]();
  const hash = createHash("sha256");
  let rest: Buffer = Buffer.alloc(0);
  const more = async (): Promise<boolean> => {
    const next = await chunks.next();
    if (next.done) return false;
    rest = rest.length === 0 ? next.value : Buffer.concat([rest, next.value]);
    return true;
  };
  const take = (length: number) => {
    const taken = rest.subarray(0, length);
    rest = rest.subarray(length);
    hash.update(taken);
    return taken;
  };
  const cut = () => new BadBackup("the backup was cut: its end is missing");
  return {
    hash,
    async line() {
      let end = rest.indexOf(10);
      while (end < 0) {
        if (rest.length > lineMax) throw new BadBackup("the backup was altered");
        if (!(await more())) throw cut();
        end = rest.indexOf(10);
      }
      return take(end + 1).toString("utf8", 0, end);
    },
    async *bytes(length) {
      for (let left = length; left > 0;) {
        if (rest.length === 0 && !(await more())) throw cut();
        const taken = take(Math.min(left, rest.length));
        left -= taken.length;
        yield taken;
      }
    },
    async ended() {
      return rest.length === 0 && !(await more());
    },
  };
}
