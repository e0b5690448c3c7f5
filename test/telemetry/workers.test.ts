// Several workers behind one port: whichever answers /metrics shows the whole machine, and a dead worker's counts stay.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount } from "../../src/accounts/admin.ts";
import { connect, type Db } from "../../src/db/connect.ts";
import { postEntry } from "../../src/ledger/post.ts";
import { parseUsd } from "../../src/money.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { spawnGateway, type SpawnedGateway } from "../support/spawned-gateway.ts";
import { scrape, scrapeUntil } from "./scrape.ts";

let database: TestDatabase;
let db: Db;
let gateway: SpawnedGateway;
let key: string;

beforeAll(async () => {
  database = await freshDatabase();
  gateway = await spawnGateway({ DATABASE_URL: database.url, SVC_WORKERS: "2", LOG_LEVEL: "fatal" });
  db = connect(database.url, { max: 1 });
  const at = new Date();
  const { accountId, apiKey } = await createAccount(db, { email: "workers@example.com", verified: true, at });
  await postEntry(db, { accountId, kind: "deposit", amount: parseUsd("20")!, ref: "test", at });
  key = apiKey;
});
afterAll(async () => {
  await gateway.kill("SIGTERM");
  await db.close();
  await database.drop();
});

/** Each over a connection of its own: the workers take turns. */
async function chat(): Promise<void> {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close" },
    body: JSON.stringify({ model: "best", max_tokens: 5, messages: [{ role: "user", content: "Hello" }] }),
  });
  expect(reply.status).toBe(200);
  await reply.arrayBuffer();
}

const chats = { operation: "createChatCompletion", status: "200" };
const workers = () => readFileSync(`/proc/${gateway.pid}/task/${gateway.pid}/children`, "utf8").trim().split(" ").map(Number);

test("every scrape shows all calls and all money, whichever worker answers", async () => {
  for (let i = 0; i < 12; i += 1) await chat();
  const { rows } = await db.pool.query<{ cost: string; model: string }>("select model, sum(cost)::text as cost from usage_log group by 1");
  for (let i = 0; i < 6; i += 1) {
    const page = await scrape(gateway);
    expect(page.figure("svc_http_requests_total", chats)).toBe(12);
    expect(page.figure("svc_http_request_duration_seconds_count", chats)).toBe(12);
    expect(page.figure("svc_charged_usd_total", { model: rows[0]!.model })).toBeCloseTo(Number(rows[0]!.cost) / 1e8, 10);
    expect(page.figure("svc_database_up")).toBe(1);
    expect(page.all("svc_database_up")).toHaveLength(1);
  }
});

test("a worker that is killed leaves its counts: no counter ever falls", async () => {
  const counters = (text: string) => text.match(/^# TYPE (svc_\w+) counter$/gm)!.map((line) => line.split(" ")[2]!);
  const before = await scrape(gateway);
  const [first] = workers();
  process.kill(first!, "SIGKILL");
  await expect.poll(() => workers().length === 2 && !workers().includes(first!)).toBe(true);
  const after = await scrapeUntil(gateway, (page) => page.figure("svc_http_requests_total", chats) !== undefined);
  expect(after.figure("svc_http_requests_total", chats)).toBe(12);
  for (const name of counters(before.text))
    for (const { labels, value } of before.all(name)) expect(after.figure(name, labels)).toBeGreaterThanOrEqual(value);
  for (let i = 0; i < 4; i += 1) await chat();
  await scrapeUntil(gateway, (page) => page.figure("svc_http_requests_total", chats) === 16);
});
