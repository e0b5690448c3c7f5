// `svc job …` and the holds of `svc account show`, through bin/svc.js.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { endJob, endJobsOf, type MediaJob, newJob, pngFile, startJob } from "../support/media-jobs.ts";
import { callSvc } from "./run-svc.ts";

let gateway: Gateway;
let account: TestAccount;
let jobs: Record<"done" | "failed" | "running" | "waiting", MediaJob>;
beforeAll(async () => {
  gateway = await startGateway();
  account = await gateway.createAccount({ deposit: "5" });
  const submit = () => newJob(gateway, account);
  const done = await submit();
  await endJob(gateway, account, done, { to: "succeeded", files: [pngFile("a.png")] });
  const failed = await submit();
  await endJob(gateway, account, failed, { to: "failed", code: "content_policy", message: "No.", word: "content_policy_violation" });
  const running = await submit();
  await startJob(gateway, running);
  for (let n = 0; n < 5; n += 1) await submit();
  jobs = { done, failed, running, waiting: await submit() };
});
afterAll(async () => {
  await endJobsOf(gateway, account);
  const audited = await gateway.audit();
  await gateway.stop();
  expect(audited).toMatchObject({ mismatches: [], holds_open: 0 });
});
const svc = (...words: string[]) => callSvc({ DATABASE_URL: gateway.databaseUrl }, words);

describe("svc job show", () => {
  test("of one that waits: its turn", async () => {
    const { shownId } = jobs.waiting;
    const ran = await svc("job", "show", shownId, "--json");
    expect(ran.status).toBe(0);
    expect(ran.json()).toMatchObject({
      ...{ id: shownId, account_id: account.id, status: "queued", queue_position: 2, model: "demo/image", estimated_cost: 0.04 },
      ...{ started_at: null, charged_amount: null, refunded_amount: null, files: [], error: null, route: null },
    });
    expect((await svc("job", "show", shownId)).stdout).toContain(`${shownId} ${account.id} demo/image queued, queue position 2\n`);
  });

  test("of one that runs: whom it was handed to", async () => {
    expect((await svc("job", "show", jobs.running.shownId)).stdout).toMatch(/ demo\/image processing\n[^]*asked north\/sim/);
  });

  test("of one that failed: why, in our word and the provider's", async () => {
    const ran = await svc("job", "show", jobs.failed.shownId, "--json");
    expect(ran.json()).toMatchObject({
      ...{ status: "failed", refunded_amount: 0.04 },
      error: { code: "content_policy", message: "No.", word: "content_policy_violation" },
    });
  });

  test("ends with 1 where there is none", async () => {
    for (const id of ["job_1", jobs.done.shownId.replace("job_", "vid_")]) {
      const ran = await svc("job", "show", id);
      expect([ran.status, ran.stderr]).toEqual([1, `no such job: ${id}\n`]);
    }
  });
});

describe("svc job list", () => {
  test("newest first, by account and status", async () => {
    const idsOf = async (...words: string[]) =>
      ((await svc("job", "list", ...words, "--json")).json().data as { id: string }[]).map(({ id }) => id);
    const all = await idsOf("--account", account.email);
    expect([all.length, all[0], all.at(-1)]).toEqual([9, jobs.waiting.shownId, jobs.done.shownId]);
    expect(await idsOf("--status", "processing")).toEqual([jobs.running.shownId]);
    const empty = await gateway.createAccount();
    expect((await svc("job", "list", "--account", empty.id)).stdout).toBe("no jobs\n");
  });

  test("a status that is none is wrong usage", async () => {
    expect((await svc("job", "list", "--status", "done")).status).toBe(2);
  });
});

test("svc account show: what media jobs hold is part of no balance", async () => {
  const shown = (await svc("account", "show", account.id, "--json")).json();
  const slots = await gateway.context.db.pool.query(
    "select 1 from media_job where account_id = $1 and status in ('pending', 'processing')",
    [account.accountId],
  );
  expect(shown.holds).toBe((slots.rows.length * 4) / 100);
});

describe("svc job refund", () => {
  test("gives the charge back, once: to the balance and to its key's budget", async () => {
    const { shownId } = jobs.done;
    const { balance } = await gateway.balance(account);
    const spentOfBudget = async () => {
      const { rows } = await gateway.context.db.pool.query<{ spent: bigint }>("select spent from key_budget where account_id = $1", [
        account.accountId,
      ]);
      return rows.reduce((sum, { spent }) => sum + spent, 0n);
    };
    const spent = await spentOfBudget();
    const ran = await svc("job", "refund", shownId);
    expect([ran.status, ran.stdout]).toEqual([0, `${shownId} refunded, 0.04 USD returned to ${account.id}\n`]);
    expect((await gateway.balance(account)).balance).toBeCloseTo(balance + 0.04, 8);
    expect(await spentOfBudget()).toBe(spent - 4_000_000n);
    const again = await svc("job", "refund", shownId);
    expect([again.status, again.stderr]).toEqual([1, `${shownId} was already refunded\n`]);
    expect((await gateway.balance(account)).balance).toBeCloseTo(balance + 0.04, 8);
    expect((await svc("job", "show", shownId, "--json")).json()).toMatchObject({
      status: "refunded",
      charged_amount: 0,
      refunded_amount: 0.04,
    });
  });

  test("is refused of any other job", async () => {
    for (const [name, status] of [
      ["failed", "failed"],
      ["running", "processing"],
      ["waiting", "queued"],
    ] as const) {
      const ran = await svc("job", "refund", jobs[name].shownId, "--json");
      expect([ran.status, ran.stdout]).toEqual([1, ""]);
      expect(ran.stderr).toBe(`${jobs[name].shownId} is ${status}: only a job that succeeded can be refunded\n`);
    }
    expect((await svc("job", "refund", "job_1")).stderr).toBe("no such job: job_1\n");
  });
});

describe("svc job cancel", () => {
  test("of one that waits: it held nothing", async () => {
    const { shownId } = jobs.waiting;
    const ran = await svc("job", "cancel", shownId, "--reason", "a test", "--json");
    expect([ran.status, ran.json()]).toMatchObject([0, { status: "failed", refunded_amount: null }]);
  });

  test("ends a job that runs, once: its hold is released, and the log of actions has it", async () => {
    const { shownId } = jobs.running;
    const ran = await svc("job", "cancel", shownId, "--reason", "it hangs");
    expect([ran.status, ran.stdout]).toEqual([0, `${shownId} cancelled, 0.04 USD released\n`]);
    expect((await svc("job", "show", shownId, "--json")).json()).toMatchObject({
      ...{ status: "failed", charged_amount: null, refunded_amount: 0.04 },
      error: { code: "job_cancelled", message: "The operator of the gateway cancelled the job.", word: null },
    });
    const again = await svc("job", "cancel", shownId, "--reason", "it hangs");
    expect([again.status, again.stderr]).toEqual([1, "That is not possible: the job is failed: it has ended.\n"]);
    const { rows } = await gateway.context.db.pool.query("select action, reason, account_id from operator_action where target = $1", [
      shownId,
    ]);
    expect(rows).toEqual([{ action: "job.cancel", reason: "it hangs", account_id: null }]);
  });

  test("is wrong usage without a reason, and ends with 1 where there is no such job", async () => {
    expect((await svc("job", "cancel", jobs.done.shownId)).status).toBe(2);
    const ran = await svc("job", "cancel", "job_1", "--reason", "a test");
    expect([ran.status, ran.stderr]).toEqual([1, "There is no job job_1.\n"]);
  });
});
