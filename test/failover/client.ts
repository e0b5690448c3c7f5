// Clients with books of their own: chat whole and streamed, and images as jobs, all through nginx. Of every call they keep its id, how it
// ended and what it says that it cost; of a job what its end says.
import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

export interface Call {
  requestId: string;
  kind: "whole" | "stream" | "image";
  startedAt: number;
  endedAt: number;
  /** 0: no answer came, or it broke off. */
  status: number;
  /** Everything that was promised arrived. */
  served: boolean;
  /** As the answer says it, in 1e-8 USD. */
  cost: bigint | null;
  jobId?: string;
}

export interface Load {
  calls: Call[];
  /** So many of the calls that began after `from`, and after the last failure, were served; and how long ago the later of the two was. */
  goodSince(from: number): { served: number; ms: number };
  stop(): Promise<void>;
}

interface Target {
  url: string;
  keys: readonly string[];
  prefix: string;
}

/** Longer than a gateway holds on to an answer that it can't settle. */
const timeoutMs = 45_000;
/** Between a failure and the next call, as clients that retry do. */
const pauseMs = 150;

export function startLoad(target: Target, clients: number): Load {
  const calls: Call[] = [];
  let stopped = false;
  let failedAt = performance.now();
  const note = (call: Call) => {
    calls.push(call);
    if (!call.served) failedAt = performance.now();
  };
  const chatting = async (index: number) => {
    for (let n = index; !stopped; n += 1) {
      const key = target.keys[n % target.keys.length]!;
      const call = await chat(target.url, key, `${target.prefix}${randomUUID()}`, (n + index) % 2 === 0);
      note(call);
      await sleep(call.served ? 20 : pauseMs);
    }
  };
  const drawing = async () => {
    while (!stopped) {
      note(await draw(target, `${target.prefix}${randomUUID()}`));
      await sleep(300);
    }
  };
  const all = Promise.all([...Array.from({ length: clients }, (_, index) => chatting(index)), drawing()]);
  return {
    calls,
    goodSince(from) {
      const since = Math.max(from, failedAt);
      return { served: calls.filter(({ served, startedAt }) => served && startedAt > since).length, ms: performance.now() - since };
    },
    async stop() {
      stopped = true;
      await all;
    },
  };
}

async function chat(url: string, key: string, requestId: string, stream: boolean): Promise<Call> {
  const startedAt = performance.now();
  const body = {
    ...{ model: stream ? "demo/stream" : "demo/whole", messages: [{ role: "user", content: "abcdefghijkl" }] },
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  };
  const { status, text, whole } = await send(`${url}/v1/chat/completions`, { key, requestId, body });
  const cost = status === 200 && whole ? costOf(text, stream) : null;
  const served = cost !== null && !text.includes("stream_interrupted");
  const ended = { startedAt, endedAt: performance.now(), status: whole ? status : 0, served, cost };
  return { requestId, kind: stream ? "stream" : "whole", ...ended };
}

/** In 1e-8 USD, as `usage.cost` says it. */
function costOf(text: string, stream: boolean): bigint | null {
  if (stream && !text.endsWith("data: [DONE]\n\n")) return null;
  const cost = /"cost":([\d.e-]+)/.exec(text)?.[1];
  return cost === undefined ? null : inUnits(Number(cost));
}

const inUnits = (usd: number) => BigInt(Math.round(usd * 1e8));

interface Job {
  id: string;
  status: string;
  charged_amount: number | null;
}

/** Sends the same key until a gateway takes the job, and asks until it has ended: what becomes of it is always known. */
async function draw({ url, keys }: Target, requestId: string): Promise<Call> {
  const startedAt = performance.now();
  const key = keys[0]!;
  const body = { model: "demo/image", prompt: "a hat", idempotency_key: requestId };
  let job: Job | null = null;
  while (job === null || !["succeeded", "failed", "expired", "canceled"].includes(job.status)) {
    const sent = job === null ? { key, requestId, body } : { key, requestId: randomUUID() };
    const { status, text, whole } = await send(job === null ? `${url}/v1/images/generations` : `${url}/v1/jobs/${job.id}`, sent);
    if (whole && (status === 200 || status === 202)) job = JSON.parse(text) as Job;
    else if (performance.now() - startedAt > 120_000) break;
    await sleep(400);
  }
  const served = job?.status === "succeeded";
  const cost = job === null ? null : inUnits(job.charged_amount ?? 0);
  const ended = { startedAt, endedAt: performance.now(), status: job === null ? 0 : 200, served, cost };
  return { requestId, kind: "image", ...ended, ...(job === null ? {} : { jobId: job.id }) };
}

interface Sent {
  key: string;
  requestId: string;
  body?: object;
}

/** Never rejects; what broke off is not whole. */
function send(url: string, { key, requestId, body }: Sent): Promise<{ status: number; text: string; whole: boolean }> {
  return new Promise((resolve) => {
    const bytes = body === undefined ? undefined : JSON.stringify(body);
    const call = request(url, {
      method: bytes === undefined ? "GET" : "POST",
      agent: false,
      timeout: timeoutMs,
      headers: {
        ...{ authorization: `Bearer ${key}`, "x-request-id": requestId },
        ...(bytes === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(bytes) }),
      },
    });
    call.on("timeout", () => call.destroy());
    call.once("error", () => resolve({ status: 0, text: "", whole: false }));
    call.once("response", (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      reply.on("error", () => undefined);
      reply.once("close", () => resolve({ status: reply.statusCode!, text, whole: reply.complete }));
    });
    call.end(bytes);
  });
}
