// Every image and video model of the shipped catalog, made by the simulator: the result has the planned size and length, and charge and refund
// add up to the hold.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { endedJob } from "../../support/media-jobs.ts";

let gateway: Gateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startGateway();
  account = await gateway.createAccount({ deposit: "2000" });
});
afterAll(async () => {
  const audited = await gateway.audit();
  await gateway.stop();
  expect(audited).toMatchObject({ mismatches: [], holds_open: 0 });
});

async function finished(path: string, body: object) {
  const { status, json } = await gateway.request("POST", path, { key: account.key, body });
  expect([status, json.error]).toEqual([202, null]);
  const job = (await endedJob(gateway, json.id as string, account.key)).json;
  expect([job.status, job.error]).toEqual(["succeeded", null]);
  expect(job.charged_amount + (job.refunded_amount ?? 0)).toBeCloseTo(job.estimated_cost, 8);
  return job;
}

const source = { image_url: "https://assets.example.com/harbour.jpg" };
const draw = (body: object) => finished("/v1/images/generations", { prompt: "A lighthouse", ...body });

describe("images", () => {
  test.each([
    ["pixa/budget", {}, 0.0035, [1024, 1024]],
    ["pixa/standard", { n: 2, size: "1920x1080" }, 0.054, [1344, 768]],
    ["pixa/photo-ultra", { size: "1024x768" }, 0.054, [2368, 1792]],
    ["canvas/megapixel", {}, 0.03048288, [1344, 768]],
    ["canvas/megapixel", { size: "2048x2048" }, 0.03072864, [1024, 1024]],
    ["canvas/edit", source, 0.036, [1024, 1024]],
    ["north/image", { quality: "hd", size: "auto" }, 0.167, [1024, 1024]],
    ["north/image-reference-flash", { quality: "low", size: "1024x1536" }, 0.009, [1024, 1536]],
    ["ember/flash-image", source, 0.035, [1024, 1024]],
    ["atelier/design", { size: "2560x1080" }, 0.04, [1820, 1024]],
    ["atelier/vector", {}, 0.08, [1820, 1024]],
  ])("%s %j costs %d", async (model, body, charge, [width, height]) => {
    const job = await draw({ model, ...body });
    expect(job.charged_amount).toBe(charge);
    expect(job.output.metadata.images[0]).toMatchObject({ width, height });
  });
});

test.each([
  ["tide/video", { duration_s: 6 }, 1, 10],
  ["tide/video-sound", { aspect_ratio: "9:16" }, 2.88, 8],
])("%s %j costs %d", async (model, body, charge, seconds) => {
  const job = await finished("/v1/videos/generations", { model, prompt: "Waves", ...body });
  expect(job.charged_amount).toBe(charge);
  expect(job.output.metadata.videos[0].duration_s).toBeCloseTo(seconds, 1);
});
