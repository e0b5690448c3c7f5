// One account floods the gateway while its upstream hangs: what is too much is shed before it costs anything, and nobody else notices.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSlots, openFairQuota } from "../../src/concurrency/slots.ts";
import { catalogText } from "../robustness/catalog.ts";
import { call, callers, chat as anyChat, head, openSocket, startEdge } from "../server/start-edge.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { startHangingHost } from "./hosts.ts";

const atWork = 16;
/** Three quarters of the places: see src/concurrency/slots.ts. */
const share = 12;

describe("503 overloaded: a flood of one account", () => {
  let gateway: Gateway;
  let host: Awaited<ReturnType<typeof startHangingHost>>;
  beforeAll(async () => {
    host = await startHangingHost();
    gateway = await startGateway({ catalog: catalogText(host.url, { slow: "slow" }), limits: { atWork } });
  });
  afterAll(async () => {
    await gateway.stop();
    host.close();
  });
  const chat = ({ key }: TestAccount, stream = false) =>
    gateway.request("POST", "/v1/chat/completions", {
      key,
      body: { model: "demo/slow", messages: [{ role: "user", content: "hi" }], stream },
    });
  const rowsOf = async ({ accountId }: TestAccount) =>
    (await gateway.context.db.pool.query("select status from usage_log where account_id = $1", [accountId])).rows;

  test("is shed beyond its share with Retry-After, free of charge; the others' calls, reads and probes go on", async () => {
    const flooding = await gateway.createAccount({ deposit: "10" });
    const others = await Promise.all([1, 2].map(() => gateway.createAccount({ deposit: "10" })));
    let shed = 0;
    const flood = Array.from({ length: 40 }, () =>
      chat(flooding).then((reply) => {
        if (reply.status === 503) shed += 1;
        return reply;
      }),
    );
    await expect.poll(() => [shed, host.waiting.length]).toEqual([40 - share, share]);
    for (const path of ["/healthz", "/readyz", "/metrics"]) expect((await gateway.request("GET", path)).status).toBe(200);
    expect((await gateway.request("GET", "/v1/models", { key: flooding.key })).status).toBe(200);
    const calm = others.map((account) => chat(account));
    await expect.poll(() => host.waiting.length).toBe(share + others.length);
    host.answerAll();
    expect((await Promise.all(calm)).map(({ status }) => status)).toEqual([200, 200]);
    const replies = await Promise.all(flood);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(replies.length - refused.length).toBe(share);
    for (const { json, headers } of refused) {
      expect(json.error.code).toBe("overloaded");
      expect(headers["x-should-retry"]).toBe("true");
      expect(Number(headers["retry-after"])).toBeGreaterThanOrEqual(3);
      expect(Number(headers["retry-after"])).toBeLessThanOrEqual(8);
    }
    expect(new Set(refused.map(({ headers }) => headers["retry-after"])).size).toBeGreaterThan(1);
    expect(await rowsOf(flooding)).toEqual(Array(share).fill({ status: "success" }));
    for (const account of [flooding, ...others]) expect(await gateway.balance(account)).toMatchObject({ reserved: 0 });
    expect((await gateway.audit()).mismatches).toEqual([]);
    // Every place has come back.
    const again = Array.from({ length: share }, () => chat(flooding));
    await expect.poll(() => host.waiting.length).toBe(share);
    host.answerAll();
    expect((await Promise.all(again)).every(({ status }) => status === 200)).toBe(true);
  });
});

