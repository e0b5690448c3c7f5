// Three gateways on one database, over HTTP, with everything that happens to them in a bad week: kill -9, a process that stands still for
// longer than a lease and wakes, every connection to Postgres cut, a catalog without a model whose jobs run, an account that is suspended, one
// that pays in, a key whose budget is lowered. Chat goes on meanwhile. At the end every job adds up.
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject } from "vitest";
import { setSuspended } from "../../src/accounts/admin.ts";
import { shippedTiers } from "../../src/catalog/tiers.ts";
import { postEntry } from "../../src/ledger/post.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import { parseUsd } from "../../src/money.ts";
import { type Recorder, startRecorder } from "../support/recorder.ts";
import type { SpawnedGateway } from "../support/spawned-gateway.ts";
import { catalogFile } from "./catalog.ts";
import { openWorld, type World } from "./world.ts";
import { oneInThree } from "../support/size.ts";

const rates = { rpm: 1_000_000, per_model_rpm: 1_000_000, tpm: 1_000_000_000, max_single_request: 1_000_000_000 };
const tiers = shippedTiers.map((tier) => ({ ...tier, ...rates }));
const fal = (id: string, type: string, pricing: object, upstream: string, more: object = {}) => ({
  ...{ id: `demo/${id}`, type, pricing, routes: [{ provider: "queue", model: `ember/${upstream}` }], ...more },
});
const each = { mode: "per-image", usd_per_image: 0.01 };
const megapixel = { mode: "per-megapixel", base_usd: 0.03, extra_per_mp_usd: 0.015, note: "each" };
const second = { mode: "per-second", usd_per_second: 0.02 };
const video = { durations: [5, 10], default_duration_s: 5 };
const media = [
  fal("quick", "image", each, "quick-image"),
  fal("slow", "image", each, "slow-image+sim-slow-2500ms"),
  fal("free", "image", { mode: "per-image", usd_per_image: 0 }, "free-image"),
  fal("fewer", "image", each, "fewer-image+sim-images-1"),
  fal("larger", "image", megapixel, "larger-image+sim-width-3000+sim-height-2000"),
  fal("smaller", "image", megapixel, "smaller-image+sim-width-500+sim-height-500"),
  fal("fails", "image", each, "fails-image+sim-slow-100ms+sim-job-internal_server_error"),
  fal("doubtful", "image", each, "doubtful-image+sim-slow-200ms+sim-status-flaky-2+sim-result-flaky-1"),
  fal("short", "video", second, "short-video+sim-slow-2000ms+sim-seconds-3", video),
  fal("long", "video", second, "long-video+sim-seconds-8+sim-no-duration", video),
];
const leaving = fal("leaving", "image", each, "leaving-image+sim-slow-3000ms");
const chat = {
  id: "demo/chat",
  type: "language",
  pricing: { mode: "per-token", input: 1, output: 2 },
  routes: [{ provider: "north", model: "x" }],
};

let world: World;
let recorder: Recorder;
beforeAll(async () => {
  world = await openWorld({ models: { text: "text" } });
  recorder = await startRecorder(world.simulator.port);
});
afterAll(async () => {
  await world.stop();
  recorder.close();
});

const catalog = (models: object[]) =>
  catalogFile(
    JSON.stringify({
      providers: [
        { id: "queue", protocol: "fal", base_url: `${recorder.url}/fal` },
        { id: "north", protocol: "openai", base_url: `${recorder.url}/openai/v1` },
      ],
      models: [...models, chat],
      tiers,
    }),
  );

interface Account {
  accountId: bigint;
  key: string;
}

