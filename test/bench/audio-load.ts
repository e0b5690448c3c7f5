// The client of bench:audio: slices of one call made over and over, and what they cost the process that was called.
import { Pool } from "undici";
import { cpuOf, forgetPeak, memoryOf, ticksPerSecond } from "./processes.ts";

export interface Call {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | null;
}

export interface Target {
  name: "direct" | "reference" | "gateway";
  url: string;
  /** Null: nothing stands between. */
  pid: number | null;
}

export interface Slice {
  calls: number;
  perSecond: number;
  /** Of the bodies that came, in MB a second. */
  megabytesPerSecond: number;
  /** To the first byte of the body; ascending. */
  firstMs: number[];
  /** Of the process called, a call. */
  cpuUs: number;
  /** Its resident memory: the highest, and how much that is above the beginning. MB. */
  peak: number;
  rise: number;
}

/** Makes `call` on so many connections for so long, or once each where `forMs` is 0. Throws where an answer is not 200. */
export async function slice({ name, url, pid }: Target, call: Call, connections: number, forMs: number): Promise<Slice> {
  const pool = new Pool(url, { connections, pipelining: 1, headersTimeout: 120_000, bodyTimeout: 120_000 });
  const firstMs: number[] = [];
  let bytes = 0;
  const before = pid === null ? null : { cpu: cpuOf(pid), memory: memoryOf(pid).now };
  if (pid !== null) forgetPeak(pid);
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      do {
        const once = await callOnce(pool, call);
        if (once.status !== 200) throw new Error(`${name} ${call.path}: ${once.status} ${once.text}`);
        firstMs.push(once.firstMs);
        bytes += once.bytes;
      } while (performance.now() - startedAt < forMs);
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const after = pid === null ? null : { cpu: cpuOf(pid), memory: memoryOf(pid).peak };
  await pool.close();
  const calls = firstMs.length;
  return {
    calls,
    perSecond: calls / seconds,
    megabytesPerSecond: bytes / seconds / 1e6,
    firstMs: firstMs.sort((one, other) => one - other),
    cpuUs: before === null || after === null ? 0 : ((after.cpu - before.cpu) / ticksPerSecond / calls) * 1e6,
    peak: after?.memory ?? 0,
    rise: before === null || after === null ? 0 : after.memory - before.memory,
  };
}

function callOnce(
  pool: Pool,
  { method, path, headers, body }: Call,
): Promise<{ status: number; firstMs: number; bytes: number; text: string }> {
  const at = performance.now();
  const seen = { status: 0, firstMs: 0, bytes: 0, text: "" };
  return new Promise((resolve, reject) => {
    pool.dispatch(
      { method, path, headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, status) => void (seen.status = status),
        onResponseData: (_controller, chunk) => {
          if (seen.bytes === 0) seen.firstMs = performance.now() - at;
          seen.bytes += chunk.length;
          if (seen.status !== 200) seen.text += chunk.toString();
        },
        onResponseEnd: () => resolve(seen),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

export function share(sorted: number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

export function callOf(path: string, key: string | null, body: string | Buffer, type = "application/json"): Call {
  return { method: "POST", path, headers: { "content-type": type, ...(key === null ? {} : { authorization: `Bearer ${key}` }) }, body };
}

/** A multipart form: the fields, then the file. */
export function formOf(fields: Record<string, string>, file: Buffer): { type: string; body: Buffer } {
  const boundary = "bench-0195c1f5104d4c18";
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="audio.mp3"\r\ncontent-type: audio/mpeg\r\n\r\n`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(parts.join("") + head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}