test("a place goes back to the account it was taken from, also where its key is deleted meanwhile and another account's beside it counts", async () => {
  const edge = await startEdge({ limits: { atWork: 2 } });
  const short = { ...callers["svc_good"]!, accountId: 10n, keyId: 10n };
  callers["svc_other"] = { ...callers["svc_good"]!, accountId: 9n, keyId: 9n };
  const text = JSON.stringify({ ...anyChat, max_tokens: 5 });
  const typed = { "content-type": "application/json", "content-length": String(text.length) };
  const request = head("POST", "/v1/messages", { authorization: "Bearer svc_short", "x-api-key": "svc_other", ...typed });
  const atWork = async () => /^svc_requests_at_work (\d+)/m.exec((await call(edge, "/metrics")).text)![1];
  for (let round = 0; round < 3; round += 1) {
    callers["svc_short"] = short;
    const sockets = await Promise.all([1, 2].map(() => openSocket(edge.port)));
    for (const { send } of sockets) await send(request);
    await expect.poll(atWork).toBe("2");
    delete callers["svc_short"];
    // Longer than a look at the key holds (run-operation.ts).
    await new Promise((resolve) => setTimeout(resolve, 600));
    for (const { send, until, socket } of sockets) {
      await send(text);
      await until("HTTP/1.1 200");
      socket.destroy();
    }
    await expect.poll(atWork).toBe("0");
  }
  callers["svc_short"] = short;
  expect((await call(edge, "/v1/messages", { json: JSON.parse(text), headers: { "x-api-key": "svc_short" } })).status).toBe(200);
  await edge.close(200);
});

describe("shares", () => {
  const fill = (shares: ReturnType<typeof openFairQuota>, holder: bigint) => {
    let taken = 0;
    while (shares.take(holder, 1)) taken += 1;
    return taken;
  };
  test("one holder gets three quarters, the next one has room at once, and the last place is never one holder's", () => {
    const shares = openFairQuota(1_000);
    expect(fill(shares, 1n)).toBe(750);
    expect(fill(shares, 2n)).toBeGreaterThan(150);
    expect(fill(shares, 3n)).toBeGreaterThan(30);
    expect(shares.take(4n, 1)).toBe(true);
    expect(shares.taken()).toBeLessThan(1_000);
  });
  test("what is given back can be taken again; what does not fit takes nothing", () => {
    const shares = openFairQuota(10);
    expect([shares.take(1n, 11), shares.taken()]).toEqual([false, 0]);
    expect([shares.take(1n, 7), shares.take(1n, 3), shares.taken()]).toEqual([true, false, 7]);
    shares.giveBack(1n, 7);
    expect([shares.taken(), fill(shares, 1n)]).toEqual([0, 8]);
  });
});

describe("slots", () => {
  test("holders who wait are served in turn, each in its own order", () => {
    const slots = openSlots(1, 100);
    const order: string[] = [];
    for (const name of ["a0", "a1", "a2", "b0", "b1", "c0"]) expect(slots.take(() => order.push(name), name[0]!)).not.toBe(false);
    for (let n = 0; n < 6; n += 1) slots.release(order[n]![0]!);
    expect(order).toEqual(["a0", "a1", "b0", "c0", "a2", "b1"]);
    expect([slots.taken(), slots.waiting()]).toEqual([0, 0]);
  });
  test("a flood waits although slots are free, and another holder gets one at once", () => {
    const slots = openSlots(8, 100);
    let ran = 0;
    for (let n = 0; n < 20; n += 1) slots.take(() => (ran += 1), 1n);
    expect([ran, slots.waiting()]).toEqual([6, 14]);
    let other = false;
    slots.take(() => (other = true), 2n);
    expect(other).toBe(true);
    for (let n = 0; n < 20; n += 1) slots.release(1n);
    slots.release(2n);
    expect([ran, slots.taken(), slots.waiting()]).toEqual([20, 0, 0]);
  });
  test("places to wait are shared as well", () => {
    const slots = openSlots(1, 8);
    const stay = () => undefined;
    slots.take(stay, 1n);
    const given = Array.from({ length: 10 }, () => slots.take(stay, 1n)).filter((leave) => leave !== false);
    expect(given).toHaveLength(6);
    expect(slots.take(stay, 2n)).not.toBe(false);
    given[0]!();
    given[0]!();
    expect(slots.waiting()).toBe(6);
  });
});