oneInThree()("nothing is lost, doubled or invented", async () => {
  const before = { SVC_CATALOG: catalog([...media, leaving]), SVC_DATA_DIR: mkdtempSync(join(inject("runFolder"), "chaos-")) };
  const after = { ...before, SVC_CATALOG: catalog(media) };
  const gateways: SpawnedGateway[] = await Promise.all([
    world.start(before),
    world.start({ ...before, SVC_WORKERS: "2" }),
    world.start(before),
  ]);
  const accounts: Account[] = await Promise.all(["4.9", "5", "4.9", "249", "999.5", "1000"].map((deposit) => world.createAccount(deposit)));
  const [poor, suspended, limited, , raised] = accounts as [Account, Account, Account, Account, Account, Account];

  const answers = new Map<string, number>();
  const known = new Map<string, string>();
  let over = false;
  const load = Promise.all(accounts.flatMap((account, place) => [submitting(account, place), chatting(account), reading(account)]));

  // More at once than its queue takes, however slow this machine is.
  const burst = Array.from({ length: 12 }, (_, n) => ({ model: "demo/slow", prompt: "a hat", n: 2, idempotency_key: `burst-${n}` }));
  await Promise.all(burst.map((body) => call("/v1/images/generations", limited.key, body, 60_000)));
  await sleep(2_000);
  process.kill(gateways[0]!.pid, "SIGSTOP"); // longer than a lease: the others take its jobs, and then it wakes
  await sleep(2_000);
  await cutConnections();
  for (const { accountId } of [poor, raised])
    await postEntry(world.db, { accountId, kind: "deposit", amount: parseUsd("1")!, ref: "chaos", at: new Date() });
  await sleep(2_000);
  await gateways[2]!.kill("SIGKILL");
  gateways[2] = await world.start(after);
  await world.db.pool.query("update key_budget set limit_amount = spent where account_id = $1", [limited.accountId]);
  await setSuspended(world.db, suspended.accountId, new Date());
  await cutConnections();
  await sleep(6_000);
  process.kill(gateways[0]!.pid, "SIGCONT");
  await sleep(1_000);
  await gateways[1]!.kill("SIGTERM");
  gateways[1] = await world.start({ ...after, SVC_WORKERS: "2" });
  await cutConnections();
  await sleep(2_000);
  over = true;
  await load;
  await expect.poll(open, { interval: 200 }).toBe(0);
  expect([...answers.keys()].filter((answer) => answer.includes(" 500 "))).toEqual([]);
  expect([...answers.keys()]).toContain("/v1/images/generations 429 rate_limited");
  await adds();

  async function submitting({ key }: Account, place: number): Promise<void> {
    const names = [...media, leaving].map(({ id, type }) => ({ id, type })).filter(({ type }) => type === "image" || place % 2 === 1);
    for (let n = 0; !over; n += 1) {
      const { id, type } = names[(n + place) % names.length]!;
      const path = type === "video" ? "/v1/videos/generations" : "/v1/images/generations";
      const body = { model: id, prompt: "a hat", n: 2, idempotency_key: `key-${n}` };
      const replies = await Promise.all([call(path, key, { ...body }), call(path, key, { ...body })]);
      const ids = new Set(replies.flatMap(({ status, json }) => (status === 200 || status === 202 ? [String(json["id"])] : [])));
      expect(ids.size).toBeLessThan(2);
      for (const one of ids) known.set(`${place}/${type}/${n}`, one);
      await sleep(50);
    }
  }
  async function chatting({ key }: Account): Promise<void> {
    const body = { model: "demo/chat", messages: [{ role: "user", content: "Hello" }] };
    for (; !over; await sleep(50)) await call("/v1/chat/completions", key, body);
  }
  async function reading({ key }: Account): Promise<void> {
    for (; !over; await sleep(100)) {
      const { status, json } = await call("/v1/jobs?status=queued&limit=100", key);
      if (status !== 200) continue;
      const jobs = json["data"] as { id: string; queue_position: number }[];
      const kinds = jobs.map((job) => `${job.id.slice(0, 3)} ${job.queue_position}`);
      expect(new Set(kinds).size).toBe(kinds.length);
    }
  }
  /** Of any gateway that runs; the one that stands still is given up after a moment. */
  async function call(
    path: string,
    key: string,
    body?: object,
    patienceMs = 3_000,
  ): Promise<{ status: number; json: Record<string, unknown> }> {
    const { url } = gateways[Math.floor(Math.random() * gateways.length)]!;
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const request = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    try {
      const reply = await fetch(url + path, { ...request, signal: AbortSignal.timeout(patienceMs) });
      const json = (await reply.json()) as Record<string, unknown>;
      const kind = `${path.split("?")[0]} ${reply.status} ${reply.status >= 400 ? String((json["error"] as { code?: string })?.code) : ""}`;
      answers.set(kind, (answers.get(kind) ?? 0) + 1);
      return { status: reply.status, json };
    } catch {
      return { status: 0, json: {} };
    }
  }
  async function adds(): Promise<void> {
    const none = async (sql: string) => expect((await world.db.pool.query(sql)).rows).toEqual([]);
    expect(await world.audit()).toMatchObject({ mismatches: [], holds_open: 0 });
    expect((await verifyChain(world.db)).broken).toBeNull();
    await none(
      "select id, status from media_job where started_at is not null and coalesce(charged, 0) + coalesce(refunded, 0) <> estimated",
    );
    await none("select id, status from media_job where started_at is null and (charged > 0 or refunded > 0)");
    await none(`select j.id, count(l.id) from media_job j left join usage_log l on l.account_id = j.account_id and l.job_id = j.shown_id
      group by j.id having count(l.id) <> 1`);
    await none(`select account_id, idempotency_key, api from media_job group by 1, 2, 3 having count(*) > 1`);
    await none("select id, request from media_job where request is not null or lease_owner is not null or run_at is not null");
    // An image is charged by what came: one of two, of a square of 500 the first megapixel, six megapixels no more than was held.
    const charges = await world.db.pool.query<{ model: string; charged: bigint }>(
      "select distinct model, charged from media_job where status = 'succeeded' order by 1",
    );
    expect(Object.fromEntries(charges.rows.map(({ model, charged }) => [model, charged]))).toMatchObject({
      ...{ "demo/quick": 2_000_000n, "demo/slow": 2_000_000n, "demo/free": 0n, "demo/fewer": 1_000_000n },
      ...{ "demo/smaller": 3_000_000n, "demo/doubtful": 2_000_000n, "demo/short": 6_000_000n, "demo/long": 10_000_000n },
    });
    expect(charges.rows.length).toBeLessThanOrEqual(media.length);
    // No route was asked twice for a job, and nothing for a job without a row.
    const doubled = recorder.asked.filter((one, index) => recorder.asked.indexOf(one) !== index);
    expect(doubled).toEqual([]);
    const { rows } = await world.db.pool.query<{ id: string; shown_id: string; status: string }>(
      "select id, shown_id, status from media_job",
    );
    const ids = new Set(rows.map(({ id }) => id));
    expect(recorder.asked.map((one) => one.split(" ")[0]!).filter((id) => !ids.has(id))).toEqual([]);
    const shown = new Set(rows.map(({ shown_id }) => shown_id));
    expect([...known.values()].filter((id) => !shown.has(id))).toEqual([]);
    expect(rows.filter(({ status }) => status === "succeeded").length).toBeGreaterThan(10);
    // Of those whose tier stayed: images and videos at once, and both together.
    const slots = [null, [5, 2, 7], [2, 0, 2], [10, 4, 14], null, [38, 38, 38]];
    for (const [place, account] of accounts.entries()) {
      const most = slots[place];
      if (most) expect((await mostAtOnce(account)).every((count, pool) => count <= most[pool]!)).toBe(true);
    }
    await none(`select later.id from media_job earlier join media_job later on later.account_id = earlier.account_id and later.kind = earlier.kind
      and later.seq > earlier.seq and earlier.started_at > later.started_at`);
  }
});

async function open(): Promise<number> {
  const { rows } = await world.db.pool.query<{ n: number }>("select count(*)::int as n from media_job where completed_at is null");
  return rows[0]!.n;
}

/** As a Postgres does that fails over: everything that was under way is gone. */
async function cutConnections(): Promise<void> {
  await world.db.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'svc%' and pid <> pg_backend_pid()",
  );
}

/** Of images, of videos and of both, by when they had their slots. */
async function mostAtOnce({ accountId }: Account): Promise<number[]> {
  const { rows } = await world.db.pool.query<{ images: number; videos: number; both: number }>(
    `select coalesce(max(images), 0)::int as images, coalesce(max(videos), 0)::int as videos, coalesce(max(images + videos), 0)::int as both from (
       select sum(step) filter (where kind = 'image') over w as images, coalesce(sum(step) filter (where kind = 'video') over w, 0) as videos
       from (select kind, started_at as at, 1 as step from media_job where started_at is not null and account_id = $1
         union all select kind, completed_at, -1 from media_job where started_at is not null and account_id = $1) s
       window w as (order by at, step rows unbounded preceding)) r`,
    [accountId],
  );
  return [rows[0]!.images, rows[0]!.videos, rows[0]!.both];
}
