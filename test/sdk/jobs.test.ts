// Images, videos and genmedia from their submission to their result in one call, and the submissions' keys.
import { describe, expect, expectTypeOf, test, vi } from "vitest";
import { type GenmediaCompleted, type ImageOutput, Svc, SvcError } from "../../generated/sdk/index.js";
import { chatWorld, provider } from "../operations/chat/chat-gateway.ts";
import { highTiers } from "../support/tiers.ts";
import { type GivenAnswer, refusal, withAnswers } from "./answers-server.ts";

const model = (id: string, type: "image" | "video", upstream: string) => ({
  ...{ id, type, routes: [{ provider: "queue", model: upstream }] },
  pricing: type === "image" ? { mode: "per-image", usd_per_image: 0.04 } : { mode: "per-second", usd_per_second: 0.1 },
  ...(type === "image" ? {} : { durations: [5, 10], default_duration_s: 5 }),
});
const world = chatWorld(
  [
    model("demo/image", "image", "ember/flash-image+sim-slow-300ms"),
    model("demo/slow", "image", "ember/flash-image+sim-slow-1500ms"),
    model("demo/refusing", "image", "ember/flash-image+sim-policy-likeness"),
    model("demo/video", "video", "ember/video"),
  ],
  { providers: [provider("queue", { protocol: "fal", base_url: "simulator:/fal" })], tiers: highTiers({ image_concurrent: 2 }) },
  { jobs: { lookMs: { first: 10, last: 50 }, runWaitMs: 50 } },
);

async function caller() {
  const account = await world.account();
  return { account, svc: new Svc({ apiKey: account.key, baseURL: world.gateway.url }) };
}
const prompt = "A lighthouse at dusk";

/** Submitted jobs that nobody waits for end by themselves, so that the audit can run. */
async function settled(svc: Svc): Promise<void> {
  for await (const job of svc.jobs.list())
    await expect.poll(async () => (await svc.jobs.get(job.id, { wait: 5 })).status).toBe("succeeded");
}

describe("generateAndWait", () => {
  test("gives the finished image, reports how it went, and costs what the job says", async () => {
    const { svc, account } = await caller();
    const seen: string[] = [];
    const { data, cost } = await svc.images
      .generateAndWait({ model: "demo/image", prompt }, { onProgress: ({ status }) => void seen.push(status) })
      .withResponse();
    expectTypeOf(data.output).toEqualTypeOf<ImageOutput>();
    expect(data).toMatchObject({ object: "image.job", status: "succeeded", output: { url: expect.stringMatching(/^http/) } });
    expect([data.charged_amount, cost]).toEqual([0.04, 0.04]);
    expect([seen[0], seen.at(-1)]).toEqual(["pending", "succeeded"]);
    expect((await world.gateway.balance(account)).spent).toBe(0.04);
  });

  test("gives the finished video", async () => {
    const { svc } = await caller();
    const job = await svc.videos.generateAndWait({ model: "demo/video", prompt });
    expect(job).toMatchObject({ object: "video.job", status: "succeeded", charged_amount: 0.5, output: { url: expect.any(String) } });
  });

  test("throws what made the job fail, with the job, and nothing is charged", async () => {
    const { svc, account } = await caller();
    const error: unknown = await svc.images.generateAndWait({ model: "demo/refusing", prompt }).catch((error: unknown) => error);
    if (!SvcError.is(error, "content_policy_likeness")) throw error;
    expect(error).toMatchObject({ status: null, message: expect.stringMatching(/\w/), body: { status: "failed", object: "image.job" } });
    expect((await world.gateway.balance(account)).spent).toBe(0);
    const result = await svc.images.generateAndWait({ model: "demo/refusing", prompt }).result();
    expect(result).toMatchObject({ ok: false, error: { code: "content_policy_likeness" } });
    const refused = await svc.images.generateAndWait({ model: "demo/nothing", prompt }).result();
    expect(refused).toMatchObject({ ok: false, error: { code: "invalid_model", status: 400 } });
  });

  test("stops waiting with an abort or after maxWait; the job goes on", async () => {
    const { svc } = await caller();
    const leaving = new AbortController();
    const onProgress = () => leaving.abort();
    const left = svc.images.generateAndWait({ model: "demo/slow", prompt }, { signal: leaving.signal, onProgress });
    await expect(left).rejects.toMatchObject({ code: "aborted" });
    const late: unknown = await svc.images.generateAndWait({ model: "demo/slow", prompt }, { maxWait: 0 }).catch((error: unknown) => error);
    expect(late).toMatchObject({ code: "still_running", retryable: false, body: { status: expect.stringMatching(/pending|processing/) } });
    expect(await svc.jobs.get((late as { body: { id: string } }).body.id)).toMatchObject({ model: "demo/slow" });
    await settled(svc);
  });

  test("ends when progress throws", async () => {
    const { svc } = await caller();
    const call = svc.images.generateAndWait(
      { model: "demo/image", prompt },
      {
        onProgress() {
          throw new RangeError("mine");
        },
      },
    );
    await expect(call).rejects.toBeInstanceOf(RangeError);
    await settled(svc);
  });

  test("looks no faster than the gateway asks, and a failed look is repeated", async () => {
    const job = (status: string, retryAfter?: string): GivenAnswer => [
      retryAfter ? 202 : 200,
      retryAfter === undefined ? {} : { "retry-after": retryAfter },
      { id: "j1", status, output: {}, error: null },
    ];
    const gone: GivenAnswer = (response) => response.destroy();
    await withAnswers([job("pending", "0"), job("processing", "2"), gone, job("succeeded")], async (svc, server) => {
      const timers = vi.spyOn(globalThis, "setTimeout");
      await svc.images.generateAndWait({ model: "m", prompt });
      expect(server.received.map(({ url }) => url)).toEqual(["/v1/images/generations", ...Array(3).fill("/v1/jobs/j1?wait=20")]);
      expect(timers.mock.calls.some(([, ms]) => ms! > 600 && ms! <= 2000)).toBe(true);
    });
    await withAnswers(
      [job("pending", "0"), job("succeeded")],
      async (svc, server) => {
        await svc.images.generateAndWait({ model: "m", prompt });
        expect(server.received[1]!.url).toBe("/v1/jobs/j1?wait=5");
      },
      { timeout: 10_000 },
    );
    await withAnswers([job("pending", "0"), job("refunded")], async (svc) => {
      const result = await svc.videos.generateAndWait({ model: "m", prompt }).result();
      expect(result).toMatchObject({ ok: false, error: { code: "job_failed", body: { status: "refunded" } } });
    });
  });
});

