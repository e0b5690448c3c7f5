// Media upstreams that lie, flood, forget and point elsewhere: whatever they answer, a job ends with a code and exact money, what is shown
// keeps to the contract and names nothing of ours, and nothing stays on the disk or in the logs (hostile-media-host.ts checks it of all).
import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type Answer, away, bytes, fixture, host, json, png, result, run, secret } from "./hostile-media-host.ts";

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

  test("a thousand images where one was requested: one is kept and charged", async () => {
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
  ])("a status that %s: the deadline, whatever was made", async (_what, status) => {
    expect((await run("m/fal", { status })).error.code).toBe("timeout");
  });

  test("a status that packs its answer, which is never unpacked: provider_error", async () => {
    const status = bytes(gzipSync('{"status":"COMPLETED"}'), { "content-encoding": "gzip" });
    expect((await run("m/fal", { status })).error.code).toBe("provider_error");
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

  test.each([1e300, 1e308, "5", -1, {}])("a video's duration, rate and size of %j: what is measured", async (said) => {
    const facts = { duration: said, fps: said, width: said, height: said };
    const job = await run("m/video", {
      result: (response, request, at) => json({ video: { url: `${at}/file`, ...facts } })(response, request, at),
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
    ["a page that says it is an image", "<html><script>alert(1)</script></html>", { "content-type": "image/png" }],
    [
      "a page that holds an SVG",
      "<!DOCTYPE html><html><svg xmlns='http://www.w3.org/2000/svg'/></html>",
      { "content-type": "image/svg+xml" },
    ],
    ["XML", "<?xml version='1.0'?><root/>", { "content-type": "image/svg+xml" }],
    ["a packed image", gzipSync(png), { "content-encoding": "gzip", "content-type": "image/png" }],
    ["a video", fixture("clip.mp4"), { "content-type": "image/png" }],
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
  ])("files %s: no image, no charge", async (_what, file) => {
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

describe("an openai host's images", () => {
  const b64 = png.toString("base64");
  const openai = (value: unknown, status = 200) => run("m/openai", { submit: json(value, status) });

  test.each([
    ["an error under 200", { error: { message: `bad key ${secret} at ${"x".repeat(5_000)}`, type: "server_error" } }],
    ["no list", { data: { 0: { b64_json: b64 } } }],
    ["no base64", { data: [{ b64_json: "<script>" }] }],
    ["numbers", { data: [{ b64_json: 5, url: 7 }] }],
    ["a local file", { data: [{ url: "file:///etc/passwd" }] }],
    ["an image and something else", { data: [{ b64_json: b64 }, "x"] }],
    ["more than it may", `{"data":[${'{"b64_json":"AAAA"},'.repeat(500_000)}{}]}`],
  ])("%s: failed, nothing is charged", async (_what, value) => {
    expect((await openai(value)).status).toBe("failed");
  });

  test("more than were requested: those that were", async () => {
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
