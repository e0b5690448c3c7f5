// One exchange with an upstream: sends a request and returns an answer of status 2xx, or throws the fault that decides what to do next.
import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "../../clock.ts";
import { authHeader } from "../credentials/key-header.ts";
import { rotationOf } from "../credentials/rotation.ts";
import { errorOfAnswer } from "../errors/faults.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import type { Credential, Heard, Provider, UsedCredential } from "../types.ts";
import type { Upstream, UpstreamAnswer, UpstreamRequest } from "./types.ts";

/** Of a whole answer: images come in base64, several choices of them. */
export const answerBytesMax = 33_554_432;
/** Only a sentence of an error is kept. */
const errorBytesMax = 65_536;
/** Bounds how long an error's body can delay the next route. */
const errorBodyMs = 5_000;

/** An answer with a status outside 2xx, and at most the first 64 KB of its body. */
export interface ErrorAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  retryAfterMs: number | null;
}

/** What such an answer means, for hosts whose errors have a form of their own. */
export type ReadError = (answer: ErrorAnswer, provider: Provider) => UpstreamError;

const readUsualError: ReadError = ({ status, text, retryAfterMs }, provider) => errorOfAnswer(status, text, retryAfterMs, provider);

const idForm = /^[!-~]{1,200}$/;
/** Where providers name an answer: OpenAI and most hosts; Anthropic and ElevenLabs; fal; MiniMax; Amazon. */
const idHeaders = ["x-request-id", "request-id", "x-fal-request-id", "trace-id", "x-amzn-requestid"];

/** Throws UpstreamError for any other status, and the signal's reason where it fired. */
export function exchange(
  upstream: Upstream,
  request: UpstreamRequest,
  clock: Clock,
  readError: ReadError = readUsualError,
): Promise<UpstreamAnswer> {
  const { credentials } = request.provider;
  if (credentials === undefined) return exchangeOnce(upstream, request, clock, readError);
  return exchangeByTurns(request, credentials, (one) => exchangeOnce(upstream, one, clock, readError));
}

/** A credential that is refused rests, and the next one is tried at once. */
async function exchangeByTurns(
  request: UpstreamRequest,
  credentials: readonly Credential[],
  once: (request: UpstreamRequest) => Promise<UpstreamAnswer>,
): Promise<UpstreamAnswer> {
  const rotation = rotationOf(credentials);
  const tried = new Set<Credential>();
  let credential = rotation.choose(tried)!;
  for (;;) {
    const used: UsedCredential = { id: credential.id };
    const { heard: told } = request;
    const heard = told && Object.assign((id: string | null, served: boolean) => told(id, served, used), { named: told.named });
    const key = credential.key === undefined ? [] : authHeader(request.provider.protocol, credential.key);
    try {
      return await once({ ...request, heard, headers: [...(request.headers ?? []), ...key], authorizer: credential });
    } catch (error) {
      if (!(error instanceof UpstreamError) || !rotation.refused(credential, error)) throw error;
      tried.add(credential);
      const next = request.disconnect?.isGone() ? null : rotation.choose(tried);
      if (next === null) {
        request.heard?.(null, false, used); // where no token could be had, nothing has named it
        throw error;
      }
      request.heard?.(null, false, { ...used, refusal: error });
      credential = next;
    }
  }
}

async function exchangeOnce(upstream: Upstream, request: UpstreamRequest, clock: Clock, readError: ReadError): Promise<UpstreamAnswer> {
  const answer = await upstream.send(request);
  const served = answer.status >= 200 && answer.status <= 299;
  request.heard?.(idOf(answer.headers), served);
  if (served) return answer;
  const text = await errorText(answer);
  request.signal.throwIfAborted(); // an abort while the error was read is still an abort
  const { status, headers } = answer;
  throw readError({ status, headers, text, retryAfterMs: retryAfterMs(headers, clock()) }, request.provider);
}

function idOf(headers: IncomingHttpHeaders): string | null {
  for (const name of idHeaders) {
    const id = headers[name];
    if (typeof id === "string" && idForm.test(id)) return id;
  }
  return null;
}

/** For hosts whose headers don't name an answer: `id` is a member of the answer itself. */
export function nameAnswer(heard: Heard | undefined, id: unknown): void {
  if (typeof id === "string" && idForm.test(id)) heard?.named(id);
}

/** Returns no promise where all of it is here. */
export function wholeText({ body }: UpstreamAnswer, bytesMax = answerBytesMax): string | Promise<string> {
  const bytes = body.bytes(bytesMax);
  return bytes instanceof Promise ? bytes.then((whole) => whole.toString("utf8")) : bytes.toString("utf8");
}

export function isJson(answer: UpstreamAnswer): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\b/i.test(String(answer.headers["content-type"] ?? ""));
}

/** What arrived before the body broke, grew too large or took too long: the status alone says enough. */
async function errorText({ body }: UpstreamAnswer): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => body.cancel(), errorBodyMs);
  const reading = body.read((chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > errorBytesMax) body.cancel();
  });
  await reading.catch(() => undefined);
  clearTimeout(timer);
  return Buffer.concat(chunks).toString("utf8", 0, errorBytesMax);
}

// How long an upstream asks to wait, from `retry-after-ms` or `retry-after` (seconds or an HTTP date).

/** Longer values are capped, because callers see them. */
const longestMs = 3_600_000;

export function retryAfterMs(headers: IncomingHttpHeaders, now: Date): number | null {
  const exact = amount(headers["retry-after-ms"]);
  if (exact !== null) return Math.min(Math.ceil(exact), longestMs);
  const seconds = amount(headers["retry-after"]);
  if (seconds !== null) return Math.min(Math.ceil(seconds * 1000), longestMs);
  const text = headers["retry-after"];
  const date = typeof text === "string" ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? null : Math.min(Math.max(date - now.getTime(), 0), longestMs);
}

function amount(text: string | string[] | undefined): number | null {
  return typeof text === "string" && /^\d{1,12}(\.\d{1,6})?$/.test(text.trim()) ? Number(text) : null;
}
