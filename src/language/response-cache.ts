// Answers that are kept so that the same request is answered again without a provider: an opt-in of a request or of its key, for models whose
// price says what such an answer costs (docs/behaviour/billing.md#kept-answers). A hit is a call like any other: counted, held for, charged.
import { createHash } from "node:crypto";
import { deserialize, serialize } from "node:v8";
import type { OperationId } from "../../generated/operations.ts";
import type { Ask, KeepWish } from "../calls/ask.ts";
import { cacheTier, type Model } from "../catalog/types.ts";
import { isDisconnected } from "../concurrency/stopping.ts";
import type { Context } from "../context.ts";
import { failParameter } from "../errors/fail.ts";
import { findKept, keep, keptAnswerMax, type KeptRow } from "../ledger/kept-answers.ts";
import type { Handler } from "../operation.ts";
import type { AnswerStream, Protocol, Tally, Whole } from "../providers/types.ts";
import type { Usage } from "../usage.ts";
import type { TokenBill, TokenCall } from "./token-call.ts";

/** The longest time that an answer is kept, in seconds. */
const secondsMax = 86_400;
/** Of the streams that are collected now. */
const collectedMax = 64 * keptAnswerMax;
let collectedNow = 0;

const wishHeader = "x-svc-response-cache";

/** Lets a handler's answers be kept where the request or its key asks for it. Without either nothing happens here. */
export function keepAnswers<Id extends OperationId>(handler: Handler<Id>): Handler<Id> {
  const keeping: Handler<Id> = (context, request, ask) => {
    const sent = request.headers[wishHeader];
    const seconds = sent === undefined ? (ask.caller.policy?.responseCacheSeconds ?? 0) : secondsOf(sent);
    if (seconds === 0) return handler(context, request, ask);
    const hash = createHash("sha256")
      .update(`${ask.operationId}\n${request.headers["anthropic-beta"] ?? ""}\n`)
      .update(request.rawBody);
    const isFresh = request.headers["cache-control"]?.includes("no-cache") ?? false;
    return handler(context, request, { ...ask, keep: { hash: hash.digest(), seconds, isFresh } });
  };
  return Object.assign(keeping, handler);
}

function secondsOf(sent: string): number {
  const seconds = /^\d{1,5}$/.test(sent) ? Number(sent) : NaN;
  return seconds <= secondsMax ? seconds : failParameter(wishHeader, `must be a whole number of seconds from 0 to ${secondsMax}`);
}

/** What is looked for, and kept. */
export interface Keeping extends Omit<KeepWish, "hash">, KeptRow {}

/** Null: nothing is to be kept. */
export function keepingOf({ keep, caller }: Pick<Ask, "keep" | "caller">, { id, tokens }: Model, searches: number): Keeping | null {
  if (keep === undefined || searches > 0 || !tokens!.serviceTiers.has(cacheTier)) return null;
  const { accountId } = caller;
  return { ...keep, accountId, hash: createHash("sha256").update(`${accountId}\n${id}\n`).update(keep.hash).digest() };
}

interface Answered {
  usage: Usage;
  /** Of the route that answered. */
  protocol: Protocol;
}

/** As it is stored. */
type Stored = Answered & ({ kind: "whole"; answer: Whole } | { kind: "stream"; records: unknown[]; tally: Tally });

export type KeptAnswer = Stored & { ageSeconds: number };

export async function findAnswer({ db, clock }: Pick<Context, "db" | "clock">, keeping: Keeping): Promise<KeptAnswer | null> {
  if (keeping.isFresh) return null;
  const now = clock();
  const found = await findKept(db, keeping, now);
  if (found === null) return null;
  const ageSeconds = Math.max(0, Math.floor((now.getTime() - found.created_at.getTime()) / 1000));
  return { ...(deserialize(found.answer) as Stored), ageSeconds };
}

export const hitHeaders = ({ ageSeconds }: KeptAnswer) => ({ [wishHeader]: "hit", age: String(ageSeconds) });
export const missHeaders = { [wishHeader]: "miss" };

/** A kept stream as its route sent it. */
export function replayed({ records, tally }: Extract<KeptAnswer, { kind: "stream" }>, signal: AbortSignal): AnswerStream<unknown> {
  return {
    kind: "stream",
    tally,
    cancel() {},
    async forEach(onRecord) {
      for (const record of records) {
        if (signal.aborted) return;
        await onRecord(record);
      }
    },
  };
}

/**
 * Keeps what answers the call once it is charged with a measured usage: not an answer that the balance cut short or that another model gave.
 * Returns what the caller reads. An answer that can't be kept is served all the same.
 */
export function kept<Answer extends Whole | AnswerStream<unknown>>(
  context: Pick<Context, "db" | "clock" | "log">,
  keeping: Keeping,
  call: TokenCall,
  result: Answer,
): Answer {
  const { layer, route } = call.served!;
  if (call.hold.lowered !== null || layer === 3) return result;
  const { protocol } = route.provider;
  const collected = result.kind === "stream" ? collect(result, call.ask.signal) : null;
  const complete = call.complete;
  call.complete = async (usage, counted): Promise<TokenBill> => {
    try {
      const bill = await complete(usage, counted);
      const answered = usage === null ? null : { usage: withoutTier(usage), protocol };
      if (answered !== null && result.kind === "whole") await store(context, keeping, { ...answered, kind: "whole", answer: result });
      const records = collected?.records() ?? null;
      if (answered !== null && records !== null)
        await store(context, keeping, { ...answered, kind: "stream", records, tally: { ...(result as AnswerStream<unknown>).tally } });
      return bill;
    } finally {
      collected?.drop();
    }
  };
  return collected === null ? result : { ...result, forEach: collected.forEach };
}

/** The tier that its upstream served is no matter of the repeats. */
function withoutTier({ serviceTier: _served, ...usage }: Usage): Usage {
  return usage;
}

/** Also collects what is read, as far as this process has room for it: beyond, null. */
function collect({ forEach }: AnswerStream<unknown>, signal: AbortSignal) {
  let records: unknown[] | null = [];
  let size = 0;
  const drop = () => {
    collectedNow -= size;
    size = 0;
    records = null;
  };
  const take = (record: unknown) => {
    if (records === null) return;
    const bytes = (record as { json: string }).json.length;
    size += bytes;
    collectedNow += bytes;
    records.push(record);
    if (size > keptAnswerMax || collectedNow > collectedMax) drop();
  };
  return {
    records: () => records,
    drop,
    async forEach(onRecord: (record: unknown) => void | Promise<void>): Promise<void> {
      try {
        await forEach((record) => {
          take(record);
          return onRecord(record);
        });
        if (isDisconnected(signal)) drop(); // it is charged, and not as complete
      } catch (error) {
        drop();
        throw error;
      }
    },
  };
}

async function store({ db, clock, log }: Pick<Context, "db" | "clock" | "log">, keeping: Keeping, answer: Stored): Promise<void> {
  const bytes = serialize(answer);
  if (bytes.length > keptAnswerMax) return;
  try {
    await keep(db, keeping, bytes, clock(), keeping.seconds);
  } catch (error) {
    log.warn({ err: error }, "an answer could not be kept for repeats of its request");
  }
}
