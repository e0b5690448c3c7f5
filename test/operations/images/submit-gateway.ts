// A gateway that sells images and videos of every habit, over hosts that accept all work and never finish it, so that what a submit does to
// the money stays visible. Also the helpers of the submit tests.
import { afterAll, beforeAll, expect } from "vitest";
import type { JobRequest } from "../../../src/jobs/types.ts";
import type { Context } from "../../../src/context.ts";
import { type Gateway, type NewAccountOptions, startGateway, type TestAccount, type TestReply } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";

const image = (id: string, more: object = {}) => ({
  id,
  type: "image",
  pricing: { mode: "per-image", usd_per_image: 0.04 },
  routes: [{ provider: "east", model: id }],
  ...more,
});
const videoModel = (id: string, more: object = {}) => ({
  id,
  type: "video",
  pricing: { mode: "per-second", usd_per_second: 0.1 },
  routes: [{ provider: "east", model: id }],
  ...more,
});
const reads = { input_modalities: ["text", "image"] };
const tiers = { low: 0.009, medium: 0.019, high: 0.285 };
const landscape = { default_aspect: "16:9", sizes: { "1:1": "1024x1024", "16:9": "1344x768", "9:16": "768x1344" } };

export const imageModels = [
  image("img/plain"),
  image("img/free", { pricing: { mode: "per-image", usd_per_image: 0.0035 } }),
  image("img/ten", reads),
  image("img/edit", { requires_image: true }),
  image("img/quality", { ...reads, max_references: 16, pricing: { mode: "per-quality", tiers, default_quality: "medium" } }),
  image("img/flash", {
    ...reads,
    ...{ max_references: 16, reference_usd: 0.012, allowed_sizes: ["1024x1024", "1024x1536", "1536x1024", "auto"] },
    pricing: { mode: "per-quality", tiers, default_quality: "medium" },
  }),
  image("img/mp", {
    ...reads,
    ...landscape,
    pricing: { mode: "per-megapixel", base_usd: 0.03, extra_per_mp_usd: 0.015, note: "first megapixel, then each further one" },
  }),
  image("img/landscape", landscape),
  image("img/paused", { state: { paused: true } }),
  image("img/retired", { state: { retired: true, replacement: "img/plain" } }),
  image("img/nowhere", { routes: [{ provider: "text", model: "none" }] }),
];
export const videoModels = [
  videoModel("vid/steps", { durations: [5, 10], default_duration_s: 5, extra_keys: ["cfg_scale"] }),
  videoModel("vid/any", { default_duration_s: 4 }),
  videoModel("vid/first-frame", { requires_image: true, durations: [6] }),
  videoModel("vid/paused", { state: { paused: true } }),
  videoModel("vid/nowhere", { routes: [{ provider: "text", model: "none" }] }),
];
const chat = { id: "demo/chat", type: "language", pricing: { mode: "per-token", input: 0.5, output: 1.5 } };

/** In a test slots run out only at tier 0, which has none for videos. */
const tierRows = highTiers().map((tier) =>
  tier.tier === 0 || tier.tier === 4
    ? tier
    : { ...tier, image_concurrent: 500, image_queue_depth_cap: 500, video_concurrent: 500, video_queue_depth_cap: 500 },
);

export interface SubmitWorld {
  readonly gateway: Gateway;
  /** With a deposit of 20 USD by default. */
  account(options?: NewAccountOptions): Promise<TestAccount>;
  /** By default a submit of "A lighthouse" to the model. */
  submit(account: TestAccount, body: object, headers?: Record<string, string>): Promise<TestReply>;
  /** Submits and expects a new job with that amount held; returns what the provider was asked for. */
  accepted(body: object, estimate: number): Promise<JobRequest["order"]>;
  /** Submits and expects the error, and that nothing is held and no job was made. */
  refused(body: object, status: number, code: string, account?: TestAccount): Promise<TestReply>;
  jobsOf(account: TestAccount): Promise<{ shown_id: string; request: JobRequest; idempotency_key: string | null; estimated: bigint }[]>;
}

