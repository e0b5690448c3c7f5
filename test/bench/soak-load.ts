// The mixed load: calls that arrive at random at a given mean rate, by many accounts, some new, some without money; one in four of their
// clients leaves at some moment, some read slowly, half of them on connections of their own.
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Caller, type Kind, kinds, pick } from "./soak-calls.ts";
import { type Leave, send } from "./soak-client.ts";

export interface LoadOptions {
  url: string;
  /** Calls a second, on average. */
  rate: number;
  /** A new account; the second kind has no money. */
  createCaller(isFunded: boolean): Promise<string>;
  stopped: () => boolean;
  /** Of each client; absent: more than any call takes. */
  timeoutMs?: number;
  /** Calls at once; above it a call is left out. */
  openMax?: number;
}

export interface Made {
  calls: number;
  left: number;
  /** Calls whose connection broke though the client stayed. */
  broken: number;
  /** Calls that never ended, by their kinds. */
  hung: string[];
  byStatus: Record<string, number>;
  byKind: Record<string, { calls: number; answered: number }>;
}

export const nothingMade = (): Made => ({ calls: 0, left: 0, broken: 0, hung: [], byStatus: {}, byKind: {} });
/** Reached within minutes, whose figures don't count: a gateway remembers 50,000 accounts, and would grow by each new one as it should. */
const callersMax = 100;
const newCallerEveryMs = 2_000;
/** A gateway that stands still must show itself in the figures, not in the client's memory. */
const openDefaultMax = 400;
const sum = kinds.reduce((total, { weight }) => total + weight, 0);

export function startLoad({ url, rate, createCaller, stopped, timeoutMs, openMax = openDefaultMax }: LoadOptions): {
  made: Made;
  open: () => string[];
  ended: Promise<void>;
} {
  const base = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 100, maxFreeSockets: 20 });
  const made = nothingMade();
  const callers: Caller[] = [];
  const open = new Set<string>();
  let serial = 0;
  const addCaller = async () => {
    callers.push({ key: await createCaller(Math.random() < 0.95), jobs: [], requests: [], keyed: [] });
  };

  async function call(kind: Kind): Promise<void> {
    const caller = pick(callers);
    const sent = kind.make(caller);
    if (sent.headers["idempotency-key"] !== undefined && kind.name !== "repeat") keep(caller.keyed, sent);
    const outcome = await send(base, sent, {
      ...(Math.random() < 0.5 ? { agent } : {}),
      leave: drawLeave(),
      pauseMs: Math.random() < 0.03 ? 500 : 0,
      sipBytes: Math.random() < 0.05 ? pick([20, 200, 2_000]) : 0,
      timeoutMs,
    });
    const { status, left, hung, headers, text } = outcome;
    made.calls += 1;
    if (hung) made.hung.push(kind.name);
    else if (left) made.left += 1;
    else if (status === 0) made.broken += 1;
    made.byStatus[status] = (made.byStatus[status] ?? 0) + 1;
    const counted = (made.byKind[kind.name] ??= { calls: 0, answered: 0 });
    counted.calls += 1;
    if (status >= 200 && status < 300) counted.answered += 1;
    const id = kind.isJob ? /"id":"([^"]+)"/.exec(text)?.[1] : undefined;
    if (id !== undefined) keep(caller.jobs, id);
    const requestId = headers["x-request-id"];
    if (typeof requestId === "string") keep(caller.requests, requestId);
  }

  async function run(): Promise<void> {
    for (let at = 0; at < 10; at++) await addCaller();
    let callerDueAt = performance.now();
    let dueAt = performance.now();
    while (!stopped()) {
      if (callers.length < callersMax && performance.now() > callerDueAt) {
        callerDueAt += newCallerEveryMs;
        await addCaller();
      }
      dueAt += (-Math.log(1 - Math.random()) * 1000) / rate;
      const earlyMs = dueAt - performance.now();
      if (earlyMs > 1) await sleep(earlyMs);
      if (earlyMs < -1_000) dueAt = performance.now(); // it was held up, and doesn't catch up in a burst
      if (open.size >= openMax) continue;
      const kind = drawKind();
      const name = `${++serial} ${kind.name}`;
      open.add(name);
      void call(kind).finally(() => open.delete(name));
    }
    while (open.size > 0) await sleep(50);
    agent.destroy();
  }

  return { made, open: () => [...open], ended: run() };
}

/** Each kind once, so that what is made at first use is there: worker threads, pools, compiled code. */
export async function warmUp({ url, createCaller }: Pick<LoadOptions, "url" | "createCaller">, timeoutMs?: number): Promise<void> {
  const caller: Caller = { key: await createCaller(true), jobs: [], requests: [], keyed: [] };
  await Promise.all(kinds.map((kind) => send(new URL(url), kind.make(caller), { timeoutMs })));
}

function drawKind() {
  let at = Math.random() * sum;
  return kinds.find(({ weight }) => (at -= weight) < 0) ?? kinds[0]!;
}

function drawLeave(): Leave {
  const draw = Math.random();
  if (draw < 0.05) return { at: "upload", afterMs: 200 * Math.random() };
  if (draw < 0.15) return { at: "head", afterMs: pick([0, 1, 3, 10, 50, 300]) * Math.random() };
  if (draw < 0.25) return { at: "answer", afterMs: pick([0, 5, 50, 500, 2_000]) * Math.random() };
  return { at: "never" };
}

function keep<T>(list: T[], id: T): void {
  list.push(id);
  if (list.length > 20) list.shift();
}
