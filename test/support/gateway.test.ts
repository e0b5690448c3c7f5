// The harness itself, once in this process and once as an operator starts it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../src/db/connect.ts";
import { runSvc } from "../cli/run-svc.ts";
import { freshDatabase } from "./database.ts";
import { eventually } from "./eventually.ts";
import { checkedRequest, type Gateway, spawnGateway, startGateway } from "./gateway.ts";
import { memory } from "./memory.ts";

const catalog = `providers:
  - { id: north, protocol: openai, base_url: "simulator:/openai/v1" }
models:
  - id: demo/chat
    type: language
    context_window: 128000
    max_output_tokens: 1000
    pricing: { mode: per-token, input: 0.5, output: 1.5 }
    routes: [{ provider: north, model: upstream }]
`;

describe("startGateway", () => {
  let gateway: Gateway;
  beforeAll(async () => void (gateway = await startGateway({ catalog })));
  afterAll(() => gateway.stop());

  test("gives a funded account whose key works, and whose balance and audit agree", async () => {
    const account = await gateway.createAccount({ deposit: "20", credit: "1.5", signupCredit: true });
    const reply = await gateway.request("GET", "/v1/credits/balance", { key: account.key });
    expect(reply.status).toBe(200);
    expect(reply.json.balance).toBe(22);
    expect(await gateway.balance(account)).toEqual({ balance: 22, reserved: 0, spent: 0 });
    expect(await gateway.audit()).toMatchObject({ accounts: 1, entries: 3, mismatches: [] });
  });

  test("chats with the simulator and charges for it", async () => {
    const account = await gateway.createAccount({ deposit: "20" });
    const body = { model: "demo/chat", messages: [{ role: "user", content: "hello" }] };
    const reply = await gateway.request("POST", "/v1/chat/completions", { key: account.key, body });
    expect(reply.status).toBe(200);
    expect((await gateway.balance(account)).spent).toBeGreaterThan(0);
    expect((await gateway.audit()).mismatches).toEqual([]);
  });

  test("leaves nothing behind: a process of hundreds of test files stays small", async () => {
    const startAndStop = async () => {
      const one = await startGateway({ catalog });
      await one.stop();
    };
    await startAndStop(); // loads what is loaded once
    const before = memory();
    for (let n = 0; n < 4; n += 1) await startAndStop();
    // One is some 6 MB.
    await eventually(() => expect(memory() - before).toBeLessThan(6_000_000));
  });
});

describe("spawnGateway", () => {
  test("is ready at its line, works beside svc, and ends with 0 at SIGTERM", async () => {
    const database = await freshDatabase();
    const gateway = await spawnGateway({ DATABASE_URL: database.url });
    const created = await runSvc({ DATABASE_URL: database.url }, [
      "account",
      "create",
      "--email",
      "a@example.com",
      "--deposit",
      "5",
      "--json",
    ]);
    const reply = await checkedRequest(gateway.url, "GET", "/v1/credits/balance", { key: created.json().api_key as string });
    expect(reply.json.balance).toBe(5);
    expect(await gateway.kill("SIGTERM")).toBe(0);
    await database.drop();
  });

  test("kill -9 really ends the gateway: nothing answers, and a new one serves the same database", async () => {
    const database = await freshDatabase();
    const first = await spawnGateway({ DATABASE_URL: database.url });
    await first.kill("SIGKILL");
    await expect(fetch(first.url)).rejects.toThrow();
    const second = await spawnGateway({ DATABASE_URL: database.url });
    expect((await fetch(`${second.url}/readyz`)).status).toBe(200);
    await second.kill("SIGTERM");
    const db = connect(database.url, { max: 1 });
    expect((await db.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await db.close();
    await database.drop();
  });
});