export function submitWorld(
  path: string,
  model: string,
  { models = [...imageModels, ...videoModels], limits = tierRows as object[] } = {},
): SubmitWorld {
  let gateway: Gateway;
  beforeAll(async () => {
    const catalog = JSON.stringify({
      providers: [
        { id: "east", protocol: "fal", base_url: "http://127.0.0.1:9" },
        { id: "text", protocol: "anthropic", base_url: "http://127.0.0.1:9" },
      ],
      models: [...models, { ...chat, routes: [{ provider: "text", model: "chat" }] }],
      aliases: { draw: "img/plain", film: "vid/steps", drawn: "img/retired" },
      tiers: limits,
    });
    // Many at once take a busy machine longer than a submit waits for its database.
    gateway = await startGateway({ catalog, graceMs: 100, jobs: { submitTimeoutMs: 90_000 } });
    acceptEverything(gateway.context);
  });
  afterAll(async () => {
    const audited = await gateway.audit();
    await gateway.stop();
    expect(audited).toMatchObject({ mismatches: [], reservations_open: 0 });
  });
  const world: SubmitWorld = {
    get gateway() {
      return gateway;
    },
    account: (options = { deposit: "20" }) => gateway.createAccount(options),
    submit: (account, body, headers = {}) =>
      gateway.request("POST", path, { key: account.key, body: { model, prompt: "A lighthouse", ...body }, headers }),
    async accepted(body, estimate) {
      const account = await world.account();
      const reply = await world.submit(account, body);
      expect([reply.status, reply.json.status, reply.json.estimated_cost]).toEqual([202, "pending", estimate]);
      expect(await heldOf(gateway, account)).toEqual({ held: estimate, balance: Number((20 - estimate).toFixed(8)) });
      const jobs = await world.jobsOf(account);
      expect(jobs).toMatchObject([{ shown_id: reply.json.id }]);
      return jobs[0]!.request.order;
    },
    async refused(body, status, code, account) {
      const asking = account ?? (await world.account());
      const before = await gateway.balance(asking);
      const jobs = await world.jobsOf(asking);
      const reply = await world.submit(asking, body);
      expect([reply.status, reply.json.error.code, reply.json.error.message]).toEqual([status, code, expect.not.stringContaining("{")]);
      expect(reply.headers["x-should-retry"]).toBe(String(reply.json.error.retryable));
      expect(await gateway.balance(asking)).toEqual(before);
      expect(await world.jobsOf(asking)).toEqual(jobs);
      return reply;
    },
    async jobsOf({ accountId }) {
      const { rows } = await gateway.context.db.pool.query(
        "select shown_id, request, idempotency_key, estimated from media_job where account_id = $1 order by seq",
        [accountId],
      );
      return rows as Awaited<ReturnType<SubmitWorld["jobsOf"]>>;
    },
  };
  return world;
}

/** Every submit gets a ticket, and its work waits for ever. */
function acceptEverything({ providers }: Context): void {
  const begun = () => Promise.resolve({ kind: "accepted" as const, ticket: { id: "1", statusUrl: "", responseUrl: "", cancelUrl: null } });
  providers.images.fal = begun;
  providers.videos.fal = begun;
  providers.queues.fal = { look: () => Promise.resolve({ kind: "waiting" }), cancel: () => Promise.resolve() };
}

/** USD: what media jobs hold, and what is left. */
export async function heldOf(gateway: Gateway, account: TestAccount): Promise<{ held: number; balance: number }> {
  const { rows } = await gateway.context.db.pool.query<{ held: string }>(
    "select coalesce(-sum(amount), 0)::text as held from ledger_entry where account_id = $1 and kind in ('hold', 'hold_settle', 'hold_release')",
    [account.accountId],
  );
  return { held: Number(rows[0]!.held) / 1e8, balance: (await gateway.balance(account)).balance };
}
