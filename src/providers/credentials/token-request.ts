// One exchange with the service that gives out tokens: small, bounded, over a connection of its own.
import { request } from "undici";
import { socketFailure } from "../errors/upstream-error.ts";
import { credentialsFault } from "./authorize.ts";

export interface TokenAnswer {
  status: number;
  text: string;
}

/** authorize.ts bounds the whole; these bound one silence. */
const silenceMs = 5_000;
const answerBytesMax = 65_536;

/** Rejects where there is no answer. No message holds what was sent. */
export async function askForToken(
  url: string,
  { method = "POST", headers = {}, body }: { method?: "GET" | "POST" | "PUT"; headers?: Record<string, string>; body?: string },
): Promise<TokenAnswer> {
  try {
    const answer = await request(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
      reset: true, // asked for once an hour: no socket waits for the next time
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > answerBytesMax) throw new Error("too large");
      chunks.push(chunk);
    }
    return { status: answer.statusCode, text: Buffer.concat(chunks).toString("utf8") };
  } catch (error) {
    const reason = error instanceof Error ? socketFailure(error).detail : "no answer";
    throw credentialsFault(`the service that gives out credentials can't be reached: ${reason}`, error);
  }
}