test("a job that can't be looked at is still_running with the job, since a second submit is charged again", async () => {
  const pending: GivenAnswer = [202, { "retry-after": "0" }, { id: "j1", status: "pending", output: null, error: null }];
  const options = { maxRetries: 0 };
  await withAnswers([pending, (response) => response.destroy()], async (svc) => {
    const error: unknown = await svc.images.generateAndWait({ model: "m", prompt }, options).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "still_running", retryable: false, body: { id: "j1" }, cause: { code: "connection_failed" } });
  });
  await withAnswers([pending, refusal(404, "job_not_found")], async (svc) => {
    await expect(svc.images.generateAndWait({ model: "m", prompt }, options)).rejects.toMatchObject({ code: "job_not_found", status: 404 });
  });
});

describe("genmedia", () => {
  test("run answers a hint, runAndWait the result", async () => {
    const { svc } = await caller();
    const running = await svc.genmedia.run({ model: "demo/image", input: { prompt } });
    expect(running.status).toMatch(/^IN_/);
    const done = await svc.genmedia.runAndWait({ model: "demo/image", input: { prompt } });
    expectTypeOf(done).toEqualTypeOf<GenmediaCompleted>();
    expect(done).toMatchObject({ status: "COMPLETED", charged_amount: 0.04, output: { images: [expect.anything()] } });
  });

  test("that fails throws the job's code", async () => {
    const { svc } = await caller();
    await expect(svc.genmedia.runAndWait({ model: "demo/refusing", input: { prompt } })).rejects.toMatchObject({
      code: "content_policy_likeness",
    });
  });
});

describe("the key of an order", () => {
  test("is one per call: two calls are two jobs, and a key of one's own makes them one", async () => {
    const { svc } = await caller();
    const order = { model: "demo/image", prompt };
    const [first, second] = await Promise.all([svc.images.generate(order), svc.images.generate(order)]);
    expect(first.id).not.toBe(second.id);
    const named = { idempotencyKey: "order-1" };
    expect((await svc.images.generate(order, named)).id).toBe((await svc.images.generate(order, named)).id);
    await settled(svc);
  });

  test("in the body stands alone; in options it goes as the header; other operations have none", async () => {
    await withAnswers([[200, {}, {}]], async (svc, server) => {
      await svc.images.generate({ model: "m", prompt, idempotency_key: "mine" });
      await svc.genmedia.run({ model: "m" }, { idempotencyKey: "other" });
      await svc.chat.completions.create({ model: "m", messages: [] });
      expect(server.received.map(({ headers }) => headers["idempotency-key"])).toEqual([undefined, "other", undefined]);
    });
  });
});
