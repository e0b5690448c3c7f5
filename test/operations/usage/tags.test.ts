// Tags of what is no plain call: of media jobs, which get their row of the log when they end, and of forms. They are found as those of calls are,
// before and after the rows are summed up.
import { expect, test } from "vitest";
import type { TestAccount } from "../../support/gateway.ts";
import { makeMonths } from "../../support/log-months.ts";
import { endedJob, endJob, newJob } from "../../support/media-jobs.ts";
import { rolledUp } from "../../support/rolled-up.ts";
import { bodyOf, formOf, quoteWorld } from "../quotes/quote-world.ts";

const world = quoteWorld();

async function read({ key }: TestAccount, path: string): Promise<any> {
  const { status, json } = await world.gateway.request("GET", path, { key });
  expect(status).toBe(200);
  return json;
}
const logged = async (account: TestAccount, query = ""): Promise<any[]> => (await read(account, `/v1/auth/usage/logs${query}`)).data;
/** To an hour ahead: of a quarter of an hour that it ends in, the sums are not read. */
const summaryOf = (account: TestAccount, query: string) =>
  read(account, `/v1/usage/summary${query}&to=${new Date(Date.now() + 3_600_000).toISOString()}`);
const pick = (rows: any[], ...names: string[]) => rows.map((row) => names.map((name) => row[name]));

/** Before the rows are summed up, and after it. */
async function bothWays(check: () => Promise<void>): Promise<void> {
  await check();
  expect(await rolledUp(world.gateway.context.db)).toBeGreaterThan(0);
  await check();
}

test("metadata and user of a media job's request are in its row, which is found by any of them, and sums of them have it beside calls", async () => {
  const account = await world.account();
  const tagged = { user: "u-1", metadata: { env: "prod", n: 5, deep: {}, long: "v".repeat(513) } };
  expect((await world.call(account, "createChatCompletion", { ...bodyOf(world, "createChatCompletion"), ...tagged })).status).toBe(200);
  for (const operation of ["createImage", "createVideo"] as const) {
    const { status, json } = await world.call(account, operation, { ...bodyOf(world, operation), ...tagged });
    expect(status).toBe(202);
    expect((await endedJob(world.gateway, json.id as string, account.key)).json.status).toBe("succeeded");
  }
  const flat = { model: "demo/image", prompt: "A lighthouse", ...tagged };
  expect((await world.call(account, "runGenmedia", flat)).status).toBe(200);
  const failing = await newJob(world.gateway, account, { tags: { env: "prod", case: "fails" } });
  await endJob(world.gateway, account, failing, { to: "failed" });
  const plain = await world.call(account, "createImage", bodyOf(world, "createImage"));
  await endedJob(world.gateway, plain.json.id as string, account.key);

  await bothWays(async () => {
    const rows = await logged(account, "?tag=user:u-1");
    expect(rows.map(({ endpoint }) => endpoint).sort()).toEqual([
      ...["/v1/chat/completions", "/v1/genmedia/run", "/v1/images/generations", "/v1/videos/generations"],
    ]);
    for (const { tags } of rows) expect(tags).toEqual({ user: "u-1", env: "prod", n: "5" });
    expect(pick(await logged(account, "?tag=case:fails"), "status", "tags")).toEqual([["failed", { env: "prod", case: "fails" }]]);
    expect((await logged(account)).filter(({ tags }) => tags === undefined)).toHaveLength(1);

    const of = await summaryOf(account, "?tag=env:prod&group_by=operation");
    expect(pick(of.data, "operation", "requests", "errors")).toEqual([
      ["createChatCompletion", 1, 0],
      ["createImage", 2, 1],
      ["createVideo", 1, 0],
      ["runGenmedia", 1, 0],
    ]);
    const costs = rows.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
    expect([of.total.requests, of.total.cost_usd]).toEqual([5, Number(costs.toFixed(8))]);
    const by = await summaryOf(account, "?group_by=tag&tag_key=env");
    expect([pick(by.data, "tag", "requests"), by.total.requests]).toEqual([[["env:prod", 5]], 6]);
  });
});

test("the export has an open job's tags; an ended one keeps none beside its row of the log", async () => {
  const account = await world.account();
  const job = await newJob(world.gateway, account, { tags: { user: "u-1" } });
  const kept = async () => (await world.gateway.context.db.pool.query("select tags from media_job where id = $1", [job.id])).rows;
  expect(await kept()).toEqual([{ tags: { user: "u-1" } }]);
  const { token } = await world.gateway.createSession(account);
  const { text } = await world.gateway.request("GET", "/v1/account/export", { key: token });
  const exported = text.trimEnd().split("\n").map((line) => JSON.parse(line)); // prettier-ignore
  expect(pick(exported.filter(({ record }) => record === "media_job"), "id", "tags")).toEqual([[job.shownId, { user: "u-1" }]]); // prettier-ignore
  await endJob(world.gateway, account, job, { to: "succeeded" });
  expect(await kept()).toEqual([{ tags: null }]);
  expect(pick(await logged(account), "tags")).toEqual([[{ user: "u-1" }]]);
});

test("a job that ends after the time of its submit was summed up is found by its tags at once, and counts once", async () => {
  const account = await world.account();
  const job = await newJob(world.gateway, account, { tags: { env: "slow" } });
  const { pool } = world.gateway.context.db;
  await makeMonths(world.gateway.context.db, 1); // three hours ago may be in it
  await pool.query("alter table media_job disable trigger media_jobs_stay");
  await pool.query("update media_job set created_at = now() - interval '3 hours' where id = $1", [job.id]);
  await pool.query("alter table media_job enable trigger media_jobs_stay");
  await rolledUp(world.gateway.context.db);
  await endJob(world.gateway, account, job, { to: "succeeded", charged: "0.03" });
  const late = async () => (await pool.query("select 1 from usage_late where id = $1", [job.id])).rowCount;
  expect(await late()).toBe(1);
  for (let round = 0; round < 3; round += 1) {
    expect(pick(await logged(account, "?tag=env:slow"), "job_id", "cost_usd")).toEqual([[job.shownId, 0.03]]);
    const { data, total } = await summaryOf(account, "?group_by=tag");
    expect([pick(data, "tag", "requests", "cost_usd"), total.requests, total.cost_usd]).toEqual([[["env:slow", 1, 0.03]], 1, 0.03]);
    expect((await summaryOf(account, "?tag=env:slow")).total).toMatchObject({ requests: 1, cost_usd: 0.03 });
    await rolledUp(world.gateway.context.db);
  }
  expect(await late()).toBe(0);
});

test.each(["createTranscription", "createTranslation", "createImageEdit", "createImageVariation", "cloneVoice"] as const)(
  "%s: a form's user is a tag; metadata, which it has not, is none",
  async (operation) => {
    const account = await world.account();
    const reply = await world.call(account, operation, formOf(operation, { user: "ada", metadata: '{"env":"prod"}' }));
    expect(reply.status).toBe(200);
    await world.receiptOf(account, reply);
    await bothWays(async () => {
      expect(pick(await logged(account), "tags")).toEqual([[{ user: "ada" }]]);
      expect(await logged(account, "?tag=user:ada")).toHaveLength(1);
      const { data } = await summaryOf(account, "?group_by=operation,tag");
      expect(pick(data, "operation", "tag", "requests")).toEqual([[operation, "user:ada", 1]]);
    });
  },
);
