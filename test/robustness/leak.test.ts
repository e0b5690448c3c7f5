// Thousands of streams whose clients disconnect: nothing of them stays, in the gateway or at its upstream (docs/behaviour/streams.md#disconnects).
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect } from "vitest";
import { until } from "../support/eventually.ts";
import type { SpawnedGateway } from "../support/gateway.ts";
import { oneInThree, sized } from "../support/size.ts";
import { inParallel, leaveAfter, openChat } from "./chat-client.ts";
import { openWorld, socketsOf, type World } from "./world.ts";

const streams = sized(10_000, 4_000);
const atOnce = 80;
/** Its pool grows under load and keeps a connection for 30 s (src/main.ts). */
const databaseConnectionsMax = 10;
const megabyte = 1024 * 1024;
/**
 * What the gateway may keep of 3,200 streams, or of 8,000. Keeping no more than each one's request and reply is 18 MB, or 45, as a
 * gateway made to do so showed; code that was compiled meanwhile and caches that fill are 3 MB.
 */
const keptMax = 12 * megabyte;

let world: World;
let gateway: SpawnedGateway;
beforeAll(async () => {
  world = await openWorld({ models: { endless: "endless+sim-tokens-200000+sim-pace-20ms" } });
  const probe = fileURLToPath(new URL("./heap-probe.ts", import.meta.url));
  gateway = await world.start({ NODE_OPTIONS: `--expose-gc --import ${probe}` });
});
afterAll(() => world.stop());

/** Bytes that are still reachable. */
async function heap(): Promise<number> {
  const before = gateway.output().length;
  const heapSize = () => /heap (\d+)\n/.exec(gateway.output().slice(before))?.[1];
  void gateway.kill("SIGUSR2");
  await until(() => heapSize() !== undefined, "the heap is told");
  return Number(heapSize());
}

oneInThree()(
  `${streams} streams whose clients disconnect, ${atOnce} at a time, leave no socket, no upstream call, no hold and a flat heap`,
  async () => {
    const account = await world.createAccount("5000");
    const leave = (count: number) =>
      inParallel(count, atOnce, (index) =>
        // After the head, the role or the first token: each part of a stream's life.
        leaveAfter(openChat({ url: gateway.url, key: account.key, model: "demo/endless", stream: true, maxTokens: 1_000 }), index % 3),
      );
    const nothingOpen = () =>
      until(
        async () => (await world.balance(account)).reserved === 0n && world.simulator.calls().every(({ outcome }) => outcome !== "open"),
        "all has ended",
      );

    const socketsBefore = await idleSockets();
    await leave(streams / 5);
    await nothingOpen();
    const heapBefore = await heap();
    await leave((streams * 4) / 5);
    await nothingOpen();

    const { received, aborted, answered, broken } = world.simulator.counters();
    expect({ received, ended: aborted + answered + broken }).toEqual({ received: streams, ended: streams });
    expect(aborted).toBe(streams);
    const { rows } = await world.db.pool.query<{ status: string; n: number }>(
      "select status, count(*)::int as n from usage_log group by status",
    );
    expect(rows).toEqual([{ status: "aborted", n: streams }]);
    expect(await world.audit()).toMatchObject({ reservations_open: 0, mismatches: [] });
    await until(() => world.simulator.counters().openSockets === 0, "the simulator has no socket");
    expect(await idleSockets()).toBeLessThanOrEqual(socketsBefore + databaseConnectionsMax);
    const grown = (await heap()) - heapBefore;
    expect(grown).toBeLessThan(keptMax);
  },
);

/** Of the gateway: what it listens and talks to its database with. */
async function idleSockets(): Promise<number> {
  let last = -1;
  await until(() => last === (last = socketsOf(gateway.pid)), "its sockets stand still");
  return last;
}
