// GET /v1/jobs/{id}?wait=SECONDS: answers when the job ends, in whichever process, and holds nothing for a caller who disconnected.
import { describe, expect, test } from "vitest";
import { countWaiters } from "../../support/count-waiters.ts";
import { eventually } from "../../support/eventually.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { endJob, endJobsOf, newJob } from "../../support/media-jobs.ts";
import { chatWorld, language } from "../chat/chat-gateway.ts";

const world = chatWorld([language("demo/x", ["x"])]);
const read = (account: TestAccount, id: string, wait: number, signal?: AbortSignal) =>
  world.gateway.request("GET", `/v1/jobs/${id}?wait=${wait}`, { key: account.key, ...(signal === undefined ? {} : { signal }) });

describe("a long poll", () => {
  test("answers all waiting requests when the job has ended", async () => {
    const account = await world.account();
    const job = await newJob(world.gateway, account);
    const waiters = countWaiters(world.gateway);
    const polls = [1, 2, 3].map(() => read(account, job.shownId, 25));
    await eventually(() => expect(waiters.now).toBe(3));
    await endJob(world.gateway, account, job, { to: "succeeded" });
    for (const { json, headers } of await Promise.all(polls)) {
      expect(json).toMatchObject({ status: "succeeded", charged_amount: 0.04 });
      expect(headers["retry-after"]).toBeUndefined();
    }
    expect(waiters.now).toBe(0);
    waiters.restore();
  });

  test("of a job that has ended answers at once, also a second time", async () => {
    const account = await world.account();
    const job = await newJob(world.gateway, account);
    await endJob(world.gateway, account, job, { to: "failed" });
    for (let n = 0; n < 2; n += 1) expect((await read(account, job.shownId, 25)).json.status).toBe("failed");
  });

  test("answers as it stands when the time is over", async () => {
    const account = await world.account();
    const job = await newJob(world.gateway, account);
    const { json, headers } = await read(account, job.shownId, 1);
    expect([json.status, headers["retry-after"]]).toEqual(["pending", "1"]);
    await endJobsOf(world.gateway, account);
  });

  test("ends when its caller disconnects", async () => {
    const account = await world.account();
    const job = await newJob(world.gateway, account);
    const waiters = countWaiters(world.gateway);
    const leaving = new AbortController();
    const left = expect(read(account, job.shownId, 25, leaving.signal)).rejects.toThrow();
    await eventually(() => expect(waiters.now).toBe(1));
    leaving.abort();
    await left;
    await eventually(() => expect(waiters.now).toBe(0));
    waiters.restore();
    await endJobsOf(world.gateway, account);
  });

  // Last: its gateway is stopped.
  test("does not hold up a gateway that stops: it answers as the job stands", async () => {
    const account = await world.account();
    const job = await newJob(world.gateway, account);
    const waiters = countWaiters(world.gateway);
    const poll = read(account, job.shownId, 25);
    await eventually(() => expect(waiters.now).toBe(1));
    const stopped = world.gateway.context.jobs.stop(0);
    const { json, headers } = await poll;
    expect([json.status, headers["retry-after"]]).toEqual(["pending", "1"]);
    await stopped;
    expect((await read(account, job.shownId, 25)).json.status).toBe("pending");
    await endJobsOf(world.gateway, account);
    waiters.restore();
  });
});
