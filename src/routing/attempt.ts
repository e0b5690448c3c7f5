// Tries candidates in order until one serves. docs/behaviour/providers.md#faults says what follows from a fault, #routing what the
// client gets once all have failed.
import type { Logger } from "pino";
import { fail } from "../errors/fail.ts";
import {
  type Failure,
  failureOf,
  isMalformedOutput,
  isSlowReader,
  UpstreamError,
  type UpstreamFault,
} from "../providers/errors/upstream-error.ts";
import type { Heard, UpstreamCall, UsedCredential } from "../providers/types.ts";
import { type AttemptSpan, traceNow } from "../tracing.ts";
import type { Usage } from "../usage.ts";
import type { Breakers } from "./breaker.ts";
import type { Candidate } from "./candidates.ts";

export interface Attempt {
  candidate: Candidate;
  /** ok, the fault's name, interrupted for a stream that broke off, or breaker_open for a route that was passed over. */
  outcome: string;
  status: number | null;
  latencyMs: number;
  /** What the upstream calls its answer; null: it did not answer, or names none. */
  responseId: string | null;
  /** Answers that were no errors: a decision asks its upstream several times. */
  answers: number;
  /** Why it failed, for the operator; null where it didn't, or where its client disconnected. */
  failure: Failure | null;
  /** Which of its provider's credentials was used last, and those that were refused before it; absent: the provider has no list of them. */
  credential?: string | undefined;
  refused?: readonly RefusedCredential[] | undefined;
  /** Absent: no tracing. */
  span?: AttemptSpan | undefined;
}

/** Not the route's failure: another credential was tried at once. */
interface RefusedCredential {
  credential: string;
  /** The fault's name. */
  outcome: string;
  status: number | null;
  cause: string;
  detail: string;
}

export interface Served<Result> {
  result: Result;
  candidate: Candidate;
}

/** How an operation differs from most. */
export interface AttemptRules {
  /** Awaited before a candidate is called. */
  pause?(candidate: Candidate): Promise<void>;
  /** Throws where a fault is final, so that no further candidate is tried. `failed` always is; `rejected` is, except as below. */
  stopAt?(error: UpstreamError): void;
  /**
   * Whether this candidate's rejection is only about itself. After an outage the next candidate is then tried, and the rejection is not the
   * answer. Absent: every rejection is final.
   */
  rejectsAlone?(error: UpstreamError, candidate: Candidate): boolean;
}

/**
 * Answers of one request that can't be read. Providers bill each and the caller pays none, so what makes every answer unreadable, also by intent,
 * must not buy one of each route. Time-outs don't count: most are outages, and the next route may answer.
 */
const unreadableMax = 3;

/** Fills `attempts` as they happen, so that it is complete whatever this throws. */
export async function attempt<Result>(
  candidates: readonly Candidate[],
  breakers: Breakers,
  signal: AbortSignal,
  attempts: Attempt[],
  call: (candidate: Candidate, heard: UpstreamCall["heard"]) => Promise<Result>,
  rules: AttemptRules = {},
): Promise<Served<Result>> {
  const faults: UpstreamError[] = [];
  const passOver = (candidate: Candidate, failure: Failure) =>
    attempts.push({ candidate, outcome: "breaker_open", status: null, latencyMs: 0, responseId: null, answers: 0, failure });
  for (const candidate of tryable(candidates, breakers, signal, passOver)) {
    let startedAt = performance.now();
    let span: AttemptSpan | undefined;
    const { told, heard } = listen(candidate);
    const record = (outcome: string, status: number | null, failure: Failure | null) => {
      told.outcome = outcome;
      told.status = status;
      told.latencyMs = Math.round(performance.now() - startedAt);
      told.failure = failure;
      told.span = span;
      attempts.push(told);
    };
    try {
      if (rules.pause !== undefined) {
        await rules.pause(candidate);
        startedAt = performance.now();
      }
      span = traceNow()?.openAttempt(candidate.routeId, candidate.route.model);
      const result = await (span === undefined ? call(candidate, heard) : span.run(() => call(candidate, heard)));
      breakers.answered(candidate.routeId); // a stream's reader reports streamEnded or streamBroke, or neither where its client disconnected
      record("ok", 200, null);
      return { result, candidate };
    } catch (error) {
      if (!(error instanceof UpstreamError)) {
        breakers.undecided(candidate.routeId);
        if (signal.aborted) record("aborted", null, null);
        else record("gateway_error", null, ownFailure);
        throw error;
      }
      if (countsForBreaker(error)) breakers.failed(candidate.routeId);
      else breakers.undecided(candidate.routeId);
      record(error.fault, error.status, failureOf(error));
      if (error.fault === "rejected" && !(isOutage(faults, attempts) && rules.rejectsAlone?.(error, candidate)))
        fail("request_rejected", {
          param: error.param,
          text: { reason: inPublicNames(error.reason, candidate) },
          status: rejectionStatus(error),
          cause: error,
        });
      rules.stopAt?.(error);
      faults.push(error);
      if (error.fault === "failed") break; // the upstream has done the work: a second attempt would be paid twice
      if (faults.filter(({ fault }) => fault === "unreadable").length >= unreadableMax) break;
    }
  }
  return allFailed(faults, attempts);
}

