// The times that jobs are shipped with: other tests shorten them, so that only this one would notice another figure.
import { expect, test } from "vitest";
import { jobTimes } from "../../src/jobs/parts.ts";

const minutes = 60_000;

test("an image has 5 minutes from the asking of its route to its end, a video 20", () => {
  expect(jobTimes.deadlineMs).toEqual({ image: 5 * minutes, video: 20 * minutes });
});

test("genmedia waits 25 seconds for its job", () => {
  expect(jobTimes.runWaitMs).toBe(25_000);
});

test("a submit retries for 8 seconds", () => {
  expect(jobTimes.submitTimeoutMs).toBe(8_000);
});

test("a job waits 60 minutes for a slot, and may be unfinished for 30 after its start", () => {
  expect([jobTimes.queueLifeMs, jobTimes.runLifeMs]).toEqual([60 * minutes, 30 * minutes]);
});

test("a lease is 10 seconds and renewed every 3", () => {
  expect([jobTimes.leaseMs, jobTimes.renewMs]).toEqual([10_000, 3_000]);
});
