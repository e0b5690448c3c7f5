// Accounts may be spread over several Postgres: no statement of the hot paths touches two accounts' shards once a batcher's batch is grouped
// by shard. Postgres itself watches the real gateway while it serves accounts of three shards at once (deploy/scale-out.md).
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../src/db/connect.ts";
import { uuidv7 } from "../../src/ids.ts";
import { audit } from "../../src/ledger/audit.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { usageLogRow } from "../support/usage-log-row.ts";
import { shardOf, shards } from "./shard-guard.ts";
import { ofAllAccounts, type Sharded, shardQueries } from "./sharded-queries.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const messages = [{ role: "user", content: "Hello" }];
let gateway: Gateway;
let sharded: Sharded;
let accounts: TestAccount[];

async function begin(grouped: boolean): Promise<void> {
  gateway = await startGateway();
  accounts = [];
  for (let count = 0; count < 2 * shards; count += 1) accounts.push(await gateway.createAccount({ deposit: "200" }));
  expect(new Set(accounts.map(({ accountId }) => shardOf(accountId))).size).toBe(shards);
  sharded = await shardQueries(gateway.context.db, { grouped });
}

/** The audit reads all accounts: past the guard. */
async function mismatches(): Promise<unknown[]> {
  const db = connect(gateway.databaseUrl, { max: 1 });
  try {
    return (await audit(db)).mismatches;
  } finally {
    await db.close();
  }
}

async function end(): Promise<void> {
  await sharded.remove();
  await gateway.stop();
}

/** All accounts do it at the same time, so that batches hold several shards. */
async function everyone(method: string, path: string, body?: object, status = 200): Promise<Awaited<ReturnType<Gateway["request"]>>[]> {
  const replies = await Promise.all(accounts.map(({ key }) => gateway.request(method, path, { key, ...(body && { body }) })));
  expect(replies.map((reply) => reply.status)).toEqual(accounts.map(() => status));
  return replies;
}

describe("batches grouped by shard", () => {
  beforeAll(() => begin(true));
  afterAll(end);

  test("calls, jobs and reads of accounts on three shards at once: every statement keeps to one shard", async () => {
    const chats = await everyone("POST", "/v1/chat/completions", { model: "best", messages });
    await everyone("POST", "/v1/chat/completions", { model: "best", messages, stream: true });
    await everyone("POST", "/v1/messages", { model: "best", messages, max_tokens: 20 });
    await everyone("POST", "/v1/embeddings", {
      model: gateway.context.catalog.listed.find(({ type }) => type === "embedding")!.id,
      input: "Hello",
    });
    await everyone("POST", "/v1/audio/speech", { input: "Hello" });
    const submitted = await everyone("POST", "/v1/images/generations", { model: "pixa/budget", prompt: "A boat" }, 202);
    await Promise.all(
      submitted.map(async (reply, index) => {
        const key = accounts[index]!.key;
        const job = await gateway.request("GET", `/v1/jobs/${(reply.json as { id: string }).id}?wait=25`, { key });
        expect(job.json).toMatchObject({ status: "succeeded" });
        const receipt = await gateway.request("GET", `/v1/usage/${chats[index]!.headers["x-request-id"]}`, { key });
        expect(receipt.status).toBe(200);
      }),
    );
    for (const path of ["usage/logs", "limits", "keys"]) await everyone("GET", `/v1/auth/${path}`);
    await everyone("GET", "/v1/credits/balance");
    await everyone("GET", "/v1/credits/ledger");
    await everyone("GET", "/v1/jobs");
    await Promise.all(
      accounts.map(async (account) => {
        const { token } = await gateway.createSession(account);
        const made = await gateway.request("POST", "/v1/auth/keys", { key: token, body: { name: "second" } });
        expect(made.status).toBe(200);
      }),
    );

    expect(sharded.crossings).toEqual([]);
    expect(await mismatches()).toEqual([]);
    const watched = [...sharded.watched].join("\n");
    for (const name of [
      "admit_calls(",
      "ledger_reserve(",
      "ledger_settle(",
      "rate_take(",
      "media_submit(",
      "media_finish(",
      "usage_log",
      "ledger_entry",
      "api_key",
    ])
      expect(watched).toContain(name);
  });

  test("a statement over all accounts is caught, and so is a transaction of two", async () => {
    const { pool } = gateway.context.db;
    await expect(pool.query("select sum(amount) from ledger_entry")).rejects.toMatchObject({ code: "SH001" });
    await expect(pool.query("update api_key set name = 'x' where id > 0")).rejects.toMatchObject({ code: "SH001" });
    const client = await pool.connect();
    const read = (account: TestAccount) => client.query("select 1 from balance where account_id = $1", [account.accountId]);
    await client.query("begin");
    await read(accounts[0]!);
    await expect(read(accounts[1]!)).rejects.toMatchObject({ code: "SH001" });
    await client.query("rollback");
    client.release();
  });
});

describe("batches as they are", () => {
  beforeAll(() => begin(false));
  afterAll(end);

  test("one of two shards is caught: grouping is what is needed, and no more than that", async () => {
    const { ledger, limits } = gateway.context;
    const pair = accounts.slice(0, 2).map(({ accountId }) => ({ accountId, id: uuidv7(new Date()) }));
    const at = new Date();
    await Promise.all(pair.map(({ accountId, id }) => ledger.reserve({ accountId, id, want: 10n, least: 10n })));
    await Promise.all(
      pair.map(({ accountId, id }) => ledger.settle({ accountId, id, log: usageLogRow({ accountId, id, cost: 5n, at, reserved: 10n }) })),
    );
    const take = { bucket: "rpm", seconds: 60, amount: 1, limit: 10 };
    await Promise.allSettled(pair.map(({ accountId }) => limits.counters.take([{ accountId, ...take }])));
    const one = { keyId: null, want: 1n, windows: [take] };
    await Promise.allSettled(pair.map(async ({ accountId }) => ledger.admit({ ...one, accountId, id: uuidv7(at) })));
    for (const name of ["admit_calls(", "ledger_reserve(", "ledger_settle(", "rate_take("])
      expect(sharded.crossings.some((text) => text.includes(name))).toBe(true);
    expect(await mismatches()).toEqual([]);
  });
});

test("what asks of all accounts is named, and still asked", () => {
  const files = globSync("src/**/*.ts", { cwd: root }).filter((file) => !file.includes("migrations"));
  const sources = files.map((file) => readFileSync(join(root, file), "utf8"));
  const notAsked = Object.keys(ofAllAccounts).filter((part) => !sources.some((text) => text.includes(part)));
  expect(notAsked).toEqual([]);
});