type Told = Attempt & { refused?: RefusedCredential[] };

/** What the adapter of one attempt says of its answers, also once it is recorded: a stream may name itself after it has begun. */
function listen(candidate: Candidate): { told: Told; heard: Heard } {
  const told: Told = { candidate, outcome: "", status: null, latencyMs: 0, responseId: null, answers: 0, failure: null };
  const heard = (id: string | null, served: boolean, used?: UsedCredential) => {
    told.responseId = id ?? told.responseId;
    if (served) told.answers += 1;
    if (used === undefined) return;
    told.credential = used.id;
    if (used.refusal === undefined) return;
    told.responseId = null;
    const { fault: outcome, status } = used.refusal;
    (told.refused ??= []).push({ credential: used.id, outcome, status, ...failureOf(used.refusal) });
  };
  return { told, heard: Object.assign(heard, { named: (id: string) => void (told.responseId ??= id) }) };
}

const passedOver: Failure = { cause: "breaker_open", detail: "its last calls failed: it rests for a moment" };
const disabled: Failure = { cause: "disabled", detail: "an operator took the route out of use for a while" };
const ownFailure: Failure = { cause: "gateway_error", detail: "the gateway itself failed; its log says more" };

/** The stream of the last attempt is complete. */
export function streamEnded(breakers: Breakers, attempts: readonly Attempt[]): void {
  breakers.ended(attempts.at(-1)!.candidate.routeId);
}

/** The stream of the last attempt was interrupted. Returns the route's id where the upstream was at fault. */
export function streamBroke(breakers: Breakers, attempts: readonly Attempt[], error: unknown): string {
  const served = attempts.at(-1)!;
  const { routeId } = served.candidate;
  if (error instanceof UpstreamError) {
    served.outcome = isSlowReader(error) ? "aborted" : "interrupted";
    served.failure = failureOf(error);
    if (countsForBreaker(error) && !isSlowReader(error)) breakers.broke(routeId);
  }
  return routeId;
}

/** Callers must not see the provider's id of the model. An id that is an ordinary word is left, because it may be meant as one. */
function inPublicNames(reason: string, { route, model }: Candidate): string {
  return /^[a-z]*$/i.test(route.model) || route.model === model.id ? reason : reason.replaceAll(route.model, model.id);
}

/** The upstream's own status where the contract has it; a stream may begin with 200 and reject in its first record. */
function rejectionStatus({ status }: UpstreamError): number {
  return status === 413 || status === 415 || status === 422 ? status : 400;
}

/** Skips open breakers; when every candidate's is open, the first is tried anyway, but for those that an operator disabled. */
function* tryable(
  candidates: readonly Candidate[],
  breakers: Breakers,
  signal: AbortSignal,
  passOver: (candidate: Candidate, failure: Failure) => void,
): Generator<Candidate> {
  let tried = false;
  let rested: Candidate | undefined;
  for (const candidate of candidates) {
    signal.throwIfAborted();
    if (breakers.isDisabled(candidate.routeId)) {
      passOver(candidate, disabled);
      continue;
    }
    if (!breakers.admits(candidate.routeId)) {
      rested ??= candidate;
      passOver(candidate, passedOver);
      continue;
    }
    tried = true;
    yield candidate;
  }
  if (!tried && rested !== undefined) yield rested;
}

