// A real server that speaks S3 (moto, a Python package of `npm run clients:python`), on a free port with one bucket.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { interpreter, s3Server } from "../clients/python/environment.ts";
import { runEnvironment } from "../support/leftovers.ts";

export interface S3Server {
  endpoint: string;
  /** SVC_BLOB_URL for a folder of its bucket. */
  blobUrl: string;
  stop(): Promise<void>;
}

const command = "import sys; from moto.server import main; main(['-H', '127.0.0.1', '-p', '0'])";

/** The SDK finds credentials in its own variables; they stay set for the process. */
export async function startS3Server(): Promise<S3Server> {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: "AKIATESTTESTTEST", AWS_SECRET_ACCESS_KEY: "secret-of-the-bucket" });
  const child = spawn(interpreter, ["-c", command], {
    env: { ...runEnvironment(), PYTHONPATH: s3Server, PYTHONUNBUFFERED: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const endpoint = await addressOf(child);
  const client = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: "media-test" }));
  client.destroy();
  return {
    endpoint,
    blobUrl: `s3://media-test/of/jobs?region=us-east-1&endpoint=${endpoint}&path_style=1`,
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function addressOf(child: ChildProcess): Promise<string> {
  const said: string[] = [];
  for await (const line of createInterface(child.stderr!)) {
    said.push(line);
    const address = /Running on (http:\/\/\S+)/.exec(line)?.[1];
    if (address !== undefined) {
      child.stderr!.resume(); // one line a request follows
      return address;
    }
  }
  throw new Error(`the S3 server did not start: ${said.join("\n")}`);
}
