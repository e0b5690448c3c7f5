// The guide "Images and videos", its commands one by one in one shell against a gateway of its own; then its books are audited.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GuideShell, hasCurl, openGuideShell } from "./guide-shell.ts";

let shell: GuideShell;
beforeAll(async () => void (shell = await openGuideShell("media-jobs")));
afterAll(() => shell?.close());

test.skipIf(!hasCurl)("every command does what the guide says, in its order", async () => {
  const { next, json, run } = shell;
  const account = JSON.parse(await run("npx svc account create --email media@example.com --verified --deposit 20 --json"));
  await run(`SVC_KEY=${account.api_key}`);

  const submitted = await json('curl -s "$SVC_URL/v1/images/generations"');
  expect(submitted).toMatchObject({ object: "image.job", status: "pending", charged_amount: null });
  await next("JOB=");
  const job = await json('curl -s "$SVC_URL/v1/jobs/$JOB?wait=25"');
  expect(job).toMatchObject({ id: submitted.id, status: "succeeded", charged_amount: job.estimated_cost });
  await next("URL=");
  expect((await run("echo $URL")).trim()).toBe(job.output.url);
  await next("curl -s -o lighthouse.png");
  expect(readFileSync(`${shell.folder}/lighthouse.png`).subarray(1, 4).toString()).toBe("PNG");

  const waited = await json('curl -s -X POST "$SVC_URL/v1/images/generations"');
  expect(waited).toMatchObject({ status: "succeeded", data: [{ url: waited.output.url }] });

  const edited = await json('curl -s "$SVC_URL/v1/images/edits"');
  expect(edited).toMatchObject({ status: "succeeded", data: [{ url: edited.output.url }] });

  const varied = await json('curl -s "$SVC_URL/v1/images/variations"');
  expect(varied).toMatchObject({ status: "succeeded", data: [{ url: varied.output.url }] });

  const [fox, created, again, replayed] = (await next("for TRY")).trim().split("\n");
  expect([created, replayed]).toEqual(["202", "200"]);
  const foxId = (JSON.parse(fox!) as { id: string }).id;
  expect(JSON.parse(again!)).toMatchObject({ id: foxId });
  await next("JOB=");
  const drawn = await json('curl -s "$SVC_URL/v1/jobs/$JOB?wait=25"');
  expect(drawn.id).toBe(foxId);
  expect(drawn.output.metadata.images).toEqual([expect.objectContaining({ content_type: "image/svg+xml" })]);
  const svg = await run(`curl -s -i ${drawn.output.url}`);
  expect(svg).toMatch(/content-type: image\/svg\+xml/i);
  expect(svg).toContain("<svg");

  const submittedVideo = await json('curl -s "$SVC_URL/v1/videos/generations"');
  expect(submittedVideo).toMatchObject({ object: "video.job", status: "pending", estimated_cost: 0.5 });
  await next("VIDEO=");
  const video = await json('curl -s "$SVC_URL/v1/jobs/$VIDEO?wait=25"');
  expect(video).toMatchObject({ id: submittedVideo.id, status: "succeeded", charged_amount: 0.5 });
  expect(await json('curl -s "$SVC_URL/v1/genmedia/run"')).toMatchObject({
    status: "COMPLETED",
    output: { images: [{ content_type: "image/png" }] },
  });
  const { data } = await json('curl -s "$SVC_URL/v1/jobs?kind=image');
  expect(data.map((one: { id: string }) => one.id)).toEqual([foxId, varied.id, edited.id, waited.id, submitted.id]);
  const { mismatches } = JSON.parse(await run("npx svc ledger audit --json")) as { mismatches: unknown[] };
  expect(mismatches).toEqual([]);
  expect(shell.left()).toEqual([]);
});
