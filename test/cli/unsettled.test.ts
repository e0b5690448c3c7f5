// Charges that the database was away for, for longer than a settlement waits: what callers owe anyway stands in the log of charges, and
// `svc ledger compare` finds it and posts it once.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, inTransaction } from "../../src/db/connect.ts";
import { ledgerTimes } from "../../src/ledger/times.ts";
import { postLost } from "../../src/ledger/compare-log.ts";
import { type ChatOptions, openChat } from "../robustness/chat-client.ts";
import { type DatabaseProxy, openDatabaseProxy } from "../robustness/database-proxy.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { scratchFolder } from "../support/leftovers.ts";
import { quickTimes } from "../support/quick-ledger.ts";
import { highTiers } from "../support/tiers.ts";
import { callSvc } from "./run-svc.ts";

const folder = scratchFolder("unsettled-");
const log = join(folder, "charges.jsonl");
const models = { paced: "paced+sim-pace-100ms+sim-tokens-30", slow: "slow+sim-slow-3000ms", quick: "quick" };
const catalog = JSON.stringify({
  providers: [{ id: "north", protocol: "openai", base_url: "simulator:/openai/v1" }],
  models: Object.entries(models).map(([name, model]) => ({
    ...{ id: `demo/${name}`, type: "language", context_window: 10_000, max_output_tokens: 1_000 },
    ...{ pricing: { mode: "per-token", input: 1, output: 2 }, routes: [{ provider: "north", model }] },
  })),
  tiers: highTiers(),
});

let database: TestDatabase;
let wire: DatabaseProxy;
let gateway: Gateway;
let account: TestAccount;
const logLines: string[] = [];
beforeAll(async () => {
  database = await freshDatabase();
  wire = await openDatabaseProxy(database.url);
  const ledger = { ...ledgerTimes, ...quickTimes, settleTimeoutMs: 1_000 };
  gateway = await startGateway({ catalog, databaseUrl: wire.url, ledger, env: { SVC_CHARGE_LOG: log }, logLines });
  account = await gateway.createAccount({ deposit: "1" });
});
afterAll(async () => {
  await gateway.stop();
  await wire.close();
  await database.drop();
});

interface Compared {
  lost: unknown[];
  unsettled: { request_id: string; usd: number }[];
  unsettled_usd: number;
  posted: number;
  unlogged: unknown[];
  unreadable: number;
}
const svc = (...words: string[]) => callSvc({ DATABASE_URL: database.url }, [...words, "--json"]);
const compare = async (...words: string[]) => {
  const ran = await svc("ledger", "compare", ...words);
  return { status: ran.status, ...(ran.json() as unknown as Compared) };
};

/** What came of a call, and its end. `begun`: its first byte is here. */
function open(requestId: string, options: Pick<ChatOptions, "model" | "stream">) {
  const call = openChat({ url: gateway.url, key: account.key, requestId, ...options });
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<{ status: number; text: string }>();
  let [status, text] = [0, ""];
  call.once("response", (reply) => {
    status = reply.statusCode!;
    reply.setEncoding("utf8");
    reply.on("error", () => undefined);
    reply.on("data", (piece: string) => {
      text += piece;
      begun.resolve();
    });
  });
  call.once("close", () => ended.resolve({ status, text }));
  return { call, begun: begun.promise, ended: ended.promise };
}

test("an answer that was streamed and a call that was left while the database was away are never lost: found by the log and posted once; a caller who got 503 owes nothing", async () => {
  expect(await open("settled", { model: "demo/quick" }).ended).toMatchObject({ status: 200 });
  const whole = open("refused", { model: "demo/slow" });
  const streamed = open("streamed", { model: "demo/paced", stream: true });
  const left = open("left", { model: "demo/paced", stream: true });
  await Promise.all([streamed.begun, left.begun]);
  await eventually(() => expect(gateway.simulator.calls().filter(({ outcome }) => outcome === "open")).toHaveLength(3));
  wire.cut();
  left.call.destroy();
  expect(await whole.ended).toMatchObject({ status: 503, text: expect.stringContaining("overloaded") });
  expect((await streamed.ended).text).toMatch(/"finish_reason":"(stop|length)"[^]*stream_interrupted/);
  const lines = () => readFileSync(log, "utf8").trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>); // prettier-ignore
  await eventually(() => expect(lines()).toHaveLength(3));
  expect(lines().map(({ request_id, unsettled }) => [request_id, unsettled])).toEqual([
    ["settled", undefined],
    ...["left", "streamed"].map((id) => [id, true]),
  ]);
  wire.restore();
  await eventually(async () => expect(await gateway.audit()).toMatchObject({ reservations_open: 0, holds_open: 0, mismatches: [] }));

  const before = await gateway.balance(account);
  const found = await compare(log);
  expect(found).toMatchObject({ status: 1, lost: [], unlogged: [], unreadable: 0, posted: 0 });
  expect(found.unsettled.map(({ request_id }) => request_id).sort()).toEqual(["left", "streamed"]);
  // The gateway's own log has them as well, for those who keep no log of charges.
  const own = join(folder, "own.jsonl");
  writeFileSync(own, logLines.filter((line) => line.includes('"unsettled":true')).join(""));
  expect(await compare(own)).toMatchObject({ unsettled: found.unsettled, unlogged: [], unreadable: 0 });

  expect(await compare(log, "--post")).toMatchObject({ status: 0, posted: 2 });
  expect(await compare(log, own, "--post")).toMatchObject({ status: 0, posted: 0, unsettled: [] });
  const { balance } = await gateway.balance(account);
  expect(Math.round((before.balance - balance) * 1e8)).toBe(Math.round(found.unsettled_usd * 1e8));
  expect(found.unsettled_usd).toBeGreaterThan(0);
  expect((await svc("ledger", "audit")).json()).toMatchObject({ mismatches: [] });
  expect((await svc("ledger", "verify")).json()).toMatchObject({ broken: null });
});

test("a charge that came through after all, when its answer was already given up, is not posted again", async () => {
  const line = readFileSync(log, "utf8").split("\n").find((one) => one.includes('"settled"'))!; // prettier-ignore
  const late = join(folder, "late.jsonl");
  writeFileSync(late, `${line.replace("}", ',"unsettled":true}')}\n`);
  expect(await compare(late, "--post")).toMatchObject({ status: 0, posted: 0, unsettled: [] });
  // Its commit may become visible between looking and posting.
  const { id, at } = JSON.parse(line) as { id: string; at: string };
  const db = connect(database.url, { max: 1 });
  const lost = { accountId: account.accountId, id, requestId: "settled", at: new Date(at), amount: 100n };
  expect(await inTransaction(db, (transaction) => postLost(transaction, lost, new Date()))).toBe("charged");
  await db.close();
});
