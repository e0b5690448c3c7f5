// The gateway with its files in a bucket (SVC_BLOB_URL): kept there, and served from there as from a folder.
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { request } from "undici";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { describeWithPython } from "../clients/python/python.ts";
import { fixture } from "../media/file-server.ts";
import { type S3Server, startS3Server } from "../media/s3-server.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";

describeWithPython("a gateway with a bucket", () => {
  const dataDir = mkdtempSync(join(inject("runFolder"), "svc-bucket-"));
  const name = "kept-0123456789abcdef";
  const image = fixture("picture.png");
  let server: S3Server;
  let gateway: Gateway;
  beforeAll(async () => {
    server = await startS3Server();
    gateway = await startGateway({ env: { SVC_BLOB_URL: server.blobUrl, SVC_DATA_DIR: dataDir } });
    await gateway.context.media.keep({
      file: { source: { bytes: image }, contentType: null, width: null, height: null, seconds: null, fps: null },
      kind: "image",
      name,
      provider: { baseUrl: "http://127.0.0.1:1" },
      signal: new AbortController().signal,
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await server.stop();
  });
  const ask = (headers: Record<string, string> = {}, method = "GET") => askAt(`${gateway.url}/media/${name}.png`, headers, method);

  test("serves what was kept, and keeps nothing on its own disk", async () => {
    const { status, headers, body } = await ask();
    expect(status).toBe(200);
    expect(headers).toMatchObject({ "content-type": "image/png", "content-length": String(image.length) });
    expect(body.equals(image)).toBe(true);
    expect(existsSync(join(dataDir, "media"))).toBe(false);
  });

  test("serves ranges, heads and what a cache has", async () => {
    const part = await ask({ range: "bytes=8-15" });
    expect([part.status, part.headers["content-range"]]).toEqual([206, `bytes 8-15/${image.length}`]);
    expect(part.body).toEqual(image.subarray(8, 16));
    expect((await ask({ range: `bytes=${image.length}-` })).status).toBe(416);
    expect((await ask({}, "HEAD")).headers["content-length"]).toBe(String(image.length));
    expect((await ask({ "if-none-match": `"${name}.png"` })).status).toBe(304);
    const none = await askAt(`${gateway.url}/media/never-0123456789abcdef.png`, {}, "GET");
    expect(none.status).toBe(404);
  });

  test("answers 500 when the bucket fails, and says nothing of it", async () => {
    const away = await startGateway({
      env: { SVC_BLOB_URL: server.blobUrl.replace("media-test", "no-such-bucket"), SVC_DATA_DIR: dataDir },
    });
    const bytes = randomBytes(4).toString("hex");
    const { status, body } = await askAt(`${away.url}/media/${bytes}0123456789abcdef.png`, {}, "GET");
    expect(status).toBe(500);
    expect(body.toString()).not.toMatch(/bucket|s3/i);
    await away.stop();
  });
});

test("an address that is none stops the start with a sentence", async () => {
  await expect(startGateway({ env: { SVC_BLOB_URL: "https://bucket.example.com" } })).rejects.toThrow(/^SVC_BLOB_URL must be like "s3:/);
});

async function askAt(url: string, headers: Record<string, string>, method: string) {
  const answer = await request(url, { method: method as "GET", headers });
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.from(await answer.body.arrayBuffer()) };
}
