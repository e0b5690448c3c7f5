// What this process knows about the database behind its address: its clock, its identity, and why no reservation may be made now. Each
// heartbeat and each new connection updates it, so that reading it costs a call no statement.
import { fail } from "../errors/fail.ts";

/** Which database answers, by database_identity; null: its host doesn't reveal it. */
export interface DatabaseIdentity {
  system_id: string | null;
  timeline: bigint | null;
  only_reads: boolean;
}

/** One reading of the database's clock, with this process's clocks before and after it. */
interface ClockLook {
  /** performance.now() */
  sent: number;
  heard: number;
  /** Date.now() */
  wallSent: number;
  wallHeard: number;
  /** The database's, in between; milliseconds since 1970. */
  database: number;
}

export type Doubt = "clock" | "identity" | "lost";

export interface DatabaseChecks {
  /** The database's time. Between two readings this process's monotonic clock counts on, which never jumps. */
  now(): Date;
  /** How far this machine's clock is ahead of the database's, at least. */
  readonly skewMs: number;
  /** Why no reservation may be made, as a sentence; null: reservations may be made. */
  readonly refusal: string | null;
  readonly doubts: ReadonlyMap<Doubt, string>;
  lookAtClock(look: ClockLook): void;
  /** Returns what is wrong, as a sentence; null: it is the previous database, or its successor. */
  identify(identity: DatabaseIdentity): string | null;
  /** Null: no more. */
  setDoubt(doubt: Doubt, reason: string | null): void;
  /** Called when a new timeline begins: connections to the previous one lead to a former primary. */
  onSuccessor(work: () => void): void;
}

/** The tolerated clock skew: certificates, request signatures and sessions tolerate as much. */
const skewMaxMs = 5_000;

/** `onChange`: called when a doubt arises, changes or is resolved (null). */
export function createDatabaseChecks(onChange: (doubt: Doubt, reason: string | null) => void = () => undefined): DatabaseChecks {
  /** Bounds of the database's time minus performance.now(). Unknown at first: this machine's clock is used. */
  let offset = { least: performance.timeOrigin, most: performance.timeOrigin };
  let skewMs = 0;
  let known: { system_id: string | null; timeline: bigint | null } = { system_id: null, timeline: null };
  const doubts = new Map<Doubt, string>();
  const successors: (() => void)[] = [];

  const setDoubt = (doubt: Doubt, reason: string | null) => {
    if ((doubts.get(doubt) ?? null) === reason) return;
    const isNews = reason === null || !doubts.has(doubt);
    if (reason === null) doubts.delete(doubt);
    else doubts.set(doubt, reason);
    if (isNews) onChange(doubt, reason);
  };
  return {
    now: () => new Date(performance.now() + (offset.least + offset.most) / 2),
    get skewMs() {
      return skewMs;
    },
    get refusal() {
      return doubts.size === 0 ? null : [...doubts.values()].join("; ");
    },
    doubts,
    setDoubt,
    lookAtClock({ sent, heard, wallSent, wallHeard, database }) {
      const seen = { least: database - heard, most: database - sent };
      const both = { least: Math.max(offset.least, seen.least), most: Math.min(offset.most, seen.most) };
      offset = both.least <= both.most ? both : seen; // a slow answer is imprecise and must not widen what a quick one established
      const least = Math.min(wallSent, wallHeard) - database;
      const most = Math.max(wallSent, wallHeard) - database;
      skewMs = least > 0 ? least : most < 0 ? most : 0; // a pause or a slow answer widens the bounds, which is not skew
      setDoubt("clock", Math.abs(skewMs) > skewMaxMs ? skewSentence(skewMs) : null);
    },
    identify({ system_id, timeline, only_reads }) {
      if (only_reads) return "the database only reads: it is a standby";
      if (system_id !== null && known.system_id !== null && system_id !== known.system_id)
        return `another database answers: its system identifier is ${system_id}, it was ${known.system_id}`;
      if (timeline !== null && known.timeline !== null && timeline < known.timeline)
        return `a former primary answers: its timeline is ${timeline}, ${known.timeline} was seen`;
      const succeeds = timeline !== null && known.timeline !== null && timeline > known.timeline;
      known = { system_id: system_id ?? known.system_id, timeline: timeline ?? known.timeline };
      if (succeeds) for (const work of successors) work();
      return null;
    },
    onSuccessor: (work) => void successors.push(work),
  };
}

/** Refuses new calls while their money is not safe; calls in flight continue. */
export function refuseInDoubt({ checks }: { checks: Pick<DatabaseChecks, "refusal"> }): void {
  if (checks.refusal !== null) fail("overloaded", { cause: new Error(checks.refusal) });
}

function skewSentence(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  return `the clock of this machine is ${seconds} s ${ms > 0 ? "ahead of" : "behind"} the database's`;
}
