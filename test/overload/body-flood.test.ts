// One account sends more bodies at once than the process has room for, while its upstream keeps it waiting: what is too much is shed, free of
// charge, and memory follows what is held, not what is sent. A process of its own, with a quarter of the room and a heap that fits it.
import { once } from "node:events";
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { defaultLimits } from "../../src/server/edge.ts";
import { parseUsd } from "../../src/money.ts";
import { catalogFile, catalogText, flatFee } from "../robustness/catalog.ts";
import { openWorld, type World } from "../robustness/world.ts";
import { until } from "../support/eventually.ts";
import { drawn, sized } from "../support/size.ts";
import type { SpawnedGateway } from "../support/gateway.ts";
import { startHangingHost } from "./hosts.ts";
import { watch, type Watched } from "./resident.ts";

const megabyte = 1024 * 1024;
/** See small-limits.ts. */
const room = defaultLimits.allBodiesBytes / 4;
/** MB: twice the room, for values and for all else. A process that ran out of it would end. */
const heapMax = (2 * room) / megabyte;
/** A body is held as it came, and once more on its way upstream; half as much for what waits to be collected. */
const perHeldByte = 2.5;

/** The host keeps calls for as long as it takes to read all of them. */
const patient = (catalog: string) => catalog.replace("protocol: openai", "protocol: openai, timeout_ms: 900000");
vi.setConfig({ testTimeout: 900_000 }); // hundreds of megabytes are read and judged, by a thread that gets a fortieth of a core where 25 others work
let world: World;
let host: Awaited<ReturnType<typeof startHangingHost>>;
let gateway: SpawnedGateway;
let watched: Watched;
beforeAll(async () => {
  host = await startHangingHost();
  world = await openWorld({ models: {} });
  const limits = fileURLToPath(new URL("./small-limits.ts", import.meta.url));
  gateway = await world.start({
    SVC_CATALOG: catalogFile(patient(catalogText(host.url, { slow: "slow" }, flatFee))),
    NODE_OPTIONS: `--import ${limits} --max-old-space-size=${heapMax}`,
  });
  watched = watch(gateway);
});
afterAll(async () => {
  await world.stop();
  host.close();
});

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** On a connection of its own. */
function open(key: string, body: Buffer): ClientRequest {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "content-length": body.length };
  const call = request(`${gateway.url}/v1/chat/completions`, { method: "POST", agent: false, headers });
  call.end(body);
  return call;
}

/** Rejects where the connection breaks without an answer. */
async function send(key: string, body: Buffer): Promise<Reply> {
  const [reply] = (await once(open(key, body), "response")) as [IncomingMessage];
  return { status: reply.statusCode!, headers: reply.headers, text: await textOf(reply) };
}

/** Sends them all at once, and has the host answer when each is with it or has been shed; `whileHeld` is called before that. */
async function flood(key: string, body: Buffer, times: number, whileHeld: (held: number) => Promise<void>): Promise<Reply[]> {
  let shed = 0;
  const replies = Array.from({ length: times }, async () => {
    const reply = await send(key, body);
    if (reply.status !== 200) shed += 1;
    return reply;
  });
  const all = Promise.all(replies);
  try {
    await Promise.race([all, until(() => host.waiting.length + shed === times, "each is held or shed", 870_000)]);
    await whileHeld(host.waiting.length);
  } finally {
    host.answerAll();
  }
  return all;
}

/** Some were served and are paid, the rest was told to come back and is not; nothing of any is left. */
async function expectFair(account: { accountId: bigint }, replies: readonly Reply[]): Promise<void> {
  const served = replies.filter(({ status }) => status === 200);
  const shed = replies.filter(({ status }) => status !== 200);
  expect(served.length).toBeGreaterThan(0);
  expect(shed.length).toBeGreaterThan(0);
  for (const { status, headers, text } of shed) {
    expect([status, (JSON.parse(text) as { error: { code: string } }).error.code]).toEqual([503, "overloaded"]);
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  }
  await until(async () => (await watched.figure("svc_request_body_bytes")) === 0, "all room is given back");
  const { rows } = await world.db.pool.query("select request_id from usage_log where account_id = $1 and status = 'success'", [
    account.accountId,
  ]);
  const idsOf = (some: readonly Reply[]) => some.map(({ headers }) => headers["x-request-id"]).sort();
  expect((rows as { request_id: string }[]).map(({ request_id }) => request_id).sort()).toEqual(idsOf(served));
  expect(await world.balance(account)).toMatchObject({ reserved: 0n, spent: BigInt(served.length) * parseUsd("0.01")! });
  expect(await world.audit()).toMatchObject({ holds_open: 0, reservations_open: 0, mismatches: [] });
}

const chatOf = (content: string, more = "") =>
  Buffer.from(`{"model":"demo/slow","messages":[{"role":"user","content":"${content}"}]${more}}`);
/** 64 fit into the room. */
const texts = { bytes: 2 * megabyte, times: sized(350, 150) };

test(`${texts.times} texts of 2 MB at once: 503 overloaded beyond the room for ${room / megabyte} MB, memory within ${perHeldByte} times that`, async () => {
  const [account, warming] = [await world.createAccount("1000"), await world.createAccount("1000")];
  const body = chatOf("x".repeat(texts.bytes));
  await flood(warming.key, body, 8, async () => undefined); // the thread that reads them has started
  const before = watched.now();
  watched.forgetPeak();
  const replies = await flood(account.key, body, texts.times, async (held) => {
    expect(held * body.length).toBeLessThanOrEqual(room);
    expect(await watched.figure("svc_request_body_bytes")).toBeLessThanOrEqual(room);
  });
  expect(watched.peak() - before).toBeLessThan(perHeldByte * room);
  await expectFair(account, replies);
});

const empties = (count: number) => chatOf("hi", `,"more":[${"{},".repeat(count)}0]`);

// 27 MB and 4.6 MB of the heap each: 320 MB and 460 MB together.
test.each<[string, Buffer, number]>(
  drawn([
    ["twelve bodies of 490,000 values, which a thread reads,", empties(490_000), 12],
    ["a hundred bodies of 83,000 values", empties(83_000), 100],
  ]),
)("%s at once: 503 overloaded beyond what their values take of the room, and the process lives", async (_title, body, times) => {
  const account = await world.createAccount("1000");
  const replies = await flood(account.key, body, times, async () => {
    expect(await watched.figure("svc_request_body_bytes")).toBeLessThanOrEqual(room);
  });
  await expectFair(account, replies);
});

test("clients that disconnect while theirs are read leave nothing in the room", async () => {
  const { key } = await world.createAccount("1000");
  const body = empties(490_000);
  const calls = Array.from({ length: 4 }, () => open(key, body).on("error", () => undefined));
  await until(async () => (await watched.figure("svc_request_body_bytes")) >= calls.length * body.length, "all of them have come");
  for (const call of calls) call.destroy();
  await until(async () => (await watched.figure("svc_http_requests_in_flight")) === 1, "they have ended");
  // Read after theirs, by the same thread.
  await flood(key, body, 1, async () => undefined);
  await until(async () => (await watched.figure("svc_request_body_bytes")) === 0, "all room is given back");
});
