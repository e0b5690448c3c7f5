// A rolling restart loses no call: connections that are used again right after a stream or after a pause, streams that outlast a restart,
// directly and behind nginx by the very file of deploy/nginx.
import { Agent, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Answer, chat, keepAliveAgent } from "../robustness/chat-client.ts";
import { openWorld, type World } from "../robustness/world.ts";
import { until as waitUntil } from "../support/eventually.ts";
import { needTool } from "../support/find-tool.ts";
import { drawn, sized } from "../support/size.ts";
import type { SpawnedGateway } from "../support/spawned-gateway.ts";
import { startBalancer } from "./balancer.ts";

const models = {
  quick: `quick+sim-slow-${sized(5, 40)}ms+sim-tokens-3`,
  stream: "stream+sim-pace-100ms+sim-tokens-30",
  long: "long+sim-pace-100ms+sim-tokens-80",
};
vi.setConfig({ testTimeout: 600_000 });
const until = (holds: () => boolean | Promise<boolean>, what: string) => waitUntil(holds, what, 120_000);

/** SIGTERM waits 5 s there, the stream takes 8. */
const shortGrace = fileURLToPath(new URL("./shorten-grace.ts", import.meta.url));
const nginx = needTool("nginx");
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const work of cleanUp.splice(0).reverse()) await work();
});

async function twoWorkers(env: Record<string, string> = {}): Promise<{ world: World; gateway: SpawnedGateway; key: string }> {
  const world = await openWorld({ models });
  cleanUp.push(() => world.stop());
  const gateway = await world.start({ SVC_WORKERS: "2", LOG_LEVEL: "info", ...env });
  return { world, gateway, key: (await world.createAccount("50")).key };
}

const timesLogged = (gateway: SpawnedGateway, text: string) => gateway.output().split(text).length - 1;

interface Calls {
  answers: Answer[];
  stop(): Promise<void>;
}

/** Each client has one connection, on which it asks for a stream of 3 s and, the moment it has ended, for many short answers one by one. */
function startCalls({ url, key }: { url: string; key: string }, clients: number, pauseMs: number): Calls {
  const answers: Answer[] = [];
  let stopped = false;
  const client = async () => {
    const agent = keepAliveAgent(1);
    const ask = async (model: string, stream: boolean) => answers.push(await chat({ url, key, model, stream, agent }));
    while (!stopped) {
      await ask("demo/stream", true);
      for (let n = 0; n < shortAnswers && !stopped; n += 1) {
        await ask("demo/quick", false);
        if (pauseMs > 0) await sleep(pauseMs);
      }
    }
    agent.destroy();
  };
  const done = Promise.all(Array.from({ length: clients }, client));
  return {
    answers,
    async stop() {
      stopped = true;
      await done;
    },
  };
}

const rounds = sized(3, 1);
/** Of each of the two ways: 10,000 together. */
const answered = sized(5_000, 500);
const shortAnswers = sized(150, 40);

describe.each(drawn([{ behind: "nginx" }, { behind: "nothing" }]))("SIGHUP behind $behind", ({ behind }) => {
  test.skipIf(behind === "nginx" && nginx === null)(
    `of ${answered} calls and more, streams longer than a worker's end, one connection a client: 0 are lost`,
    async () => {
      const { world, gateway, key } = await twoWorkers();
      const port = Number(new URL(gateway.url).port);
      const balancer = behind === "nginx" ? await startBalancer(nginx!, [port, port, port]) : null;
      if (balancer !== null) cleanUp.push(() => balancer.stop());
      const at = { url: balancer?.url ?? gateway.url, key };
      const loads = [startCalls(at, 16, 0), startCalls(at, 8, 2_000)];
      const answers = () => loads.flatMap((load) => load.answers);
      for (let round = 1; round <= rounds || answers().length < answered; round += 1) {
        const from = answers().length;
        await until(() => answers().length > from + 300, "calls are answered");
        process.kill(gateway.pid, "SIGHUP");
        await until(() => timesLogged(gateway, "rolling restart done") === round, "all workers are new");
      }
      await Promise.all(loads.map((load) => load.stop()));
      expect(answers().length).toBeGreaterThanOrEqual(answered);
      expect(answers().filter(({ status, whole, text }) => status !== 200 || !whole || text.includes("stream_interrupted"))).toEqual([]);
      expect(await world.audit()).toMatchObject({ reservations_open: 0, mismatches: [] });
      expect(await gateway.kill("SIGTERM")).toBe(0);
    },
  );
});

test("a stream that lasts longer than SIGTERM would wait is whole; SIGTERM ends the worker that waits for idle connections at once", async () => {
  const { gateway, key } = await twoWorkers({ NODE_OPTIONS: `--import=${shortGrace}` });
  const agents = Array.from({ length: 4 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const stream = chat({ url: gateway.url, key, model: "demo/long", stream: true });
  await Promise.all(agents.map((agent) => health(gateway.url, agent)));
  process.kill(gateway.pid, "SIGHUP");
  const answer = await stream;
  expect(answer).toMatchObject({ status: 200, whole: true });
  expect(answer.text).not.toContain("stream_interrupted");
  // Its idle connections promised their clients 65 s, and few of them are over.
  expect(timesLogged(gateway, "rolling restart done")).toBe(0);
  expect(await gateway.kill("SIGTERM")).toBe(0);
  for (const agent of agents) agent.destroy();
});

function health(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(`${url}/healthz`, { agent }, (reply) => reply.resume().once("end", resolve)).once("error", reject);
  });
}