/** 4xx never count: they are about the request or our account, not about the route's health. Nor does what a caller's tools or body can bring about. */
function countsForBreaker(error: UpstreamError): boolean {
  return (
    !isMalformedOutput(error) &&
    !error.cutUpload &&
    (error.fault === "unavailable" || error.fault === "unreadable") &&
    (error.status === null || error.status < 400 || error.status >= 500)
  );
}

/** Whether a candidate that might take the request is unavailable for the moment: it failed so, or was passed over and not tried. */
function isOutage(faults: readonly UpstreamError[], attempts: readonly Attempt[]): boolean {
  return faults.some(({ fault }) => passing.has(fault)) || isAnyUnheard(attempts);
}

/** Faults that time or the operator mends: all but what a route says about the content or its model. */
const passing: ReadonlySet<UpstreamFault> = new Set(["unavailable", "rate_limited", "unreadable", "our_fault", "local_overload"]);

function isAnyUnheard(attempts: readonly Attempt[]): boolean {
  const heard = new Set(triedOf(attempts).map(({ candidate }) => candidate.routeId));
  return attempts.some(({ candidate }) => !heard.has(candidate.routeId));
}

function triedOf(attempts: readonly Attempt[]): Attempt[] {
  return attempts.filter(({ outcome }) => outcome !== "breaker_open");
}

/**
 * What one route says about the request is final only when every route says it: one that was passed over may serve in a moment. A
 * rejection in this list came after another route's outage and is not the answer.
 */
function allFailed(faults: readonly UpstreamError[], attempts: readonly Attempt[]): never {
  const unheard = isAnyUnheard(attempts);
  const every = (fault: UpstreamFault) => !unheard && faults.length > 0 && faults.every((error) => error.fault === fault);
  const cause = faults.findLast(({ fault }) => fault !== "rejected");
  if (faults.length > 0 && faults.every(({ fault }) => fault === "local_overload")) fail("overloaded", { cause });
  if (every("refused")) {
    const last = triedOf(attempts).at(-1)!.candidate;
    fail("route_refused", { text: { reason: inPublicNames(cause?.reason ?? "", last) }, cause });
  }
  if (every("unreadable")) fail("upstream_invalid_response", { cause });
  if (every("gone")) fail("model_unavailable", { cause });
  fail("provider_unavailable", { cause });
}

// Reports each attempt at an upstream to the operator: all of them to /metrics and traces, an upstream's faults to the log.

interface Reporting {
  log: Logger;
  /** For /metrics: one attempt at an upstream; `cause` is null where it did not fail. */
  countAttempt: (
    route: string,
    outcome: string,
    latencyMs: number,
    cause: string | null,
    credentials: readonly { credential: string; outcome: string }[],
  ) => void;
}

/** Logs faults that would stay unseen otherwise: the caller may have been served by another route, and never sees names. `of`: what was attempted; `usage`: what was charged. */
export function reportAttempts(
  { log, countAttempt }: Reporting,
  of: Record<string, string>,
  attempts: readonly Attempt[],
  usage: Usage | null = null,
): void {
  for (const { candidate, outcome, status, latencyMs, failure, credential, refused = [], span } of attempts) {
    span?.end({ outcome, status, latencyMs, usage: outcome === "ok" ? usage : null });
    for (const one of refused) log.warn({ ...of, route: candidate.routeId, ...one }, "a credential was refused: another is tried");
    const used = credential === undefined ? [] : [...refused, { credential, outcome }];
    countAttempt(candidate.routeId, outcome, latencyMs, failure?.cause ?? null, used);
    if (quiet.has(outcome)) continue;
    const line = { ...of, route: candidate.routeId, fault: outcome, upstream_status: status, ...failure, ms: latencyMs };
    // Our own key or account at a provider: no retry helps, and every call goes to the next route until the operator fixes it.
    if (outcome === "our_fault") log.error(line, "an upstream refuses our credentials or account");
    else log.warn(line, "an upstream did not serve");
  }
}

/** Not an upstream's fault, or reported already. What a route says about the content may quote a prompt, which no log may hold. */
const quiet = new Set(["ok", "interrupted", "aborted", "breaker_open", "rejected", "refused"]);
