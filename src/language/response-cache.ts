// Answers that are kept so that the same request is answered again without a provider: an opt-in of a request or of its key, for models whose
// price says what such an answer costs (docs/behaviour/billing.md#kept-answers). A hit is a call like any other: counted, held for, charged.
import { createHash } from "node:crypto";
import { deserialize, serialize } from "node:v8";
import type { OperationId } from "../../generated/operations.ts";
import { responseCacheSecondsMax } from "../accounts/key-policy.ts";
import { type Ask, isDisconnected, type KeepWish } from "../calls/ask.ts";
import { openCollector } from "../calls/answer-once.ts";
import { cacheTier, type Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { failParameter } from "../errors/fail.ts";
import { keptAnswerMax } from "../ledger/idempotency.ts";
import { findKept, keep, type KeptRow } from "../ledger/kept-answers.ts";
import type { Handler } from "../operation.ts";
import type { AnswerStream, Protocol, Tally, Whole } from "../providers/types.ts";
import { chatProtocol } from "../providers/vertex/vertex.ts";
import { noToolCalls, type ToolCalls, type Usage } from "../usage.ts";
import type { TokenBill, TokenCall } from "./token-call.ts";

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
  return seconds <= responseCacheSecondsMax
    ? seconds
    : failParameter(wishHeader, `must be a whole number of seconds from 0 to ${responseCacheSecondsMax}`);
}

/** What is looked for, and kept. */
export interface Caching extends Omit<KeepWish, "hash">, KeptRow {}

/** Null: nothing is to be kept. */
export function cachingOf({ keep, caller }: Pick<Ask, "keep" | "caller">, { id, tokens }: Model, toolCalls: ToolCalls): Caching | null {
  if (keep === undefined || toolCalls !== noToolCalls || !tokens!.serviceTiers.has(cacheTier)) return null;
  const { accountId } = caller;
  return { ...keep, accountId, hash: createHash("sha256").update(`${accountId}\n${id}\n`).update(keep.hash).digest() };
}

interface Answered {
  usage: Usage;
  /** What the chats of the route that answered are written in. */
  protocol: Protocol;
}

/** As it is stored. */
type Stored = Answered & ({ kind: "whole"; answer: Whole } | { kind: "stream"; records: readonly unknown[]; tally: Tally });

export type KeptAnswer = Stored & { ageSeconds: number };

export async function findAnswer({ db, clock }: Pick<Context, "db" | "clock">, caching: Caching): Promise<KeptAnswer | null> {
  if (caching.isFresh) return null;
  const now = clock();
  const found = await findKept(db, caching, now);
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
 * Returns what the caller reads. An answer that can't be kept is served anyway.
 */
export function kept<Answer extends Whole | AnswerStream<unknown>>(
  context: Pick<Context, "db" | "clock" | "log">,
  caching: Caching,
  call: TokenCall,
  result: Answer,
): Answer {
  const { layer, route } = call.served!;
  if (call.hold.lowered !== null || layer === 3) return result;
  const protocol = chatProtocol(route);
  const collected = result.kind === "stream" ? collect(result, call.ask.signal) : null;
  const complete = call.complete;
  call.complete = async (usage, counted): Promise<TokenBill> => {
    try {
      const bill = await complete(usage, counted);
      const answered = usage === null ? null : { usage: withoutTier(usage), protocol };
      if (answered !== null && result.kind === "whole") await store(context, caching, { ...answered, kind: "whole", answer: result });
      const records = collected?.records() ?? null;
      if (answered !== null && records !== null)
        await store(context, caching, { ...answered, kind: "stream", records, tally: { ...(result as AnswerStream<unknown>).tally } });
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

const collecting = openCollector<unknown>({ eachMax: keptAnswerMax, allMax: 64 * keptAnswerMax });

/** Also collects what is read, as far as this process has room for it: beyond, null. */
function collect({ forEach }: AnswerStream<unknown>, signal: AbortSignal) {
  const { items, add, drop } = collecting();
  return {
    records: items,
    drop,
    async forEach(onRecord: (record: unknown) => void | Promise<void>): Promise<void> {
      try {
        await forEach((record) => {
          add(record, (record as { json: string }).json.length);
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

async function store({ db, clock, log }: Pick<Context, "db" | "clock" | "log">, caching: Caching, answer: Stored): Promise<void> {
  const bytes = serialize(answer);
  if (bytes.length > keptAnswerMax) return;
  try {
    await keep(db, caching, bytes, clock(), caching.seconds);
  } catch (error) {
    log.warn({ err: error }, "an answer could not be kept for repeats of its request");
  }
}
