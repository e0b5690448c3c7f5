// How long a lane waits for company before its next statement: nothing while this process has time, a few milliseconds once it
// is the process that everybody waits for. A statement costs about as much as half a request, whatever the size of its batch.

/** Between two statements of a lane at full load. More saves little and is felt. */
const fullLoadMs = 4;
/** A process busy for less of its time answers at once. */
const freeShare = 0.5;
/** How often the load is looked at. */
const sampleMs = 50;

let before = performance.eventLoopUtilization();
let lookedAt = performance.now();
let share = 0;

/** Milliseconds between the starts of two statements of one lane, now. */
export function statementGapMs(now: number): number {
  if (now - lookedAt >= sampleMs) {
    const current = performance.eventLoopUtilization();
    share = performance.eventLoopUtilization(current, before).utilization;
    before = current;
    lookedAt = now;
  }
  return share <= freeShare ? 0 : (fullLoadMs * (share - freeShare)) / (1 - freeShare);
}
