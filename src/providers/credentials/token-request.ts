// One exchange with the service that gives out tokens: small, bounded, over a connection of its own. And OAuth's answers: the token, or what
// they say instead.
import { request } from "undici";
import type { Clock } from "../../clock.ts";
import { parseJson } from "../../json/parse.ts";
import { socketFailure, type UpstreamError } from "../errors/upstream-error.ts";
import { count, type Json, objectOf, textOf } from "../json/read.ts";
import type { Provider } from "../types.ts";
import { credentialsFault, type Expiring, openRenewed } from "./authorize.ts";

export interface TokenAnswer {
  status: number;
  text: string;
}

/** One silence, and one exchange: authorize.ts bounds the whole, and this says first what did not answer. */
const silenceMs = 5_000;
const exchangeMs = 8_000;
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
      signal: AbortSignal.timeout(exchangeMs),
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

export function postForm(url: string, form: Record<string, string>): Promise<TokenAnswer> {
  return askForToken(url, {
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: new URLSearchParams(form).toString(),
  });
}

/** `refusal`: the fault that an answer without a token is. */
export function tokenOf(
  { status, text }: TokenAnswer,
  clock: Clock,
  refusal: (status: number, answer: Json) => UpstreamError,
): Expiring<string> {
  const answer = readAnswer(text);
  const token = textOf(answer["access_token"]);
  const seconds = count(answer["expires_in"]);
  const until = /^\d{10,11}$/.exec(String(answer["expires_on"]))?.[0]; // App Service says it so alone
  if (status !== 200 || token === null || !/^[!-~]{1,16384}$/.test(token)) throw refusal(status, answer);
  if (seconds !== null) return { value: token, expiresAt: new Date(clock().getTime() + seconds * 1_000) };
  return { value: token, expiresAt: until === undefined ? null : new Date(Number(until) * 1_000) };
}

function readAnswer(text: string): Json {
  try {
    return objectOf(parseJson(text));
  } catch {
    return {};
  }
}

/** OAuth's word for why there is no token; undefined: none that may be shown. */
export function errorWordOf(answer: Json): string | undefined {
  return /^[a-z_]{1,60}$/.exec(textOf(answer["error"]) ?? "")?.[0];
}

/** One token for all calls until it ends or a resource refuses it. */
export function bearerAuthorization(
  obtain: () => Promise<Expiring<string>>,
  clock: Clock,
): Required<Pick<Provider, "authorize" | "onUnauthorized">> {
  const token = openRenewed(obtain, clock);
  return {
    authorize: async () => ({ authorization: `Bearer ${await token.get()}` }),
    onUnauthorized: token.forget,
  };
}
