// A raw HTTP server in the place of a media upstream, the gateway before it, and what holds of every job whatever that server answers: a code
// or files at the end, exact money, nothing of ours in what is shown; and no file, socket or secret left behind.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { highTiers } from "../support/tiers.ts";
import { endedJob } from "../support/media-jobs.ts";

export const secret = "fk-very-secret-0123456789";
export const fixture = (name: string) => readFileSync(new URL(`../media/files/${name}`, import.meta.url));
export const png = fixture("picture.png");

/** By the last segment of the path asked for. */
export type Answer = (response: ServerResponse, request: IncomingMessage, host: string) => void;
export const json =
  (value: unknown, status = 200, headers = {}): Answer =>
  (response) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(typeof value === "string" ? value : JSON.stringify(value));
export const bytes =
  (body: Buffer | string, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(200, headers).end(body);
export const away: Answer = (response) => response.writeHead(404).end("{}");

const dataDir = mkdtempSync(join(inject("runFolder"), "svc-hostile-"));
let gateway: Gateway;
let account: TestAccount;
let answers: Record<"submit" | "status" | "result" | "file" | "cancel", Answer>;
export let host = "";
const sockets = new Set<Socket>();
const logLines: string[] = [];
const server = createServer((request, response) => {
  request.resume().on("error", () => undefined);
  response.on("error", () => undefined);
  const name = request.url!.split("/").at(-1)!.split("?")[0]!;
  const answer = Object.hasOwn(answers, name) ? answers[name as keyof typeof answers] : answers.submit;
  request.on("end", () => answer(response, request, host));
});
server.on("connection", (socket) => {
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = { api_key_env: "HOSTILE_KEY", timeout_ms: 1000 };
  const model = (id: string, to: string, type: string, pricing: object) => ({
    ...{ id, type, pricing, routes: [{ provider: to, model: "owner/app" }] },
    ...(type === "video" && { durations: [5], default_duration_s: 5 }),
  });
  const perMegapixel = { mode: "per-megapixel", base_usd: 0.03, extra_per_mp_usd: 0.015, note: "each" };
  const catalog = JSON.stringify({
    providers: [
      { id: "hidden-queue", protocol: "fal", base_url: `${host}/queue`, ...provider },
      { id: "hidden-openai", protocol: "openai", base_url: `${host}/openai`, ...provider },
    ],
    models: [
      model("m/fal", "hidden-queue", "image", perMegapixel),
      model("m/video", "hidden-queue", "video", { mode: "per-second", usd_per_second: 0.1 }),
      model("m/openai", "hidden-openai", "image", { mode: "per-image", usd_per_image: 0.04 }),
    ],
    tiers: highTiers(),
  });
  const jobs = { lookMs: { first: 10, last: 30 }, wakeMs: 100, deadlineMs: { image: 3_000, video: 30_000 } };
  gateway = await startGateway({ catalog, env: { HOSTILE_KEY: secret, SVC_DATA_DIR: dataDir }, jobs, logLines, graceMs: 1_000 });
  account = await gateway.createAccount({ deposit: "100" });
});
afterAll(async () => {
  const audited = await gateway.audit();
  await gateway.stop();
  expect(audited).toMatchObject({ mismatches: [], reservations_open: 0 });
  await eventually(() => expect(sockets.size).toBe(0));
  server.close();
  expect(readdirSync(join(dataDir, "media-incoming"))).toEqual([]);
  expect(logLines.join("")).not.toContain(secret);
});

const submitTo = (model: string) => {
  const path = model === "m/video" ? "/v1/videos/generations" : "/v1/images/generations";
  const size = model === "m/video" ? {} : { size: "1024x1024" };
  return gateway.request("POST", path, { key: account.key, body: { model, prompt: "A boat", ...size } });
};

/** The job at its end; its money is checked whatever it is, and that it names nothing. */
export async function run(model: string, given: Partial<typeof answers>) {
  const ticket: Answer = (response, request, at) =>
    json({ request_id: "r1", status_url: `${at}/status`, response_url: `${at}/result`, cancel_url: `${at}/cancel` })(response, request, at);
  const made: Answer = (response, request, at) =>
    json({ [model === "m/video" ? "video" : "image"]: { url: `${at}/file` } })(response, request, at);
  answers = { submit: ticket, status: json({ status: "COMPLETED" }), result: made, file: bytes(png), cancel: away, ...given };
  const submitted = await submitTo(model);
  expect(submitted.status).toBe(202);
  const { json: job } = await endedJob(gateway, submitted.json.id as string, account.key);
  expect(["succeeded", "failed"]).toContain(job.status);
  expect(job.charged_amount ?? 0).toBeLessThanOrEqual(job.estimated_cost);
  expect(Math.round(((job.charged_amount ?? 0) + job.refunded_amount) * 1e8)).toBe(Math.round(job.estimated_cost * 1e8));
  if (job.status === "failed") expect([job.charged_amount ?? 0, job.error.message]).toEqual([0, expect.any(String)]);
  expect(JSON.stringify(job)).not.toMatch(new RegExp(`${secret}|hidden-|${new URL(host).host}|owner/app`));
  return job;
}
export const result = (value: unknown, status = 200, headers = {}) => ({ result: json(value, status, headers) });
