// Which of a provider's credentials a request takes (docs/behaviour/providers.md#credentials): by weight, without those that rest because
// the provider refused them or found them too busy, or because no token could be had for them. Kept in this process's memory.
import type { UpstreamError } from "../errors/upstream-error.ts";
import type { Credential } from "../types.ts";

interface Rotation {
  /**
   * One that is awake and not in `tried`. If all rest: null where others were tried before, else the one whose rest ends first.
   */
  choose(tried: ReadonlySet<Credential>): Credential | null;
  /** Whether the error is about this credential: it then rests, and another may serve. */
  refused(credential: Credential, error: UpstreamError): boolean;
}

/** What the provider refuses is seldom mended sooner, and a key that was revoked is asked once a minute. */
const refusedMs = 60_000;
/** For a rate limit whose answer doesn't say how long to wait; and the bounds of what it says. */
const usualMs = 5_000;
const shortestMs = 1_000;
const longestMs = 300_000;

/** Statuses of an account or a key that is refused: a quota's is 429 with most. */
const refusedStatuses: ReadonlySet<number | null> = new Set([401, 402, 403, 429]);

interface Weighed {
  credential: Credential;
  /** Of smooth weighted round robin: what the others' turns have given it. */
  credit: number;
  restsUntil: number;
}

export function createRotation(credentials: readonly Credential[], now: () => number = () => performance.now()): Rotation {
  const all = credentials.map((credential): Weighed => ({ credential, credit: 0, restsUntil: 0 }));

  /** Credits add up to 0, whichever of them are awake. */
  function byWeight(awake: readonly Weighed[]): Weighed {
    let total = 0;
    for (const one of awake) {
      one.credit += one.credential.weight;
      total += one.credential.weight;
    }
    const best = awake.reduce((first, one) => (one.credit > first.credit ? one : first));
    best.credit -= total;
    return best;
  }

  return {
    choose(tried) {
      const at = now();
      const awake = all.filter(({ credential, restsUntil }) => restsUntil <= at && !tried.has(credential));
      if (awake.length > 0) return byWeight(awake).credential;
      if (tried.size > 0) return null;
      return all.reduce((least, one) => (one.restsUntil < least.restsUntil ? one : least)).credential;
    },
    refused(credential, error) {
      const restMs = restOf(error);
      if (restMs === null) return false;
      const refused = all.find((one) => one.credential === credential)!;
      refused.restsUntil = Math.max(refused.restsUntil, now() + restMs);
      return true;
    },
  };
}

function restOf({ fault, status, retryAfterMs, failure }: UpstreamError): number | null {
  if (fault === "our_fault") return refusedStatuses.has(status) || failure?.cause === "credentials" ? refusedMs : null;
  if (fault !== "rate_limited") return null;
  return Math.min(Math.max(retryAfterMs ?? usualMs, shortestMs), longestMs);
}

const rotations = new WeakMap<readonly Credential[], Rotation>();

/** The one of a provider's list, whichever of its stand-ins asks. */
export function rotationOf(credentials: readonly Credential[]): Rotation {
  let rotation = rotations.get(credentials);
  if (rotation === undefined) rotations.set(credentials, (rotation = createRotation(credentials)));
  return rotation;
}
