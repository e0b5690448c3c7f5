// The page of README.md "Images and clips, with curl", run line by line in one shell against a gateway of its own.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { hasCurl, openShell, readmePage, type Shell } from "../support/readme-shell.ts";
import { type SpawnedGateway, spawnGateway } from "../support/spawned-gateway.ts";

let database: TestDatabase;
let gateway: SpawnedGateway;
let shell: Shell;
const folder = mkdtempSync(join(tmpdir(), "svc-readme-"));
beforeAll(async () => {
  database = await freshDatabase();
  gateway = await spawnGateway({ DATABASE_URL: database.url });
  shell = openShell(readmePage("Images and clips, with curl"), { DATABASE_URL: database.url });
});
afterAll(async () => {
  shell.close();
  await gateway.kill("SIGTERM");
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

test.skipIf(!hasCurl)(
  "every command of the page does what the page says, in its order",
  async () => {
    const { next, json } = shell;
    const account = JSON.parse(await shell.run("npx svc account create --email media@example.com --verified --deposit 20 --json"));
    await next("base=", { "http://127.0.0.1:8787": gateway.url, "svc_…": account.api_key });
    await next("call()");

    const submitted = await json("call /v1/images/generations");
    expect(submitted).toMatchObject({ object: "image.job", status: "pending", charged_amount: null });
    const job = await json('call "/v1/jobs/THE_JOB', { THE_JOB: submitted.id });
    expect(job).toMatchObject({ status: "succeeded", charged_amount: job.estimated_cost });
    const file = join(folder, "lighthouse.png");
    await next("curl -s -o", { "lighthouse.png": file, THE_URL: job.output.url });
    expect(readFileSync(file).subarray(1, 4).toString()).toBe("PNG");

    const fox = await json("call /v1/images/generations");
    const again = await json("call /v1/images/generations");
    expect(again.id).toBe(fox.id);
    const drawn = await json('call "/v1/jobs/THE_JOB', { THE_JOB: fox.id });
    expect(drawn.output.metadata.images).toEqual([expect.objectContaining({ content_type: "image/svg+xml" })]);
    const svg = await shell.run(`curl -s -i ${drawn.output.url}`);
    expect(svg).toMatch(/content-type: image\/svg\+xml/i);
    expect(svg).toContain("<svg");

    expect(await json("call /v1/genmedia/run")).toMatchObject({ status: "COMPLETED", output: { images: [{ content_type: "image/png" }] } });
    expect(await json("call /v1/videos/generations")).toMatchObject({ object: "video.job", status: "pending", estimated_cost: 0.5 });
    const { data } = await json('call "/v1/jobs?kind=image');
    expect(data.map((one: { id: string }) => one.id)).toEqual([fox.id, submitted.id]);
    expect(await next("npx svc job show", { THE_JOB: fox.id })).toContain("succeeded");
    const { mismatches } = JSON.parse(await shell.run("npx svc ledger audit --json")) as { mismatches: unknown[] };
    expect(mismatches).toEqual([]);
    expect(shell.left()).toEqual([]);
  },
  60_000,
);
