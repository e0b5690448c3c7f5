// The load generator, a process of its own: its parent sends groups and gets their results. Bare sockets and prepared requests,
// so that it costs a fraction of what any target does.
import { createHistogram, type Histogram } from "./histogram.ts";
import { type Answer, type Connection, openConnection } from "./connection.ts";
import type { GroupResult, LoadGroup } from "./spec.ts";

interface Tally {
  requests: number;
  errors: number;
  firstError: string | null;
  records: number;
  latency: Histogram;
  firstByte: Histogram;
}

process.on("message", (groups: LoadGroup[]) => {
  void Promise.all(groups.map(runGroup)).then((results) => process.send?.(results));
});
process.once("disconnect", () => process.exit(0));
process.stdout.write("load ready\n");

async function runGroup(group: LoadGroup): Promise<GroupResult> {
  const { hostname, port } = new URL(group.url);
  const requests = prepare(group);
  const tally: Tally = { requests: 0, errors: 0, firstError: null, records: 0, latency: createHistogram(), firstByte: createHistogram() };
  const connections = Array.from({ length: group.connections }, () => openConnection(hostname, Number(port)));
  let sent = 0;
  const next = () => requests[sent++ % requests.length] as Buffer;
  const startedAt = performance.now();
  if (group.loop.kind === "closed") await closedLoop(connections, next, tally, group.loop.ms);
  else if (group.loop.kind === "open") await openLoop(connections, next, tally, group.loop);
  else await once(connections, next, tally, group.loop.ms);
  const seconds = (performance.now() - startedAt) / 1000;
  for (const connection of connections) connection.close();
  return { ...tally, seconds, latency: tally.latency.summary(), firstByte: tally.firstByte.summary() };
}

function prepare({ url, method, path, headers, lines, body, padBytes = 0 }: LoadGroup): Buffer[] {
  const words = "Say something of use. ";
  const content = body?.replace("@PAD@", words.repeat(Math.ceil(padBytes / words.length)).slice(0, padBytes));
  const common = Object.entries({
    host: new URL(url).host,
    ...headers,
    ...(content === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(content) }),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const start = `${method} ${path} HTTP/1.1\r\n${common.join("")}`;
  return (lines.length === 0 ? [""] : lines.map((line) => `${line}\r\n`)).map((line) => Buffer.from(`${start}${line}\r\n${content ?? ""}`));
}

function closedLoop(connections: Connection[], next: () => Buffer, tally: Tally, ms: number): Promise<void> {
  const endAt = performance.now() + ms;
  return allOf(connections, (connection, finished) => {
    const turn = (): void => {
      const at = performance.now();
      if (at >= endAt) return finished();
      connection.send(next(), (answer) => {
        note(tally, answer, at);
        turn();
      });
    };
    turn();
  });
}

function once(connections: Connection[], next: () => Buffer, tally: Tally, ms: number): Promise<void> {
  return allOf(connections, (connection, finished, index) => {
    setTimeout(
      () => {
        const at = performance.now();
        connection.send(next(), (answer) => {
          note(tally, answer, at);
          finished();
        });
      },
      (ms * index) / connections.length,
    );
  });
}

/** What is due goes out when a connection is free; waiting for one counts as the target's time. */
function openLoop(connections: Connection[], next: () => Buffer, tally: Tally, { rate, ms }: { rate: number; ms: number }): Promise<void> {
  const startedAt = performance.now();
  const total = Math.floor((rate * ms) / 1000);
  const free = [...connections];
  let due = 0;
  let ended = 0;
  return new Promise((resolve) => {
    const turn = (): void => {
      const now = performance.now();
      for (; free.length > 0 && due < total; due += 1) {
        const at = startedAt + (due * 1000) / rate;
        if (at > now) return;
        const connection = free.pop() as Connection;
        connection.send(next(), (answer) => {
          note(tally, answer, at);
          free.push(connection);
          ended += 1;
          if (ended < total) return;
          clearInterval(timer);
          resolve();
        });
      }
    };
    const timer = setInterval(turn, 1);
  });
}

function allOf(connections: Connection[], start: (connection: Connection, finished: () => void, index: number) => void): Promise<void> {
  return new Promise((resolve) => {
    let left = connections.length;
    const finished = (): void => {
      left -= 1;
      if (left === 0) resolve();
    };
    connections.forEach((connection, index) => start(connection, finished, index));
  });
}

function note(tally: Tally, answer: Answer, at: number): void {
  if (answer.status !== 200) {
    tally.errors += 1;
    tally.firstError ??= `${answer.status} ${answer.text}`;
    return;
  }
  tally.requests += 1;
  tally.records += answer.records;
  tally.latency.add(answer.endAt - at);
  tally.firstByte.add(answer.firstByteAt - at);
}
