// What every store promises, tested with both: a folder, and a bucket of a real S3-compatible server.
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HeadObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openMedia } from "../../src/media/media.ts";
import type { Store } from "../../src/media/types.ts";
import { describeWithPython } from "../clients/python/python.ts";
import { newFolder } from "./file-server.ts";
import { type S3Server, startS3Server } from "./s3-server.ts";

const { folder } = newFolder();
const open = async (blobUrl: string | null) => (await openMedia({ dataDir: folder, blobUrl, allowPrivateUrls: false })).store;

let files = 0;
function fileOf(bytes: Buffer): string {
  const path = join(folder, `source-${++files}`);
  writeFileSync(path, bytes);
  return path;
}

/** The promises of types.ts. */
function keepsFiles(store: () => Store): void {
  const small = randomBytes(1_000);
  const name = (what: string) => `${what}-0123456789abcdef.png`;
  const put = (what: string, bytes: Buffer) => store().put(name(what), fileOf(bytes), "image/png");
  const read = async (what: string, range: { from: number; to: number } | null = null) => {
    const file = await store().open(name(what), range);
    return file && { size: file.size, bytes: Buffer.concat(await file.stream.toArray()) };
  };

  test("what was put is read as it was", async () => {
    const large = randomBytes(9 * 1024 * 1024 + 17);
    await put("small", small);
    await put("large", large);
    expect(await store().size(name("small"))).toBe(1_000);
    expect(await read("small")).toEqual({ size: 1_000, bytes: small });
    const whole = await read("large");
    expect(whole!.size).toBe(large.length);
    expect(whole!.bytes.equals(large)).toBe(true);
  });

  test("a range holds exactly its bytes, and tells the size of the whole", async () => {
    await put("range", small);
    for (const [from, to] of [
      [0, 0],
      [0, 999],
      [1, 1],
      [500, 998],
      [999, 999],
      [990, 5_000],
    ] as const)
      expect(await read("range", { from, to })).toEqual({ size: 1_000, bytes: small.subarray(from, to + 1) });
  });

  test("a name that was never put, or was removed, is null; removing twice is no fault", async () => {
    expect(await read("never")).toBeNull();
    expect(await store().size(name("never"))).toBeNull();
    await put("removed", small);
    await store().remove(name("removed"));
    await store().remove(name("removed"));
    expect(await read("removed")).toBeNull();
    expect(await store().size(name("removed"))).toBeNull();
  });

  test("a second file of a name replaces the first, also while it is read", async () => {
    const [first, second] = [Buffer.alloc(2_000_000, 1), Buffer.alloc(1_000, 2)];
    await put("again", first);
    const reading = await store().open(name("again"), null);
    await put("again", second);
    expect(Buffer.concat(await reading!.stream.toArray()).equals(first)).toBe(true);
    expect(await read("again")).toEqual({ size: 1_000, bytes: second });
  });

  test("readers that leave early hold nothing: hundreds of them", async () => {
    await put("left", Buffer.alloc(3_000_000));
    for (let round = 0; round < 20; round++) {
      const opened = await Promise.all(Array.from({ length: 20 }, () => store().open(name("left"), null)));
      for (const file of opened) file!.stream.on("error", () => undefined).destroy();
    }
    await expect.poll(() => openFiles("left")).toBe(0);
    expect((await read("left"))!.size).toBe(3_000_000);
  });

  test("20 at once under one name leave one whole file", async () => {
    await Promise.all(Array.from({ length: 20 }, (_, nth) => put("race", Buffer.alloc(100_000, nth))));
    const { bytes } = (await read("race"))!;
    expect(bytes.equals(Buffer.alloc(100_000, bytes[0]))).toBe(true);
  });

  test("a file that is not there can't be put, and puts nothing", async () => {
    await expect(store().put(name("absent"), join(folder, "absent"), "image/png")).rejects.toThrow();
    expect(await store().size(name("absent"))).toBeNull();
  });
}

