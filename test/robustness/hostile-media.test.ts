// Media upstreams that lie, flood, forget and point elsewhere: whatever they answer, a job ends with a code and exact money, what is shown
// keeps to the contract and names nothing of ours, and nothing stays on the disk or in the logs.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { readdirSync, readFileSync } from "node:fs";
import { type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { highTiers } from "../support/tiers.ts";

const secret = "fk-very-secret-0123456789";
const fixture = (name: string) => readFileSync(new URL(`../media/files/${name}`, import.meta.url));
const png = fixture("picture.png");

/** By the last segment of the path asked for. */
type Answer = (response: ServerResponse, request: IncomingMessage, host: string) => void;
const json =
  (value: unknown, status = 200, headers = {}): Answer =>
  (response) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(typeof value === "string" ? value : JSON.stringify(value));
const bytes =
  (body: Buffer | string, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(200, headers).end(body);
const away: Answer = (response) => response.writeHead(404).end("{}");

let gateway: Gateway;
let account: TestAccount;
let answers: Record<"submit" | "status" | "result" | "file" | "cancel", Answer>;
let host = "";
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
      model("m/clip", "hidden-queue", "video", { mode: "per-second", usd_per_second: 0.1 }),
      model("m/openai", "hidden-openai", "image", { mode: "per-image", usd_per_image: 0.04 }),
    ],
    tiers: highTiers(),
  });
  const jobs = { lookMs: { first: 10, last: 30 }, wakeMs: 100, deadlineMs: { image: 3_000, video: 3_000 } };
  gateway = await startGateway({ catalog, env: { HOSTILE_KEY: secret }, jobs, logLines, graceMs: 1_000 });
  account = await gateway.createAccount({ deposit: "100" });
});
afterAll(async () => {
  const audited = await gateway.audit();
  await gateway.stop();
  expect(audited).toMatchObject({ mismatches: [], reservations_open: 0 });
  await vi.waitFor(() => expect(sockets.size).toBe(0), { timeout: 5_000 });
  server.close();
  expect(readdirSync(join(gateway.context.config.dataDir, "media-incoming"))).toEqual([]);
  expect(logLines.join("")).not.toContain(secret);
});

const submitTo = (model: string) => {
  const path = model === "m/clip" ? "/v1/videos/generations" : "/v1/images/generations";
  const size = model === "m/clip" ? {} : { size: "1024x1024" };
  return gateway.request("POST", path, { key: account.key, body: { model, prompt: "A boat", ...size } });
};

/** The job at its end; its money is checked whatever it is, and that it names nothing. */
async function run(model: string, given: Partial<typeof answers>) {
  const ticket: Answer = (response, request, at) =>
    json({ request_id: "r1", status_url: `${at}/status`, response_url: `${at}/result`, cancel_url: `${at}/cancel` })(response, request, at);
  const made: Answer = (response, request, at) =>
    json({ [model === "m/clip" ? "video" : "image"]: { url: `${at}/file` } })(response, request, at);
  answers = { submit: ticket, status: json({ status: "COMPLETED" }), result: made, file: bytes(png), cancel: away, ...given };
  const submitted = await submitTo(model);
  expect(submitted.status).toBe(202);
  const { json: job } = await gateway.request("GET", `/v1/jobs/${submitted.json.id}?wait=25`, { key: account.key });
  expect(["succeeded", "failed"]).toContain(job.status);
  expect(job.charged_amount ?? 0).toBeLessThanOrEqual(job.estimated_cost);
  expect(Math.round(((job.charged_amount ?? 0) + job.refunded_amount) * 1e8)).toBe(Math.round(job.estimated_cost * 1e8));
  if (job.status === "failed") expect([job.charged_amount ?? 0, job.error.message]).toEqual([0, expect.any(String)]);
  expect(JSON.stringify(job)).not.toMatch(new RegExp(`${secret}|hidden-|${new URL(host).port}|owner/app`));
  return job;
}
const result = (value: unknown, status = 200, headers = {}) => ({ result: json(value, status, headers) });

