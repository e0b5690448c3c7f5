// A process for one test: downloads a recording to the disk and reports by how many bytes its peak memory rose.
import { join } from "node:path";
import { audioLimits, fetchForCaller } from "../../src/media/media.ts";

const [port, ca, folder, small] = process.argv.slice(2) as [string, string, string, string];
const parts = { allowPrivateUrls: true, limits: audioLimits, ca, resolve: async () => [{ address: "127.0.0.1", family: 4 }] };
const load = (name: string) =>
  fetchForCaller(parts, `https://files.test:${port}/${name}`, join(folder, name), new AbortController().signal);
const peak = () => process.resourceUsage().maxRSS * 1024;

// What loading anything at all takes is not the large file's.
await load(small);
const before = peak();
await load("large");
process.stdout.write(`${peak() - before}\n`);
