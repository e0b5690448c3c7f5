// Timeouts of a bucket: a large upload may take its time, a request that is never answered may not.
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readBlobAddress } from "../../src/media/blob-address.ts";
import { openS3Store } from "../../src/media/s3-store.ts";
import { newFolder } from "./file-server.ts";

const name = "kept-0123456789abcdef.mp4";
const { folder } = newFolder();
const asked: string[] = [];
const bucket = createServer((request, response) => {
  asked.push(request.method!);
  request.resume().on("end", () => {
    if (request.method === "PUT") setTimeout(() => response.end(), 600);
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => bucket.listen(0, "127.0.0.1", resolve));
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: "AKIATESTTESTTEST", AWS_SECRET_ACCESS_KEY: "secret-of-the-bucket" });
});
afterAll(() => {
  bucket.closeAllConnections();
  bucket.close();
});

function open() {
  const endpoint = `http://127.0.0.1:${(bucket.address() as AddressInfo).port}`;
  const timeouts = { connectionTimeout: 5_000, requestTimeout: 200, socketTimeout: 60_000 };
  return openS3Store(readBlobAddress(`s3://media-test?region=us-east-1&endpoint=${endpoint}&path_style=1`), timeouts);
}

test("a file may take longer than an answer, as its bytes need, and is sent once", async () => {
  const store = await open();
  const path = join(folder, "clip");
  writeFileSync(path, Buffer.alloc(8_000_000));
  await store.put(name, path, "video/mp4");
  expect(asked).toEqual(["PUT"]);
  await store.close();
});

test("a silent bucket fails after the retries", async () => {
  asked.length = 0;
  const store = await open();
  await expect(store.size(name)).rejects.toThrow("the bucket failed to head a file: ETIMEDOUT (no answer)");
  expect(asked).toEqual(["HEAD", "HEAD", "HEAD"]);
  await store.close();
});
