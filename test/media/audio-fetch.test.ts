// Downloads of a caller's recording: 100 MB at most, past the guards of fetch-to-file, and never whole in memory.
import { execFile } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import { audioLimits, fetchForCaller } from "../../src/media/media.ts";
import { type FileServer, ca, newFolder, resolver, startFileServer } from "./file-server.ts";

const megabyte = 1024 * 1024;
let server: FileServer | undefined;
afterEach(() => server?.close());

/** Answers `/large` with 100 MB plus the number of bytes in the URL. */
async function startLarge(): Promise<FileServer> {
  return await startFileServer((req, res) => {
    const more = Number(new URL(req.url!, "https://files.test").searchParams.get("more"));
    let left = req.url!.startsWith("/large") ? 100 * megabyte + more : megabyte;
    const write = () => {
      while (left > 0) {
        const piece = Buffer.alloc(Math.min(left, 65_536), "x");
        left -= piece.length;
        if (!res.write(piece)) return void res.once("drain", write);
      }
      res.end();
    };
    write();
  });
}

async function load(query: string) {
  server = await startLarge();
  const path = join(newFolder().folder, "file");
  const parts = { allowPrivateUrls: true, limits: audioLimits, ca, resolve: resolver({ "files.test": ["127.0.0.1"] }) };
  return { path, loading: fetchForCaller(parts, `https://files.test:${server.port}/large${query}`, path, new AbortController().signal) };
}

test("100 MB are taken", async () => {
  const { path, loading } = await load("");
  await loading;
  expect(statSync(path).size).toBe(100 * megabyte);
});

test("a byte more is not, and nothing is left", async () => {
  const { path, loading } = await load("?more=1");
  await expect(loading).rejects.toMatchObject({ reason: "too_large" });
  expect(existsSync(path)).toBe(false);
});

test("HTTPS on public hosts only", async () => {
  const path = join(newFolder().folder, "file");
  const parts = { allowPrivateUrls: false, limits: audioLimits };
  for (const url of ["http://files.test/a.mp3", "https://127.0.0.1/a.mp3", "ftp://files.test/a"])
    await expect(fetchForCaller(parts, url, path, new AbortController().signal)).rejects.toMatchObject({ reason: "invalid" });
});

test("100 MB raise the peak of memory by no more than 32 MB", async () => {
  server = await startLarge();
  const probe = fileURLToPath(new URL("./memory-probe.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [probe, String(server.port), ca, newFolder().folder, "small"]);
  expect(Number(stdout)).toBeLessThan(32 * megabyte);
});
