// Reads: the models, and the state of a media job that somebody polls. The reference passes a small answer of the mock through.
import type { Shape } from "../measure.ts";
import { imageModel } from "../targets/ours.ts";
import type { Running } from "../targets/types.ts";
import { runClosed } from "./closed.ts";
import type { Scenario } from "./types.ts";

const connections = 64;
const addresses = 4_000;

function get(path: string, ms: number): Shape {
  return { method: "GET", path, connections, loop: { kind: "closed", ms } };
}

const models: Scenario = {
  name: "models",
  title: `GET /v1/models, ${connections} connections`,
  async run(bench) {
    // Public, so that it is limited by address: the load says that it comes from many.
    const target = bench.wanted("ours") ? await bench.fleet.fresh("ours", { env: { SVC_TRUSTED_PROXIES: "1" } }) : null;
    const targets = target === null ? [] : [target];
    const lines = Array.from({ length: addresses }, (_, index) => `x-forwarded-for: 10.0.${index >> 8}.${index & 255}`);
    const result = await runClosed(bench, targets, "request", (ms) => ({ ...get("/v1/models", ms), lines }));
    await bench.checkAndStop(targets);
    return result;
  },
};

const polling: Scenario = {
  name: "polling",
  title: `GET /v1/jobs/{id} of a job that has ended, ${connections} connections`,
  async run(bench) {
    const targets = await bench.targets(["ours"]);
    const id = targets[0] === undefined ? "none" : await submitJob(targets[0]);
    return runClosed(bench, targets, "request", (ms) => get(`/v1/jobs/${id}`, ms));
  },
};

async function submitJob({ url, keys }: Running): Promise<string> {
  const headers = { authorization: `Bearer ${keys[0]}`, "content-type": "application/json" };
  const body = JSON.stringify({ model: imageModel, prompt: "a lighthouse" });
  const reply = await fetch(`${url}/v1/images/generations`, { method: "POST", headers, body });
  const job = (await reply.json()) as { id?: string };
  if (job.id === undefined) throw new Error(`no job: ${reply.status} ${JSON.stringify(job)}`);
  const waited = await fetch(`${url}/v1/jobs/${job.id}?wait=25`, { headers });
  await waited.text();
  return job.id;
}

export const readScenarios: Scenario[] = [models, polling];
