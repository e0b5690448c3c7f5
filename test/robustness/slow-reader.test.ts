// A client that takes nothing while its answer comes: the upstream is paused, memory stays bounded, and it ends, by
// itself after a while or when the client disconnects.
import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { catalogText } from "./catalog.ts";
import { chat, openChat } from "./chat-client.ts";
import { memory } from "../support/memory.ts";

const megabyte = 1024 * 1024;
const recordBytes = 65_536;
/** 100 MB. */
const records = 1_600;
const models = {
  stream: `stream+sim-big-${recordBytes}+sim-tokens-${records}`,
  // Above what the socket's buffers take, below what the gateway takes of one answer.
  whole: `whole+sim-big-${recordBytes}+sim-tokens-400`,
};
/**
 * What may be under way: the kernel's buffers of two loopback connections (up to 6 MB sent and 6 MB received each,
 * most of it outside this process) and what three HTTP parts in this process hold back each.
 */
const underWayMax = 30 * megabyte;

let gateway: Gateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startGateway({ catalog: catalogText("simulator:", models), limits: { stalledReaderMs: 2_000 } });
  account = await gateway.createAccount({ deposit: "100" });
});
afterAll(() => gateway.stop());

const upstreamCall = (model: string) => gateway.simulator.calls().findLast((call) => call.model === model);
const lastRow = async () =>
  (
    await gateway.context.db.pool.query(
      "select status, output_tokens::int as output from usage_log where account_id = $1 order by created_at desc limit 1",
      [account.accountId],
    )
  ).rows[0] as { status: string; output: number } | undefined;
const inFlight = async () => Number(/^svc_http_requests_in_flight (\d+)/m.exec((await gateway.request("GET", "/metrics")).text)![1]) - 1; // not this one

/** Asks, takes the head, and never reads. */
async function askAndStall(model: string, stream: boolean) {
  const call = openChat({ url: gateway.url, key: account.key, model: `demo/${model}`, stream });
  const reply = await new Promise<IncomingMessage>((resolve) => call.once("response", resolve));
  reply.on("error", () => undefined);
  reply.pause();
  return { call, reply };
}

describe("a client that reads nothing of a stream of 100 MB", () => {
  test("pauses the upstream after a few megabytes; when it leaves, it pays for what was on its way to it", async () => {
    const before = memory();
    const { call } = await askAndStall("stream", true);
    const sent = await standsStill(() => upstreamCall(models.stream)!.records);
    expect(sent * recordBytes).toBeLessThan(underWayMax);
    expect(memory() - before).toBeLessThan(underWayMax);
    call.destroy();
    await until(() => upstreamCall(models.stream)!.outcome === "aborted", "the upstream call is closed");
    await until(async () => (await lastRow()) !== undefined, "the request is logged");
    const row = (await lastRow())!;
    expect(row.status).toBe("aborted");
    // Counted by characters here: a token of the simulator is 64 KB wide. Never above the reservation.
    expect(row.output).toBeGreaterThan(0);
    expect(row.output).toBeLessThanOrEqual((upstreamCall(models.stream)!.records * recordBytes) / 4);
    expect(await gateway.balance(account)).toMatchObject({ reserved: 0 });
  });

  test("is cut off when it has stalled for too long, and the upstream with it", async () => {
    const { call } = await askAndStall("stream", true);
    const closed = new Promise((resolve) => call.once("close", resolve));
    await until(() => upstreamCall(models.stream)!.outcome === "aborted", "the upstream call is closed");
    await until(async () => (await gateway.balance(account)).reserved === 0, "its reservation has ended");
    call.destroy();
    await closed;
  });

  test("loses nothing when it only pauses: every byte comes once it reads on", async () => {
    const { reply } = await askAndStall("stream", true);
    await new Promise((resolve) => setTimeout(resolve, 500));
    let bytes = 0;
    let end = "";
    for await (const piece of reply) {
      bytes += (piece as Buffer).length;
      end = (end + String(piece)).slice(-16);
    }
    expect(bytes).toBeGreaterThan(records * recordBytes);
    expect(end.endsWith("data: [DONE]\n\n")).toBe(true);
    expect(await lastRow()).toEqual({ status: "success", output: records });
  });
});

describe("a client that reads nothing of a whole answer of 25 MB", () => {
  test("is cut off when it has stalled for too long; the answer was made, and is paid", async () => {
    const { call } = await askAndStall("whole", false);
    await until(async () => (await inFlight()) === 0, "the request has ended");
    expect(await lastRow()).toEqual({ status: "success", output: 400 });
    call.destroy();
  });

  test("a slow one that reads on in time gets it all", async () => {
    const answer = await chat({ url: gateway.url, key: account.key, model: "demo/whole" });
    expect({ status: answer.status, whole: answer.whole }).toEqual({ status: 200, whole: true });
    expect(answer.text.length).toBeGreaterThan(400 * recordBytes);
  });
});

/** A counter's value once it has stood still for half a second. */
async function standsStill(read: () => number): Promise<number> {
  for (let last = -1; ;) {
    const now = read();
    if (now === last) return now;
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
