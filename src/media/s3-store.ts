// Stores files in a bucket that speaks S3. Loaded only where SVC_BLOB_URL is set, because the SDK is slow to load. The SDK's errors carry
// key ids and addresses; ours name only the step, the error's name and its status.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import type { BlobAddress } from "./blob-address.ts";
import type { Store } from "./types.ts";

/** `requestTimeout` runs until the answer's headers arrive, upload included; `socketTimeout` is silence on the socket. */
const shippedTimeouts = { connectionTimeout: 5_000, requestTimeout: 30_000, socketTimeout: 60_000 };
/** Uploads have more time, at a rate that any bucket reaches: nine minutes for 512 MB. */
const uploadBytesPerMs = 1_000;
/** Every reader of a video holds one socket for as long as it reads. */
const socketsMax = 1_024;
const tries = 3;
const pauseMs = 500;

/** Throws where neither the address nor the environment names a region. */
export async function openS3Store(address: BlobAddress, timeouts = shippedTimeouts): Promise<Store> {
  const region = address.region ?? (address.endpoint === null ? null : "us-east-1");
  const client = new S3Client({
    ...(region !== null && { region }),
    ...(address.endpoint !== null && { endpoint: address.endpoint }),
    forcePathStyle: address.pathStyle,
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore }, // it would write to the console
    maxAttempts: tries,
    requestHandler: {
      ...timeouts,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: socketsMax },
      httpsAgent: { keepAlive: true, maxSockets: socketsMax },
    },
    // The SDK's newer checksums use trailers, which many S3-compatible servers don't read.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  await client.config.region().catch(() => {
    throw new Error("SVC_BLOB_URL names no region, and AWS_REGION is not set");
  });
  const at = (name: string) => ({ Bucket: address.bucket, Key: `${address.prefix}${name}` });

  return {
    async put(name, path, contentType) {
      const { size } = await stat(path);
      const head = { ...at(name), ContentLength: size, ContentType: contentType, CacheControl: "public, max-age=31536000, immutable" };
      const requestTimeout = timeouts.requestTimeout + Math.ceil(size / uploadBytesPerMs);
      // The SDK doesn't retry what it streams: every attempt reads the file anew.
      for (let left = tries - 1; ; left--) {
        const body = createReadStream(path);
        try {
          await client.send(new PutObjectCommand({ ...head, Body: body }), { requestTimeout });
          return;
        } catch (error) {
          if (left === 0 || isFinal(error)) throw withoutSecrets("put", error);
          await sleep(pauseMs * (tries - left));
        } finally {
          body.destroy();
        }
      }
    },
    async open(name, range) {
      const part = range === null ? {} : { Range: `bytes=${range.from}-${range.to}` };
      const answer = await ifThere("get", client.send(new GetObjectCommand({ ...at(name), ...part })));
      if (answer === null) return null;
      const stream = answer.Body as Readable;
      const size = sizeOf(answer, range);
      if (size !== null) return { size, stream };
      stream.on("error", ignore).destroy();
      throw new Error("the bucket failed to get a file: it answered with other bytes than those asked for");
    },
    async size(name) {
      const answer = await ifThere("head", client.send(new HeadObjectCommand(at(name))));
      if (answer === null) return null;
      if (answer.ContentLength === undefined) throw new Error("the bucket failed to head a file: it tells no length");
      return answer.ContentLength;
    },
    async remove(name) {
      await ifThere("delete", client.send(new DeleteObjectCommand(at(name))));
    },
    close: async () => client.destroy(),
  };
}

/**
 * The length of the whole file; null: these are not the bytes that were asked for. Without this check a server that ignores the range, or
 * reports no length, could make our answer longer than its header says.
 */
function sizeOf({ ContentRange, ContentLength }: GetObjectCommandOutput, range: { from: number; to: number } | null): number | null {
  if (range === null) return ContentLength ?? null;
  const [, from, to, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(ContentRange ?? "")?.map(Number) ?? [];
  if (from !== range.from || to === undefined || size === undefined) return null;
  return to === Math.min(range.to, size - 1) && ContentLength === to - from + 1 ? size : null;
}

async function ifThere<T>(step: string, work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (statusOf(error) === 404 && (error as Error).name !== "NoSuchBucket") return null;
    throw withoutSecrets(step, error);
  }
}

function isFinal(error: unknown): boolean {
  const status = statusOf(error);
  return status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429;
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

function withoutSecrets(step: string, error: unknown): Error {
  const { name, code } = error as { name?: string; code?: string };
  return new Error(`the bucket failed to ${step} a file: ${code ?? name ?? "unknown"} (${statusOf(error) ?? "no answer"})`);
}

function ignore(): void {}
