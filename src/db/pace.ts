// How long a lane waits for company before its next statement. A statement costs this process about as much as half a request and Postgres
// several times that, whatever the size of its batch: under load fewer and larger ones serve everybody sooner.

/** Between two statements of a lane where this process has no time left. More saves little and is felt. */
const fullLoadMs = 4;
/** A process busy for less of its time sends at once. */
const freeShare = 0.5;
/** How often the load is looked at. */
const sampleMs = 50;
/** The database gets as much rest from a lane as its last statement took, a slow one excepted: others wait for it already. */
const restMaxMs = 5;

/** A lane's last statement, on the clock of performance.now(). */
export interface LastStatement {
  startedAt: number;
  endedAt: number;
}

let before = performance.eventLoopUtilization();
let lookedAt = performance.now();
let share = 0;

/** Milliseconds to wait; 0 or less: none. `rests`: for the database; not where lanes have turns (turns.ts). */
export function pauseBefore({ startedAt, endedAt }: LastStatement, rests: boolean, now: number): number {
  const restedAt = rests ? endedAt + Math.min(endedAt - startedAt, restMaxMs) : startedAt;
  return Math.max(startedAt + gapMs(now), restedAt) - now;
}

function gapMs(now: number): number {
  if (now - lookedAt >= sampleMs) {
    const current = performance.eventLoopUtilization();
    share = performance.eventLoopUtilization(current, before).utilization;
    before = current;
    lookedAt = now;
  }
  return share <= freeShare ? 0 : (fullLoadMs * (share - freeShare)) / (1 - freeShare);
}
