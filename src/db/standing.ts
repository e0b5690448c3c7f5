// What this process knows of the database behind its address: the time there, which database it is, and why no money may be taken from it
// now. Told by each heartbeat and each new connection, so that asking costs a call no statement.
import { fail } from "../errors/fail.ts";

/** Which database answers, as database_identity says it; null: its operator doesn't tell. */
export interface DatabaseIdentity {
  system_id: string | null;
  timeline: bigint | null;
  only_reads: boolean;
}

/** One look at the database's clock: what this process's clocks said before and after it. */
export interface ClockLook {
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

export interface Standing {
  /** The database's time. Between two looks the monotonic clock of this process counts on: it knows no leaps. */
  now(): Date;
  /** How far this machine's clock is ahead of the database's, at least. */
  readonly skewMs: number;
  /** A sentence: why no reservation may be made; null: it may. */
  readonly refusal: string | null;
  readonly doubts: ReadonlyMap<Doubt, string>;
  lookAtClock(look: ClockLook): void;
  /** Returns what is wrong with it, in a sentence; null: it is the database of before, or its successor. */
  identify(identity: DatabaseIdentity): string | null;
  /** Null: no more. */
  setDoubt(doubt: Doubt, reason: string | null): void;
  /** Called where another timeline begins: what is connected to the one before leads to a former primary. */
  onSuccessor(work: () => void): void;
}

/** What a clock may differ by: certificates, signatures of requests and sessions bear as much. */
const skewMaxMs = 5_000;

/** `onChange`: a doubt came, changed, or went (null). */
export function createStanding(onChange: (doubt: Doubt, reason: string | null) => void = () => undefined): Standing {
  /** The database's time less performance.now(): between these. Unknown at first: this machine's. */
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
      offset = both.least <= both.most ? both : seen; // a slow answer tells little, and takes nothing from what a quick one told
      const least = Math.min(wallSent, wallHeard) - database;
      const most = Math.max(wallSent, wallHeard) - database;
      skewMs = least > 0 ? least : most < 0 ? most : 0; // a pause, or a slow answer, widens the two; it makes no skew
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

/** No new call begins where its money is not safe; those under way go on. */
export function refuseInDoubt({ standing }: { standing: Pick<Standing, "refusal"> }): void {
  if (standing.refusal !== null) fail("overloaded", { cause: new Error(standing.refusal) });
}

function skewSentence(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  return `the clock of this machine is ${seconds} s ${ms > 0 ? "ahead of" : "behind"} the database's`;
}
