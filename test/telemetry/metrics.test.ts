// /metrics of the real server: every figure matches the ledger, to the unit.
import { expect, test } from "vitest";
import { chatWorld, language, provider } from "../operations/chat/chat-gateway.ts";
import { endJob, newJob } from "../support/media-jobs.ts";
import { tamper } from "../support/tamper.ts";
import { scrape, scrapeUntil } from "./scrape.ts";

const media = {
  id: "demo/image",
  type: "image",
  pricing: { mode: "per-image", usd_per_image: 0.04 },
  routes: [{ provider: "east", model: "vendor/image" }],
};
const world = chatWorld(
  [
    language("demo/chat", ["chat"]),
    language("demo/broken", ["chat+sim-fail-503"]),
    language("demo/waits", ["chat+sim-slow-1500ms"]),
    language("demo/slow", ["chat+sim-slow-8000ms"]),
    media,
  ],
  {
    providers: [...["north", "south", "west"].map((id) => provider(id)), provider("east", { protocol: "fal", base_url: "simulator:/fal" })],
  },
);

test("tokens and money are those of the usage log, to the unit", async () => {
  const { gateway } = world;
  const account = await world.account();
  const before = await scrape(gateway);
  for (const body of [
    { model: "demo/chat" },
    { model: "demo/chat", stream: true },
    { model: "demo/chat", max_tokens: 3 },
    { model: "demo/broken" },
  ])
    await world.chat(account, body);
  await gateway.request("POST", "/v1/images/generations", { key: account.key, body: { model: "demo/image", prompt: "A boat" } });
  const job = "select status from media_job where account_id = $1";
  const isMade = async () => (await gateway.context.db.pool.query<{ status: string }>(job, [account.accountId])).rows[0]?.status;
  await expect.poll(isMade).toBe("succeeded");
  const { rows } = await gateway.context.db.pool.query<Record<string, string>>(
    `select model, operation, status, count(*)::text as calls, sum(cost)::text as cost, sum(input_tokens)::text as input, sum(cache_read_tokens)::text as cache_read,
       sum(output_tokens)::text as output, coalesce(sum(units), 0)::text as units from usage_log where account_id = $1 group by 1, 2, 3 order by 1`,
    [account.accountId],
  );
  expect(rows.map(({ model, status, calls }) => [model, status, calls])).toEqual([
    ["demo/broken", "failed", "1"],
    ["demo/chat", "success", "3"],
    ["demo/image", "success", "1"],
  ]);
  const page = await scrape(gateway);
  for (const { model, operation, status, ...sums } of rows as Record<string, string>[]) {
    const of = { model: model!, operation: operation! };
    expect(page.figure("svc_calls_total", { ...of, status: status! })).toBe(Number(sums["calls"]));
    expect(page.figure("svc_charged_usd_total", of)).toBe(Number(sums["cost"]) / 1e8);
    for (const kind of ["input", "cache_read", "output"])
      expect(page.figure("svc_tokens_total", { model: model!, kind })).toBe(Number(sums[kind]));
  }
  expect(page.figure("svc_units_total", { model: "demo/image", unit: "image" })).toBe(1);
  expect(page.figure("svc_media_jobs_ended_total", { kind: "image", status: "success" })).toBe(1);
  expect(page.figure("svc_charged_usd_total", { model: "demo/chat" })).toBeGreaterThan(0);
  expect(page.figure("svc_holds_placed_total", { kind: "call" })).toBe(before.figure("svc_holds_placed_total", { kind: "call" })! + 4);
  expect(page.figure("svc_holds_placed_usd_total", { kind: "media" })).toBe(0.04);
  expect(page.figure("svc_http_requests_total", { operation: "createChatCompletion", status: "200" })).toBe(3);
  expect(page.figure("svc_upstream_attempts_total", { route: "north/chat", outcome: "ok" })).toBe(3);
  expect(page.figure("svc_upstream_attempts_total", { route: "north/chat+sim-fail-503", outcome: "unavailable" })).toBe(1);
  expect(page.figure("svc_upstream_attempts_total", { route: "east/vendor/image", outcome: "ok" })).toBe(1);
  for (const batcher of ["reserve", "settle", "limits"]) {
    expect(page.figure("svc_batcher_waiting", { batcher })).toBe(0);
    expect(page.figure("svc_batcher_batch_size_count", { batcher })).toBeGreaterThan(0);
  }
  expect(page.figure("svc_batcher_batch_size_sum", { batcher: "settle" })).toBe(4);
});

