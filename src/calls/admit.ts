// Counts a call against its rate limits and holds its most, all or nothing. As a rule in one statement, for which both must surely fit; where
// they may not, the limits decide first and the money after them, and a call that the money refuses is uncounted.
import { boundedMap } from "../concurrency/bounded-map.ts";
import type { Catalog, Model } from "../catalog/types.ts";
import type { Clock } from "../clock.ts";
import type { Admitted } from "../ledger/admission.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Reserved, Slot } from "../ledger/reserve.ts";
import type { Counters, Decision, Take } from "../limits/counters.ts";
import { buckets, daySeconds, failRate, keyBuckets, minuteMs, minuteSeconds, rateHeaders, windowStartMs } from "../limits/window.ts";
import type { Amount } from "../money.ts";
import type { Caller } from "../accounts/caller.ts";
import type { KeyPolicy } from "../accounts/key-policy.ts";
import { tierOf } from "../catalog/tiers.ts";
import { fail } from "../errors/fail.ts";
import { assertAllowed } from "../limits/slots.ts";

interface Money {
  /** Fixed for the request's life; settle names it. */
  id: string;
  /** The most that the call may cost. */
  want: Amount;
  /** Refuse if less than this can be held. At most `want`. */
  least: Amount;
  /** Absent: the call needs no slot. */
  slot?: Slot;
  /** The call is found by its hold, as one with an idempotency key is. */
  isNamed?: boolean;
}

interface AdmittedCall {
  rate: CountedCall;
  /** Null is granted where the money refuses: nothing is held, and the call is uncounted. */
  reserved: Reserved;
}

/**
 * Where its money is known only later, or needs a slot, `money` returns it once the call is counted. Fails with permission_denied,
 * request_too_large, rate_limit_exceeded or overloaded, or as `money` does.
 */
export type AdmitCall = (
  catalog: Pick<Catalog, "tiers">,
  call: LimitedCall,
  money: Omit<Money, "slot"> | (() => Promise<Money>),
) => Promise<AdmittedCall>;

interface Parts {
  ledger: Pick<Ledger, "admit" | "reserve" | "recalling">;
  limits: { counters: Counters };
  clock: Clock;
}

/** Callers and models with a call in this minute. */
const usualMax = 20_000;

export function openAdmission({ ledger, limits, clock }: Parts): AdmitCall {
  /** The minute in which the last call of a caller to a model fitted: its windows are there, and the next call probably fits as well. */
  const fitted = boundedMap<string, number>(usualMax);

  return async (catalog, call, money) => {
    const { accountId, keyId } = call.caller;
    const usual = `${accountId} ${keyId} ${call.model.id}`;
    if (typeof money !== "function" && fitted.get(usual) === minuteOf(clock().getTime())) {
      const { takes, decided } = takesOf({ limits, catalog }, call);
      const { id, want, isNamed = false } = money;
      const admitting = ledger.admit({ accountId, keyId, id, want, isNamed, windows: takes });
      const admitted = admitting instanceof Promise ? await admitting : admitting;
      if (admitted !== null) return usualCall(decided, want, admitted);
      fitted.delete(usual);
    }
    return countCall({ ledger, limits, catalog }, call, async (rate) => {
      const holding = typeof money === "function" ? await money() : money;
      const reserved = await ledger.reserve({ accountId, keyId, ...holding });
      if (reserved.granted === null) rate.giveBack();
      else if (reserved.granted === holding.want && typeof money !== "function") fitted.set(usual, minuteOf(rate.atMs));
      return { rate, reserved };
    });
  };
}

function usualCall(decided: CallTakes["decided"], want: Amount, admitted: Admitted): AdmittedCall {
  const { atMs, count, previous, available, reserved, keyLeft } = admitted;
  const first = { atMs, lengthMs: minuteMs, current: count, previous };
  return { rate: decided({ refused: null, first, waitMs: 0 }), reserved: { granted: want, available, reserved, refused: null, keyLeft } };
}

const minuteOf = (ms: number): number => Math.floor(ms / minuteMs);

// Counts a call that names a model against three limits at once, all or nothing: requests, requests of the model and tokens a minute
// (docs/behaviour/limits.md#counting). A call that is refused later is uncounted again; tokens are corrected once they are measured.

export interface LimitedCall {
  caller: Caller;
  model: Pick<Model, "id">;
  /** Likely tokens of the input and, if a cap was sent, the most of the output; 0 where nothing is counted in tokens. */
  tokens: { input: number; output: number };
  /** It leaves half of each limit to other calls. */
  isBatch?: boolean;
  /** Adds what is left of the limits to every reply from here on. */
  addHeaders: (headers: Record<string, string>) => void;
}

export interface CountedCall {
  /** When it was counted: the database's time, ms since 1970. */
  atMs: number;
  /** Replaces the estimate by the tokens measured, input and output. */
  correct(tokens: number): void;
  /** Uncounts the call, since it was refused after all. */
  giveBack(): void;
}

/** What a call takes of each limit, before it is counted. */
interface CallTakes {
  /** Of the requests a minute first. */
  takes: readonly Take[];
  /** What the limits and headers are to say once the takes are decided. Fails with rate_limit_exceeded. */
  decided(decision: Decision): CountedCall;
}

/**
 * Counts a call and does what follows (money, a slot); uncounts it if that refuses it. Fails with permission_denied, request_too_large,
 * rate_limit_exceeded or overloaded, or as `work` does.
 */
