// A text that is made once and sent often: compressed once for each coding, with an ETag, so that who has it already gets a 304.
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { chooseCoding, type Coding } from "./content-coding.ts";
import { keptIn } from "./kept.ts";
import type { Headers } from "./types.ts";

export interface Representation {
  plain: Buffer;
  headers: Headers;
  tag: string;
  coded: Map<Coding, Promise<Buffer>>;
}

/** `headers` must hold content-type and cache-control. */
export function represent(plain: Buffer, headers: Headers): Representation {
  const tag = createHash("sha256").update(plain).digest("base64url").slice(0, 22);
  return { plain, headers, tag, coded: new Map() };
}

type FixedReply = { status: number; headers: Headers; bytes: Buffer } | { status: number; headers: Headers };

export async function replyWith(
  representation: Representation,
  { "accept-encoding": accepted, "if-none-match": known }: IncomingHttpHeaders,
  status = 200,
): Promise<FixedReply> {
  const { plain, tag, coded } = representation;
  const coding = chooseCoding(accepted, ["br", "gzip"]);
  const etag = coding === null ? `"${tag}"` : `"${tag}-${coding}"`;
  const vary = [representation.headers["vary"], "accept-encoding"].filter(Boolean).join(", ");
  const headers = { ...representation.headers, vary, etag };
  if (status === 200 && isKnown(known, tag)) return { status: 304, headers };
  if (coding === null) return { status, headers, bytes: plain };
  return { status, headers: { ...headers, "content-encoding": coding }, bytes: await keptIn(coded, coding, () => compress[coding](plain)) };
}

/** The weak comparison of RFC 9110, 13.1.2: any coding of the same text will do. */
function isKnown(known: string | undefined, tag: string): boolean {
  if (known === undefined) return false;
  return known.split(",").some(
    (one) =>
      one.trim() === "*" ||
      one
        .trim()
        .replace(/^W\//, "")
        .replace(/^"|(?:-(?:br|gzip))?"$/g, "") === tag,
  );
}

/** Off the main thread. Brotli's best quality takes 70 times as long over 4 MB, and gains a tenth. */
const compress: Record<Coding, (plain: Buffer) => Promise<Buffer>> = {
  gzip: promisify(gzip) as (plain: Buffer) => Promise<Buffer>,
  br: (plain) =>
    promisify(brotliCompress)(plain, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
    }),
};
