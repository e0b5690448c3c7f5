// Media jobs in the usage log, in receipts and in the ledger: every row recomputed.
import { describe, expect, test } from "vitest";
import type { TestAccount } from "../../support/gateway.ts";
import { endJob, mp4File, newJob, refundJob } from "../../support/media-jobs.ts";
import { chatWorld, language } from "../chat/chat-gateway.ts";

const world = chatWorld([language("demo/x", ["x"])]);
const get = async (account: TestAccount, path: string) => {
  const { status, json } = await world.gateway.request("GET", path, { key: account.key });
  expect(status).toBe(200);
  return json;
};
const done = async (
  account: TestAccount,
  job: NonNullable<Parameters<typeof newJob>[2]>,
  end: Partial<Parameters<typeof endJob>[3]> = {},
) => {
  const made = await newJob(world.gateway, account, job);
  await endJob(world.gateway, account, made, { to: "succeeded", ...end });
  return { ...made, receipt: await get(account, `/v1/usage/${made.requestId}`) };
};
const attempts = [
  { route: "north/secret-name", model: "demo/image", outcome: "unavailable", status: 503, latency_ms: 12 },
  { route: "south/other-name", model: "demo/image", outcome: "ok", status: 200, latency_ms: 900 },
];

describe("a receipt", () => {
  test("of images: one line, its attempts without providers, hold, settlement and charge in the ledger", async () => {
    const account = await world.account();
    const { receipt, shownId, requestId } = await done(
      account,
      { estimated: "0.12", alias: "picture" },
      { charged: "0.08", units: 2, attempts },
    );
    expect(receipt).toMatchObject({
      log: {
        ...{ request_id: requestId, endpoint: "/v1/images/generations", type: "image", model: "demo/image", alias: "picture" },
        ...{ status: "success", http_status: 202, error: null, units: 2, unit: "image", cost_usd: 0.08, job_id: shownId },
        ...{ prompt_tokens: 0, completion_tokens: 0, stream: false, ttft_ms: null },
      },
      attempts: attempts.map(({ route: _, ...shown }) => shown),
      usage: { input: 0, output: 0, estimated: false },
      charge: {
        ...{ model: "demo/image", sum_usd: "0.08", rounded_usd: 0.08, reserved_usd: 0.12, cost_usd: 0.08 },
        lines: [{ item: "image", quantity: 2, unit_price_usd: 0.04, amount_usd: "0.08" }],
      },
    });
    expect(receipt.ledger.map(({ type, amount_usd, ref }: any) => [type, amount_usd, ref])).toEqual([
      ["hold", -0.12, shownId],
      ["hold_settle", 0.12, shownId],
      ["usage", -0.08, requestId],
    ]);
    expect(JSON.stringify(receipt)).not.toMatch(/north|south|secret/);
  });

  test("of megapixels: the first, then every pixel more, exact to the last digit; and the fee of references", async () => {
    const account = await world.account();
    const prices = { unit: "megapixel", each: "30000000000", further: "15000000000", references: "12000000000" } as const;
    const { receipt } = await done(account, { prices, estimated: "0.1" }, { charged: "0.05795520", units: 2.06368 });
    expect(receipt.log).toMatchObject({ units: 2.06368, unit: "megapixel" });
    expect(receipt.charge).toMatchObject({
      lines: [
        { item: "megapixel", quantity: 1, unit_price_usd: 0.03, amount_usd: "0.03" },
        { item: "further_megapixel", quantity: 1.06368, unit_price_usd: 0.015, amount_usd: "0.0159552" },
        { item: "references", quantity: 1, unit_price_usd: 0.012, amount_usd: "0.012" },
      ],
      ...{ sum_usd: "0.0579552", rounded_usd: 0.0579552, cost_usd: 0.0579552 },
    });
  });

  test("of seconds, which may have a fraction; capped at the hold", async () => {
    const account = await world.account();
    const prices = { unit: "second", each: "100000000000" } as const;
    const { receipt } = await done(
      account,
      { kind: "video", prices, estimated: "0.5" },
      { charged: "0.5", units: 5.042, files: [mp4File()] },
    );
    expect(receipt.log).toMatchObject({ endpoint: "/v1/videos/generations", type: "video", units: 5.042, unit: "second" });
    expect(receipt.charge).toMatchObject({
      lines: [{ item: "second", quantity: 5.042, unit_price_usd: 0.1, amount_usd: "0.5042" }],
      ...{ sum_usd: "0.5042", rounded_usd: 0.5042, reserved_usd: 0.5, cost_usd: 0.5 },
    });
  });

  test("of a failed job: its error, no line, the hold and its release", async () => {
    const account = await world.account();
    const references = { references: "12000000000" };
    const { receipt, shownId } = await done(
      account,
      { api: "genmedia", prices: references },
      { to: "failed", code: "content_policy", message: "No." },
    );
    expect(receipt.log).toMatchObject({
      ...{ endpoint: "/v1/genmedia/run", status: "failed", units: 0, unit: "image", cost_usd: 0, job_id: shownId },
      error: { code: "content_policy", message: "No." },
    });
    expect(receipt.charge).toMatchObject({ lines: [], sum_usd: "0", rounded_usd: 0, reserved_usd: 0.04, cost_usd: 0 });
    expect(receipt.ledger.map(({ type, amount_usd }: any) => [type, amount_usd])).toEqual([
      ["hold", -0.04],
      ["hold_release", 0.04],
    ]);
  });

  test("shows what was given back later", async () => {
    const account = await world.account();
    const job = await done(account, {});
    await refundJob(world.gateway, job);
    const { ledger, charge } = await get(account, `/v1/usage/${job.requestId}`);
    expect(charge.cost_usd).toBe(0.04);
    expect(ledger.at(-1)).toMatchObject({ type: "refund", amount_usd: 0.04, ref: job.shownId });
  });
});

describe("the log of requests", () => {
  test("type=image and type=video find media jobs, by the API that they came through", async () => {
    const account = await world.account();
    await done(account, {});
    await done(account, { kind: "video", api: "genmedia" }, { files: [mp4File()] });
    await world.chat(account, { model: "demo/x" });
    const of = async (type: string) => (await get(account, `/v1/auth/usage/logs?type=${type}`)).data.map(({ endpoint }: any) => endpoint);
    expect(await of("image")).toEqual(["/v1/images/generations"]);
    expect(await of("video")).toEqual(["/v1/genmedia/run"]);
    await expect.poll(() => of("language")).toEqual(["/v1/chat/completions"]);
    const chat = (await get(account, "/v1/auth/usage/logs?type=language")).data[0];
    expect([chat.unit, chat.units, chat.job_id]).toEqual(["token", chat.prompt_tokens + chat.completion_tokens, null]);
  });
});
