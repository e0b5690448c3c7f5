// Clients that call without a pause, streamed and not, at several gateways, until they are told to stop; and what must
// hold between what they received and what was charged, whatever was killed meanwhile.
import { randomUUID } from "node:crypto";
import type { Agent } from "node:http";
import { expect } from "vitest";
import { type Answer, chat } from "./chat-client.ts";
import type { World } from "./world.ts";

/** Slow enough that clients wait for upstreams, not for the machine: what a test waits for beside the load has its turn. */
export const loadModels = { whole: "whole+sim-slow-80ms+sim-tokens-10", stream: "stream+sim-pace-8ms+sim-tokens-10" };
/** No client may wait longer than this for a refusal, or for anything while the database merely restarts. */
export const timeoutMs = 10_000;

export interface LoadAnswer extends Answer {
  requestId: string;
  stream: boolean;
  url: string;
}

export interface Load {
  answers: LoadAnswer[];
  stop(): Promise<void>;
}

/** `urls` is read before each call, so that a gateway may be added or taken away. Without an agent each call takes a new connection. */
export function startLoad(urls: () => string[], key: string, clients: number, callTimeoutMs = timeoutMs, agent?: Agent): Load {
  const answers: LoadAnswer[] = [];
  let stopped = false;
  const client = async (index: number) => {
    for (let n = index; !stopped; n += 1) {
      const stream = n % 2 === 0;
      const url = urls()[n % urls().length]!;
      const requestId = randomUUID();
      const more = stream ? { stream_options: { include_usage: true } } : {};
      const model = stream ? "demo/stream" : "demo/whole";
      const answer = await chat({ url, key, model, stream, requestId, timeoutMs: callTimeoutMs, more, ...(agent ? { agent } : {}) });
      answers.push({ ...answer, requestId, stream, url });
      if (answer.status !== 200) await new Promise((resolve) => setTimeout(resolve, 20)); // as a client that retries would
    }
  };
  const clientsDone = Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  return {
    answers,
    async stop() {
      stopped = true;
      await clientsDone;
    },
  };
}

/** Every answer that arrived whole is charged once, at the cost it names; nothing else is charged but what broke under way. */
export async function expectCharged(world: World, account: { accountId: bigint }, { answers }: Load): Promise<void> {
  const { rows } = await world.db.pool.query<{ request_id: string; status: string; cost: bigint }>(
    "select request_id, status, cost from usage_log where account_id = $1",
    [account.accountId],
  );
  const byRequest = Map.groupBy(rows, (row) => row.request_id);
  const served = answers.filter(({ status, whole, text }) => status === 200 && whole && !text.includes("stream_interrupted"));
  expect(served.length).toBeGreaterThan(50);
  const wrong = served.filter((answer) => {
    const found = byRequest.get(answer.requestId) ?? [];
    return found.length !== 1 || found[0]!.status !== "success" || found[0]!.cost !== costOf(answer);
  });
  expect(wrong).toEqual([]);
  // A refusal is free, and what is neither a whole answer nor a refusal was cut off.
  const refused = answers.filter(({ status }) => status >= 400);
  expect(refused.filter(({ requestId }) => (byRequest.get(requestId) ?? []).some(({ cost }) => cost > 0n))).toEqual([]);
  const spent = rows.reduce((sum, { cost }) => sum + cost, 0n);
  const cut = rows.filter(({ request_id, cost }) => cost > 0n && !served.some(({ requestId }) => requestId === request_id));
  expect(cut.length).toBeLessThanOrEqual(answers.filter(({ status, whole }) => status === 0 || !whole).length);
  expect(await world.balance(account)).toMatchObject({ reserved: 0n, spent });
  expect((await world.audit()).mismatches).toEqual([]);
}

/** In 1e-8 USD, as `usage.cost` says it. */
function costOf({ stream, text }: LoadAnswer): bigint {
  const usage = stream
    ? /"usage":(\{"prompt_tokens".*\})\}\n\ndata: \[DONE\]/.exec(text)?.[1]
    : JSON.stringify((JSON.parse(text) as { usage: object }).usage);
  return BigInt(Math.round((JSON.parse(usage!) as { cost: number }).cost * 1e8));
}
