// Which coding a client takes (RFC 9110, 12.5.3). gzip or nothing: whoever takes another one takes this one too.
import type { IncomingHttpHeaders } from "node:http";
import type { Reply } from "./types.ts";

type CodedReply = Extract<Reply, { coded: unknown }>;

export async function inCoding(
  { "accept-encoding": accepted }: IncomingHttpHeaders,
  { status, headers, coded }: CodedReply,
): Promise<Extract<Reply, { bytes: unknown }>> {
  const gzip = takesGzip(accepted);
  const coding: Record<string, string> = gzip ? { "content-encoding": "gzip" } : {};
  return { status, headers: { ...headers, vary: "accept-encoding", ...coding }, bytes: await (gzip ? coded.gzip() : coded.plain) };
}

/** Not where it would rather have the text as it is. */
function takesGzip(accepted: string | string[] | undefined): boolean {
  const weights = new Map<string, number>();
  for (const item of String(accepted ?? "").split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, "") ?? "1";
    weights.set(name, /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0);
  }
  const gzip = weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0;
  return gzip > 0 && gzip >= (weights.get("identity") ?? 0);
}