test("a refused reservation is counted, and no name that a caller writes becomes a label", async () => {
  const { gateway } = world;
  const poor = await world.account({});
  await world.chat(poor, { model: "demo/chat" });
  const rich = await gateway.createAccount({ credit: "0.00000001", deposit: "0.00000001" });
  expect((await world.chat(rich, { model: "demo/chat" })).status).toBe(402);
  expect((await world.chat(rich, { model: "secret-of-a-caller" })).status).toBe(404);
  await gateway.request("GET", "/v1/secret-of-a-caller", { unchecked: true });
  const page = await scrape(gateway);
  expect(page.figure("svc_holds_refused_total", { kind: "call" })).toBeGreaterThan(0);
  expect(page.text).not.toContain("secret-of-a-caller");
});

test("holds of calls in flight and of jobs are shown by age, and are gone when they have ended", async () => {
  const { gateway } = world;
  const account = await world.account();
  const call = world.chat(account, { model: "demo/slow" });
  const job = await newJob(gateway, account, { estimated: "0.5" });
  const oldest = (page: Awaited<ReturnType<typeof scrape>>) => page.figure("svc_oldest_hold_seconds", { kind: "call" }) ?? 0;
  const held = await scrapeUntil(gateway, (page) => page.figure("svc_open_holds", { kind: "call", age: "10s" }) === 1 && oldest(page) > 0);
  expect(held.figure("svc_open_holds", { kind: "media", age: "10s" })).toBe(1);
  expect(held.figure("svc_open_holds_usd", { kind: "media" })).toBe(0.5);
  expect(oldest(held)).toBeLessThan(60);
  expect(held.figure("svc_hold_overdue_seconds", { kind: "call" })).toBe(0);
  expect(held.figure("svc_media_jobs", { kind: "image", state: "pending" })).toBe(1);
  expect(held.figure("svc_upstream_calls")).toBeGreaterThan(0);
  expect(held.figure("svc_database_up")).toBe(1);
  await call;
  await endJob(gateway, account, job, { to: "failed" });
  await scrapeUntil(gateway, (page) => ["call", "media"].every((kind) => page.figure("svc_oldest_hold_seconds", { kind }) === 0));
});

test("a pending job's age is how long it has waited for a runner, not for its slot", async () => {
  const { gateway } = world;
  const account = await world.account();
  const job = await newJob(gateway, account, { estimated: "0.5" });
  await tamper(gateway, "update media_job set created_at = created_at - interval '1 hour' where id = $1", [job.id]);
  const page = await scrapeUntil(gateway, (now) => now.figure("svc_media_jobs", { kind: "image", state: "pending" }) === 1);
  expect(page.figure("svc_media_jobs_oldest_seconds", { kind: "image", state: "pending" })).toBeLessThan(600);
  await endJob(gateway, account, job, { to: "failed" });
});

test("a balance that was changed without the ledger is a mismatch", async () => {
  const { gateway } = world;
  const account = await world.account();
  const { pool } = gateway.context.db;
  const change = (by: number) =>
    tamper(gateway, "update balance set available = available + $2 where account_id = $1", [account.accountId, by]);
  const { lookAtParity } = await import("../../src/ledger/audit.ts");
  const look = (suspects: bigint[] = []) => lookAtParity({ pool }, { after: 0n, most: 1_000, suspects });
  expect((await look()).mismatched).toEqual([]);
  await change(1);
  const { checked, next, mismatched } = await look();
  expect(mismatched).toEqual([account.accountId]);
  expect(checked).toBeGreaterThan(1);
  expect(next).toBe(0n);
  await change(-1);
  expect((await look(mismatched)).mismatched).toEqual([]);
  expect((await lookAtParity({ pool }, { after: 0n, most: 1, suspects: [] })).next).toBeGreaterThan(0n);
});

test("a call whose hold was gone is settled by the slower form, which is counted", async () => {
  const { gateway } = world;
  const account = await world.account();
  const slower = async () => (await scrape(gateway)).figure("svc_settlements_slower_total");
  await world.chat(account, { model: "demo/chat" });
  const before = await slower();
  expect(before).toBeDefined();
  const answering = world.chat(account, { model: "demo/waits" });
  const swept = async () => (await gateway.context.db.pool.query("delete from hold where account_id = $1", [account.accountId])).rowCount;
  await expect.poll(swept, { interval: 20 }).toBe(1);
  expect((await answering).status).toBe(200);
  expect(await slower()).toBe(before! + 1);
});