describe("what a queue says of its work", () => {
  const inline = `data:image/png;base64,${png.toString("base64")}`;
  test.each([
    ["nothing", ""],
    ["a list", "[]"],
    ["text", "<html>no</html>"],
    ["deep nesting", `{"images":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["more than anybody lists", `{"images":[${"{},".repeat(2_000_000)}{}]}`],
    ["other types", { images: { length: 4 }, image: [[inline]] }],
    ["an address of a file", { image: "file:///etc/passwd" }],
    ["an address of a script", { image: { url: "javascript:alert(1)" } }],
    ["an address with credentials", { image: { url: "http://user:password@127.0.0.1/file" } }],
    ["an address with line breaks in its host", { image: { url: "http://exa\r\nmple.com\r\nx: y/" } }],
    ["an address of the clouds' metadata", { image: { url: "http://169.254.169.254/latest/meta-data/" } }],
    ["the same in IPv6", { image: { url: "http://[::ffff:169.254.169.254]/latest" } }],
    ["nobody's port", { image: { url: "http://127.0.0.1:1/file" } }],
  ])("%s in place of a result: provider_error or the deadline", async (_what, value) => {
    const job = await run("m/fal", result(value));
    expect(["provider_error", "timeout"]).toContain(job.error.code);
  });

  test("a thousand pictures where one was ordered: one is kept and charged", async () => {
    const { status, charged_amount, output } = await run(
      "m/fal",
      result({ images: Array.from({ length: 1_000 }, () => ({ url: inline })) }),
    );
    expect([status, charged_amount, output.metadata.images.length]).toEqual(["succeeded", 0.03, 1]);
  });

  test("complete, and then not there: the deadline", async () => {
    expect((await run("m/fal", { result: away })).error.code).toBe("timeout");
  });

  test.each([
    ["never answers", (() => undefined) as Answer],
    ["has forgotten the work", away],
    [
      "sends a byte at a time",
      ((response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write(" "), 50);
        response.on("close", () => clearInterval(timer));
      }) as Answer,
    ],
    ["redirects to itself", ((response, _request, at) => response.writeHead(302, { location: `${at}/status` }).end()) as Answer],
    [
      "claims more bytes than it sends",
      ((response) => {
        response.writeHead(200, { "content-length": "5000" });
        response.write('{"status":"COMPLETED"}');
        response.socket!.end();
      }) as Answer,
    ],
    ["packs its answer", bytes(gzipSync('{"status":"COMPLETED"}'), { "content-encoding": "gzip" })],
  ])("a status that %s: the deadline, whatever was made", async (_what, status) => {
    expect((await run("m/fal", { status })).error.code).toBe("timeout");
  });

  test.each(["file:///etc/passwd", "javascript:alert(1)", "http://[", "data:,x", "http://a\u0000b/"])(
    "a ticket whose status_url is %j: provider_error",
    async (url) => {
      const job = await run("m/fal", { submit: json({ request_id: "r", status_url: url, response_url: url, cancel_url: url }) });
      expect(["provider_error", "timeout"]).toContain(job.error.code);
    },
  );

  test("an error that quotes our key, our address and its own names shows none of them", async () => {
    const msg = `Key ${secret} of 127.0.0.1 (see ${host}/x) may not use owner/app`;
    const detail = [{ type: "value_error", loc: ["body", "prompt"], msg, input: secret, ctx: { key: secret } }];
    const job = await run("m/fal", result({ detail }, 422, { "x-fal-error-type": secret }));
    expect(job.error.code).toMatch(/input|invalid/);
  });

  test.each([[[true, false]], [true], [[false, true]]])("has_nsfw_concepts %j: content_policy_nsfw, nothing is charged", async (flags) => {
    expect((await run("m/fal", result({ image: inline, has_nsfw_concepts: flags }))).error.code).toBe("content_policy_nsfw");
  });
});

describe("what it says of a file that can't be measured", () => {
  const svg = `data:image/svg+xml;base64,${Buffer.from("<svg></svg>").toString("base64")}`;
  test.each([1e300, 1e308, -5, 1.5e-9, 4_294_967_297, "NaN", null, {}, [1]])(
    "a width and height of %j: the size that was asked for",
    async (side) => {
      const job = await run("m/fal", result({ image: { url: svg, width: side, height: side } }));
      expect(job).toMatchObject({ status: "succeeded", output: { metadata: { images: [{ width: 1024, height: 1024 }] } } });
      expect(job.charged_amount).toBe(0.03072864);
    },
  );

  test("half pixels are whole ones", async () => {
    const job = await run("m/fal", result({ image: { url: svg, width: 1000.4, height: 1000.4 } }));
    expect(job).toMatchObject({ charged_amount: 0.03, output: { metadata: { images: [{ width: 1000, height: 1000 }] } } });
  });

  test.each([1e300, 1e308, "5", -1, {}])("a clip's duration, rate and size of %j: what is measured", async (said) => {
    const clip = { duration: said, fps: said, width: said, height: said };
    const job = await run("m/clip", {
      result: (response, request, at) => json({ video: { url: `${at}/file`, ...clip } })(response, request, at),
      file: bytes(fixture("clip.mp4")),
    });
    expect(job.status).toBe("succeeded");
    expect(job.output.metadata.videos[0].duration_s).toBeLessThan(10);
    expect(job.charged_amount).toBeLessThan(0.5);
  });

  test("a head of 100,000 by 100,000 pixels: never above the hold", async () => {
    const bomb = Buffer.from(png);
    bomb.writeUInt32BE(100_000, 16);
    bomb.writeUInt32BE(100_000, 20);
    const job = await run("m/fal", { file: bytes(bomb) });
    expect(job).toMatchObject({
      charged_amount: job.estimated_cost,
      output: { metadata: { images: [{ width: 100_000, height: 100_000 }] } },
    });
  });
});

describe("what its files are", () => {
  test.each([
    ["a page that says it is a picture", "<html><script>alert(1)</script></html>", { "content-type": "image/png" }],
    [
      "a page that holds an SVG",
      "<!DOCTYPE html><html><svg xmlns='http://www.w3.org/2000/svg'/></html>",
      { "content-type": "image/svg+xml" },
    ],
    ["XML", "<?xml version='1.0'?><root/>", { "content-type": "image/svg+xml" }],
    ["a packed picture", gzipSync(png), { "content-encoding": "gzip", "content-type": "image/png" }],
    ["a clip", fixture("clip.mp4"), { "content-type": "image/png" }],
    ["nothing", "", { "content-type": "image/png" }],
  ])("%s: provider_error", async (_what, body, headers) => {
    expect((await run("m/fal", { file: bytes(body, headers) })).error.code).toBe("provider_error");
  });

  test.each([
    [
      "that redirect round and round",
      (response: ServerResponse, _: IncomingMessage, at: string) => response.writeHead(302, { location: `${at}/file` }).end(),
    ],
    [
      "that lead to the clouds' metadata",
      (response: ServerResponse) => response.writeHead(302, { location: "http://169.254.169.254/" }).end(),
    ],
    ["without an end", (response: ServerResponse) => void response.writeHead(200).write("x")],
  ])("files %s: no picture, no charge", async (_what, file) => {
    expect(["provider_error", "timeout"]).toContain((await run("m/fal", { file })).error.code);
  });

  test("an SVG with scripts is served where nothing of it runs", async () => {
    const entities = `<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>`;
    const text = `${entities}<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10" onload="alert(1)"><script>alert(1)</script>&b;&x;</svg>`;
    const job = await run("m/fal", { file: bytes(text, { "content-type": "text/html" }) });
    expect(job).toMatchObject({ status: "succeeded", output: { metadata: { images: [{ width: 10, height: 10 }] } } });
    const file = await fetch(job.output.url);
    expect(await file.text()).toBe(text);
    expect(Object.fromEntries(file.headers)).toMatchObject({
      "content-type": "image/svg+xml",
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringMatching(/default-src 'none'.*sandbox$/),
    });
  });
});

describe("an openai host's pictures", () => {
  const b64 = png.toString("base64");
  const openai = (value: unknown, status = 200) => run("m/openai", { submit: json(value, status) });

  test.each([
    ["an error under 200", { error: { message: `bad key ${secret} at ${"x".repeat(5_000)}`, type: "server_error" } }],
    ["no list", { data: { 0: { b64_json: b64 } } }],
    ["no base64", { data: [{ b64_json: "<script>" }] }],
    ["numbers", { data: [{ b64_json: 5, url: 7 }] }],
    ["a local file", { data: [{ url: "file:///etc/passwd" }] }],
    ["a picture and something else", { data: [{ b64_json: b64 }, "x"] }],
    ["more than it may", `{"data":[${'{"b64_json":"AAAA"},'.repeat(500_000)}{}]}`],
  ])("%s: failed, nothing is charged", async (_what, value) => {
    expect((await openai(value)).status).toBe("failed");
  });

  test("more than were ordered: those that were", async () => {
    const job = await openai({
      data: Array.from({ length: 1_000 }, () => ({ b64_json: b64 })),
      size: "99999x99999",
      usage: { total: 1e308 },
    });
    expect([job.status, job.charged_amount, job.output.metadata.images]).toEqual([
      ...["succeeded", 0.04],
      [{ width: 64, height: 48, content_type: "image/png" }],
    ]);
  });

  test("401 that quotes our key: nothing of it", async () => {
    expect((await openai({ error: { message: `Incorrect API key provided: ${secret}` } }, 401)).error.code).toBe("provider_unavailable");
  });
});