/** Descriptors of this process on files of that name. */
function openFiles(part: string): number {
  const links = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return "";
    }
  });
  return links.filter((target) => target.includes(`${part}-0123456789abcdef`)).length;
}

describe("a folder", () => {
  let store: Store;
  beforeAll(async () => {
    store = await open(null);
  });
  afterAll(() => store.close());
  keepsFiles(() => store);

  test("files lie below two letters, and nothing else does", async () => {
    await store.put("ab0123456789abcdef.png", fileOf(Buffer.from("x")), "image/png");
    expect(existsSync(join(folder, "media", "ab", "ab0123456789abcdef.png"))).toBe(true);
    const all = readdirSync(join(folder, "media"), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(all.map(({ name }) => name).filter((name) => !name.endsWith(".png"))).toEqual([]);
  });
});

describeWithPython("a bucket", () => {
  let server: S3Server;
  let store: Store;
  beforeAll(async () => {
    server = await startS3Server();
    store = await open(server.blobUrl);
  });
  afterAll(async () => {
    await store.close();
    await server.stop();
  });
  keepsFiles(() => store);

  test("objects lie below the prefix, with their type and how long they may be kept", async () => {
    await store.put("ab0123456789abcdef.png", fileOf(Buffer.from("x")), "image/png");
    const client = new S3Client({ endpoint: server.endpoint, region: "us-east-1", forcePathStyle: true });
    expect(await client.send(new HeadObjectCommand({ Bucket: "media-test", Key: "of/jobs/ab0123456789abcdef.png" }))).toMatchObject({
      ContentType: "image/png",
      ContentLength: 1,
      CacheControl: "public, max-age=31536000, immutable",
    });
    client.destroy();
  });

  test("a bucket that is not there fails every step, and the sentence holds no secret", async () => {
    const wrong = await open(server.blobUrl.replace("media-test", "no-such-bucket"));
    const sentence = /^the bucket failed to (put|get) a file: NoSuchBucket \(404\)$/;
    await expect(wrong.put("ab0123456789abcdef.png", fileOf(Buffer.from("x")), "image/png")).rejects.toThrow(sentence);
    await expect(wrong.open("ab0123456789abcdef.png", null)).rejects.toThrow(sentence);
    await wrong.close();
  });

  test("an unavailable server fails after the retries", async () => {
    const away = await open("s3://media-test?region=us-east-1&endpoint=http://127.0.0.1:9&path_style=1");
    await expect(away.put("ab0123456789abcdef.png", fileOf(Buffer.from("x")), "image/png")).rejects.toThrow(
      /^the bucket failed to put .*ECONNREFUSED/,
    );
    await expect(away.size("ab0123456789abcdef.png")).rejects.toThrow(/^the bucket failed to head .*ECONNREFUSED/);
    await away.close();
  });
});

describe("SVC_BLOB_URL", () => {
  test.each([
    ["https://bucket.s3.amazonaws.com", "must be like"],
    ["bucket", "must be like"],
    ["s3://", "must be like"],
    ["s3://Bad_Bucket/x", "is not one"],
    ["s3://bucket?regoin=x", "only parameters are region"],
    ["s3://bucket?endpoint=host", "no http or https address"],
    ["s3://bucket?endpoint=http://h&path_style=yes", "neither 1 nor 0"],
    ["s3://AKIA:secret@bucket/x", "must hold no credentials"],
  ])("%s stops the start", async (blobUrl, sentence) => {
    await expect(open(blobUrl)).rejects.toThrow(sentence);
    await expect(open(blobUrl)).rejects.not.toThrow("secret@");
  });

  test("without a region, and with none in the environment, it stops the start", async () => {
    Object.assign(process.env, { AWS_CONFIG_FILE: "/dev/null", AWS_SHARED_CREDENTIALS_FILE: "/dev/null" });
    await expect(open("s3://bucket")).rejects.toThrow("AWS_REGION is not set");
  });
});