export async function countCall<Result>(
  context: { ledger: Pick<Ledger, "recalling">; limits: { counters: Counters }; catalog: Pick<Catalog, "tiers"> },
  call: LimitedCall,
  work: (counted: CountedCall) => Promise<Result>,
): Promise<Result> {
  const { takes, decided } = takesOf(context, call);
  const { ledger, limits } = context;
  const decision = await ledger.recalling(
    call.caller.accountId,
    () => limits.counters.take(takes),
    ({ refused }) => refused !== null,
  );
  const counted = decided(decision);
  try {
    return await work(counted);
  } catch (error) {
    counted.giveBack();
    throw error;
  }
}

/** Fails with permission_denied or request_too_large. */
export function takesOf(
  { limits, catalog }: { limits: { counters: Pick<Counters, "correct"> }; catalog: Pick<Catalog, "tiers"> },
  { caller, model, tokens, addHeaders, isBatch = false }: LimitedCall,
): CallTakes {
  const tier = tierOf(catalog, caller);
  assertAllowed(catalog.tiers, tier, "requests", ({ rpm, per_model_rpm, tpm }) => Math.min(rpm, per_model_rpm, tpm));
  assertFits(tokens, tier);
  if (caller.policy !== null) assertFitsKey(tokens, caller.policy);
  const { accountId } = caller;
  // A call that asks for more than a minute allows takes the whole minute: it may not use all that it asks for.
  const part = (limit: number) => (isBatch ? Math.max(1, Math.floor(limit / 2)) : limit);
  const estimate = Math.min(tokens.input + tokens.output, part(tier.tpm));
  // Answers may have used more than a minute allows. That refuses no call that has no tokens, such as a media job.
  const ofTokens = (limit: number) => (estimate === 0 ? null : part(limit));
  const takes: Take[] = [
    { accountId, bucket: buckets.requests, seconds: minuteSeconds, amount: 1, limit: part(tier.rpm) },
    { accountId, bucket: `${buckets.requests}:${model.id}`, seconds: minuteSeconds, amount: 1, limit: part(tier.per_model_rpm) },
    { accountId, bucket: buckets.tokens, seconds: minuteSeconds, amount: estimate, limit: ofTokens(tier.tpm) },
    { accountId, bucket: buckets.day, seconds: daySeconds, amount: 1, limit: null },
  ];
  if (caller.policy !== null) takes.push(...takesOfKey(caller, caller.policy, { estimate, part, ofTokens }));
  const decided = ({ refused, first, waitMs }: Decision): CountedCall => {
    const headers = rateHeaders(tier.rpm, first);
    addHeaders(headers);
    if (refused !== null) {
      const of = ["requests per minute", `requests per minute for ${model.id}`, "tokens per minute"][refused];
      failRate(`${takes[refused]?.limit} ${of ?? ofKey(caller, takes[refused]!)}`, waitMs, headers);
    }
    const given = (take: Take, amount: number): Take => ({
      ...take,
      amount,
      limit: null,
      startMs: windowStartMs(first.atMs, take.seconds * 1000),
    });
    return {
      atMs: first.atMs,
      correct(measured) {
        for (const take of takes) {
          const more = countsTokens(take) ? measured - take.amount : 0;
          // The excess counts now, because the estimate's window would soon have passed.
          if (more !== 0) limits.counters.correct([more > 0 ? { ...take, amount: more, limit: null } : given(take, more)]);
        }
      },
      giveBack() {
        addHeaders(rateHeaders(tier.rpm, { ...first, current: first.current - 1 }));
        limits.counters.correct(takes.filter(({ amount }) => amount > 0).map((take) => given(take, -take.amount)));
      },
    };
  };
  return { takes, decided };
}

/** Refuses more tokens than a whole minute allows too: waiting would not help. */
function assertFits({ input, output }: LimitedCall["tokens"], tier: { tier: number; max_single_request: number; tpm: number }): void {
  const all = input + output;
  const largest = tier.max_single_request;
  if (all > largest || largest === 0)
    fail("request_too_large", { text: { reason: `${all} tokens, and tier ${tier.tier} allows ${largest} in a single request` } });
  if (input > tier.tpm)
    fail("request_too_large", { text: { reason: `${input} tokens, and tier ${tier.tier} allows ${tier.tpm} tokens per minute` } });
}

// The limits of a key, beside those of its account: the smaller one decides.

function takesOfKey(
  { accountId, keyId }: Caller,
  { rpm, tpm }: KeyPolicy,
  { estimate, part, ofTokens }: { estimate: number; part: (limit: number) => number; ofTokens: (limit: number) => number | null },
): Take[] {
  const of = keyBuckets(keyId!);
  const take = (bucket: string, amount: number, limit: number | null) => ({ accountId, bucket, seconds: minuteSeconds, amount, limit });
  return [
    ...(rpm === null ? [] : [take(of.requests, 1, part(rpm))]),
    ...(tpm === null ? [] : [take(of.tokens, Math.min(estimate, part(tpm)), ofTokens(tpm))]),
  ];
}

function countsTokens({ bucket }: Take): boolean {
  return bucket === buckets.tokens || (bucket.startsWith("key:") && bucket.endsWith(":tokens"));
}

function ofKey({ policy }: Caller, take: Take): string {
  return `${countsTokens(take) ? "tokens" : "requests"} per minute of the key ${policy?.masked}`;
}

function assertFitsKey({ input }: LimitedCall["tokens"], { tpm, masked }: KeyPolicy): void {
  if (tpm !== null && input > tpm)
    fail("request_too_large", { text: { reason: `${input} tokens, and the key ${masked} allows ${tpm} tokens per minute` } });
}
