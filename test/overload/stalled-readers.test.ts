// Many clients that each open a stream without end and read nothing of it: memory stays at what a stream may have under way, the upstream
// waits, others are served, and when they have gone everything is closed and paid.
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { catalogFile, catalogText } from "../robustness/catalog.ts";
import { chat } from "../robustness/chat-client.ts";
import { openWorld, type World } from "../robustness/world.ts";
import { head } from "../server/start-edge.ts";
import { until } from "../support/eventually.ts";
import type { SpawnedGateway } from "../support/gateway.ts";
import { startTalkingHost } from "./hosts.ts";
import { watch, type Watched } from "./resident.ts";

const megabyte = 1024 * 1024;
/** The kernel alone keeps some 9 MB of each: more of them would be a test of its memory. */
const clients = 100;
/** What Node reads of a socket at once, and what it queues for one before it says that it is full. */
const pieceBytes = 65_536;
/**
 * Of one stream: a piece waits at the upstream's socket, one is being passed on as bytes, as text, as records and as what is written,
 * and one is queued for the client. Twice that for what waits to be collected. A tenth of what cuts a client off (edge.ts, queuedBytes).
 */
const heldMax = 2 * 6 * pieceBytes;
/** What a process that has only answered small calls grows by when it works hard: its young generation above all. */
const warmUpBytes = 96 * megabyte;
/** Of one stream, too: what the kernel holds of two loopback connections, up to 6 MB sent and 6 MB received each. */
const underWayMax = heldMax + 4 * 6 * megabyte;

let world: World;
let host: Awaited<ReturnType<typeof startTalkingHost>>;
let gateway: SpawnedGateway;
let watched: Watched;
beforeAll(async () => {
  host = await startTalkingHost();
  world = await openWorld({ models: {} });
  gateway = await world.start({ SVC_CATALOG: catalogFile(catalogText(host.url, { talk: "talk" })) });
  watched = watch(gateway);
});
afterAll(async () => {
  await world.stop();
  host.close();
});

/** Asks on a socket of its own that is never read from. */
function askAndStall(key: string) {
  const body = JSON.stringify({ model: "demo/talk", messages: [{ role: "user", content: "hi" }], stream: true });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "content-length": String(body.length) };
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1").pause();
  socket.on("error", () => undefined);
  socket.write(head("POST", "/v1/chat/completions", headers) + body);
  return socket;
}

/** Resolves when nothing has been taken from the host for half a second. Each look is held against the bounds: no fault may fill the machine. */
async function standStill(residentMax: number): Promise<void> {
  for (let last = -1; host.begun() < clients || last !== host.taken();) {
    last = host.taken();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(watched.peak()).toBeLessThan(residentMax);
    expect(host.taken()).toBeLessThan(clients * underWayMax);
  }
}

test(`${clients} streams that nobody reads: bounded memory, upstreams that wait, others served; then nothing is open and each is paid`, async () => {
  const [stalling, calm] = [await world.createAccount("1000"), await world.createAccount("10")];
  const askCalmly = async () =>
    expect(await chat({ url: gateway.url, key: calm.key, model: "demo/talk" })).toMatchObject({ status: 200, whole: true });
  for (let n = 0; n < 20; n += 1) await askCalmly();

  const before = watched.now();
  watched.forgetPeak();
  const sockets = Array.from({ length: clients }, () => askAndStall(stalling.key));
  let standsStill = false;
  const serveOthers = async () => {
    while (!standsStill) {
      await askCalmly();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const still = standStill(before + warmUpBytes + clients * heldMax).finally(() => (standsStill = true));
  await Promise.all([still, serveOthers()]);
  await askCalmly();
  // None was cut off, here or there.
  expect([host.open(), sockets.filter(({ destroyed }) => destroyed).length]).toEqual([clients, 0]);

  for (const socket of sockets) socket.destroy();
  await until(() => host.open() === 0, "the upstream calls are closed");
  await until(async () => (await world.balance(stalling)).reserved === 0n, "their reservations have ended");
  await until(async () => (await watched.figure("svc_http_requests_in_flight")) === 1, "no request is open but this one");
  expect(await watched.figure("svc_upstream_calls")).toBe(0);
  const { rows } = await world.db.pool.query<{ status: string; cost: bigint }>("select status, cost from usage_log where account_id = $1", [
    stalling.accountId,
  ]);
  expect(rows.map(({ status }) => status)).toEqual(Array(clients).fill("aborted"));
  expect(rows.filter(({ cost }) => cost === 0n)).toEqual([]);
  expect(await world.balance(stalling)).toMatchObject({ spent: rows.reduce((sum, { cost }) => sum + cost, 0n) });
  expect(await world.audit()).toMatchObject({ holds_open: 0, reservations_open: 0, mismatches: [] });
});
