// The same idempotency key twice: one job, one hold.
import { describe, expect, test } from "vitest";
import { createKey } from "../../../src/accounts/manage-keys.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { endJob, newJob } from "../../support/media-jobs.ts";
import { roundUsd } from "../../support/round-usd.ts";
import { heldOf, submitWorld } from "./submit-gateway.ts";

const world = submitWorld("/v1/images/generations", "img/plain");
const header = (key: string) => ({ "idempotency-key": key });

describe("200, the job that the key names", () => {
  test("as it stands, without comparing bodies and without a new charge", async () => {
    const account = await world.account();
    const first = await world.submit(account, { idempotency_key: "order-1" });
    const second = await world.submit(account, { idempotency_key: "order-1", prompt: "Something else", n: 4, model: "img/ten" });
    expect([first.status, second.status]).toEqual([202, 200]);
    expect(second.json).toMatchObject({ id: first.json.id, object: "image.job", model: "img/plain", estimated_cost: 0.04, output: null });
    expect(["pending", "processing"]).toContain(second.json.status);
    expect(second.headers["retry-after"]).toBe("1");
    expect(await heldOf(world.gateway, account)).toEqual({ held: 0.04, balance: 19.96 });
  });

  test("of two submits at once: one job, one hold", async () => {
    const account = await world.account();
    const replies = await Promise.all(Array.from({ length: 8 }, () => world.submit(account, { idempotency_key: "order-1" })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 202]);
    expect(new Set(replies.map(({ json }) => json.id)).size).toBe(1);
    expect(await world.jobsOf(account)).toHaveLength(1);
    expect(await heldOf(world.gateway, account)).toEqual({ held: 0.04, balance: 19.96 });
  });

  test("even where the money for another would not reach", async () => {
    const account = await world.account({ deposit: "0.05" });
    const first = await world.submit(account, {}, header("order-1"));
    const second = await world.submit(account, {}, header("order-1"));
    expect([first.status, second.status, second.json.id]).toEqual([202, 200, first.json.id]);
  });

  test("a job that waits is shown whole, with its queue position", async () => {
    const account = await world.account({ credit: "1" });
    for (let index = 0; index < 2; index++) await world.submit(account, { model: "img/free" });
    const queued = await world.submit(account, { model: "img/free" }, header("order-1"));
    const { status, json } = await world.submit(account, { model: "img/free" }, header("order-1"));
    expect(status).toBe(200);
    expect(json).toMatchObject({ id: queued.json.id, status: "queued", queue_position: 1, output: null, charged_amount: null });
    expect(await heldOf(world.gateway, account)).toEqual({ held: 0.007, balance: 0.993 });
  });
});

describe("a job that has ended", () => {
  test.each(["succeeded", "failed"] as const)("%s: its key names it for 24 hours more; then it makes a new job", async (to) => {
    const account = await world.account();
    const { gateway } = world;
    const job = await newJob(gateway, account, { idempotencyKey: "order-1" });
    await endJob(gateway, account, job, { to });
    const { balance } = await gateway.balance(account);
    const submitAfter = async (hours: number) => {
      const age = "update media_job set completed_at = now() - make_interval(hours => $2) where id = $1";
      await gateway.context.db.pool.query(age, [job.id, hours]);
      return world.submit(account, { idempotency_key: "order-1" });
    };
    for (const hours of [0, 23]) {
      const { status, json } = await submitAfter(hours);
      expect([status, json.id, json.status]).toEqual([200, job.shownId, to]);
    }
    expect(await heldOf(gateway, account)).toEqual({ held: 0, balance });
    const later = await submitAfter(25);
    expect([later.status, later.json.status]).toEqual([202, "pending"]);
    expect((await world.jobsOf(account)).map(({ shown_id }) => shown_id)).toEqual([job.shownId, later.json.id]);
    expect((await world.submit(account, { idempotency_key: "order-1" })).json.id).toBe(later.json.id);
    expect(await heldOf(gateway, account)).toEqual({ held: 0.04, balance: roundUsd(balance - 0.04) });
  });
});

describe("which key a request has", () => {
  test("the body's before the header's; the header's where the body has none", async () => {
    const account = await world.account();
    await world.submit(account, { idempotency_key: "body" }, header("header"));
    await world.submit(account, { idempotency_key: null }, header("header"));
    await world.submit(account, { idempotency_key: "" }, header("header"));
    await world.submit(account, {}, header("body"));
    expect((await world.jobsOf(account)).map((job) => job.idempotency_key)).toEqual(["body", "header"]);
  });

  test("cut to 128 characters before it is compared", async () => {
    const account = await world.account();
    await world.submit(account, { idempotency_key: "🎈".repeat(128) });
    await world.submit(account, { idempotency_key: `${"🎈".repeat(128)}and more` });
    await world.submit(account, {}, header("k".repeat(500)));
    await world.submit(account, { idempotency_key: "k".repeat(128) });
    expect((await world.jobsOf(account)).map((job) => job.idempotency_key)).toEqual(["🎈".repeat(128), "k".repeat(128)]);
  });

  test("it belongs to the account, not to a single key and not to all accounts", async () => {
    const [account, other] = [await world.account(), await world.account()];
    const { secret } = await createKey(world.gateway.context.db, { accountId: account.accountId, name: "second", at: new Date() });
    const submit = (by: TestAccount) => world.submit(by, { idempotency_key: "order-1" });
    const [first, again, foreign] = [await submit(account), await submit({ ...account, key: secret }), await submit(other)];
    expect([first.status, again.status, foreign.status]).toEqual([202, 200, 202]);
    expect([again.json.id === first.json.id, foreign.json.id === first.json.id]).toEqual([true, false]);
  });

  test("without one every submit is a job of its own", async () => {
    const account = await world.account();
    for (let index = 0; index < 2; index++) expect((await world.submit(account, {})).status).toBe(202);
    expect(await heldOf(world.gateway, account)).toEqual({ held: 0.08, balance: 19.92 });
  });
});
