// Which of the codings that we offer a client accepts (RFC 9110, 12.5.3).
import type { IncomingHttpHeaders } from "node:http";
import type { Reply } from "../operation.ts";

export function isCompressed({ "content-encoding": encoding }: IncomingHttpHeaders): boolean {
  return !/^(?:identity)?$/i.test(encoding?.trim() ?? "");
}

type CodedReply = Extract<Reply, { coded: unknown }>;
export type Coding = "br" | "gzip";

export async function inCoding(
  { "accept-encoding": accepted }: IncomingHttpHeaders,
  { status, headers, coded }: CodedReply,
): Promise<Extract<Reply, { bytes: unknown }>> {
  const gzip = chooseCoding(accepted, ["gzip"]) === "gzip";
  const coding: Record<string, string> = gzip ? { "content-encoding": "gzip" } : {};
  return { status, headers: { ...headers, vary: "accept-encoding", ...coding }, bytes: await (gzip ? coded.gzip() : coded.plain) };
}

/** The client's preferred coding, the first offered among equals; null if it prefers the text uncompressed. */
export function chooseCoding(accepted: string | string[] | undefined, offered: readonly Coding[]): Coding | null {
  const weights = readWeights(accepted);
  const identity = weights.get("identity") ?? 0;
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get(`x-${coding}`) ?? weights.get("*") ?? 0;
  const taken = offered.filter((coding) => weightOf(coding) > 0 && weightOf(coding) >= identity);
  return taken.sort((a, b) => weightOf(b) - weightOf(a))[0] ?? null;
}

/** Names in lower case with their q, in the order sent; an unreadable q counts as 0. */
export function readWeights(accepted: string | string[] | undefined): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of String(accepted ?? "").split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, "") ?? "1";
    weights.set(name, /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0);
  }
  return weights;
}
