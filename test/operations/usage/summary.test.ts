// GET /v1/usage/summary over HTTP: what a row sums up, how it is grouped, filtered, paged and written. What it refuses: summary-refusals.test.ts.
import { describe, expect, test } from "vitest";
import { createKey } from "../../../src/accounts/manage-keys.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { rolledUp } from "../../support/rolled-up.ts";
import { chatWorld, language } from "../chat/chat-gateway.ts";

const world = chatWorld([
  language("demo/chat", ["chat"]),
  language("demo/counted", [
    "chat+sim-prompt-tokens-1001+sim-completion-tokens-7+sim-cached-333+sim-cache-write-100+sim-reasoning-tokens-3",
  ]),
  language("demo/down", ["chat+sim-fail-503"]),
]);

const ask = ({ key }: { key: string }, query = "", headers = {}) =>
  world.gateway.request("GET", `/v1/usage/summary${query}`, { key, headers });
const summaryOf = async (account: { key: string }, query = ""): Promise<any> => {
  const { status, json } = await ask(account, query);
  expect(status).toBe(200);
  return json;
};
const pick = (rows: any[], ...names: string[]) => rows.map((row) => names.map((name) => row[name]));
const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString();
const newKey = async ({ accountId }: TestAccount) => {
  const { secret, record } = await createKey(world.gateway.context.db, { accountId, name: "second", at: new Date() });
  return { id: record.id, key: secret };
};

test("a row sums up the requests of a day: tokens by kind, charges as in the receipts, errors; the total is of the same", async () => {
  const account = await world.account();
  const replies = [
    await world.chat(account, { model: "demo/counted" }),
    await world.chat(account, { model: "demo/counted", stream: true }),
  ];
  await world.chat(account, { model: "demo/down" });
  const costs = await Promise.all(
    replies.map(async (reply) => {
      const { json } = await world.gateway.request("GET", `/v1/usage/${reply.headers["x-request-id"]}`, { key: account.key });
      return json.charge.cost_usd as number;
    }),
  );
  const { data, total, ...rest } = await summaryOf(account);
  expect(rest).toEqual({
    ...{ object: "usage.summary", from: expect.any(String), to: expect.any(String), bucket: "day", timezone: "UTC", group_by: [] },
    ...{ has_more: false, last_id: expect.stringMatching(/^sum_/) },
  });
  const { start, ...figures } = data[0];
  expect(data).toHaveLength(1);
  expect(start).toMatch(/T00:00:00.000Z$/);
  expect(figures).toEqual(total);
  expect(total).toMatchObject({ requests: 3, errors: 1, prompt_tokens: 2002, cached_tokens: 666, cache_write_tokens: 200 });
  expect(total).toMatchObject({ completion_tokens: 14, reasoning_tokens: 6, cost_usd: Number((costs[0]! + costs[1]!).toFixed(8)) });
  for (const name of ["latency_p50_ms", "latency_p95_ms", "ttft_p50_ms", "ttft_p95_ms"]) expect(total[name]).toBeGreaterThan(0);
});

test("without requests there are no rows, sums are 0 and durations null, which is not 0", async () => {
  const { data, total, last_id } = await summaryOf(await world.account());
  expect([data, last_id]).toEqual([[], null]);
  expect(total).toMatchObject({ requests: 0, errors: 0, cost_usd: 0, latency_p50_ms: null, ttft_p95_ms: null });
  const account = await world.account();
  await world.chat(account, { model: "demo/chat" });
  expect((await summaryOf(account)).total).toMatchObject({ requests: 1, latency_p50_ms: expect.any(Number), ttft_p50_ms: null });
});

describe("group_by", () => {
  test("model, status, operation and key, three at once: each combination is a row, in their order", async () => {
    const account = await world.account();
    const second = await newKey(account);
    await world.chat(account, { model: "demo/chat" });
    await world.chat(account, { model: "demo/down" });
    await world.chat({ ...account, key: second.key }, { model: "demo/chat" });
    const { group_by, data } = await summaryOf(account, "?group_by=model,status,operation");
    expect(group_by).toEqual(["model", "status", "operation"]);
    expect(pick(data, "model", "status", "operation", "requests", "errors")).toEqual([
      ["demo/chat", "success", "createChatCompletion", 2, 0],
      ["demo/down", "failed", "createChatCompletion", 1, 1],
    ]);
    expect("key" in data[0]).toBe(false);
    const byKey = (await summaryOf(account, "?group_by=key")).data;
    expect(pick(byKey, "requests").flat().sort()).toEqual([1, 2]);
    expect(byKey.map((row: any) => row.key)).toContain(second.id);
  });

  test("the same before and after the calls are in the sums of the log", async () => {
    const account = await world.account();
    for (const model of ["demo/chat", "demo/counted", "demo/down"]) await world.chat(account, { model, stream: model === "demo/chat" });
    const questions = [
      "",
      "?group_by=model,key",
      "?bucket=hour&timezone=Asia/Kolkata",
      "?bucket=month&timezone=America/St_Johns",
      `?from=${hourAgo()}`,
    ];
    const all = async () => Promise.all(questions.map(async (question) => ({ ...(await summaryOf(account, question)), from: "", to: "" })));
    const before = await all();
    expect(await rolledUp(world.gateway.context.db)).toBeGreaterThan(0);
    expect(await all()).toEqual(before);
    await world.chat(account, { model: "demo/chat" });
    expect((await summaryOf(account)).total.requests).toBe(4);
  });
});

test("filters combine; what matches nothing sums to 0; another account's key too", async () => {
  const [account, other] = [await world.account(), await world.account()];
  await world.chat(account, { model: "demo/chat" });
  await world.chat(account, { model: "demo/down" });
  await world.chat(other, { model: "demo/chat" });
  const masked = ({ key }: { key: string }) => encodeURIComponent(`${key.slice(0, 8)}…${key.slice(-4)}`);
  const counts = async (query: string) => (await summaryOf(account, query)).total.requests;
  for (const rolled of [false, true]) {
    if (rolled) await rolledUp(world.gateway.context.db);
    expect(await counts("?model=demo/chat")).toBe(1);
    expect(await counts("?status=failed")).toBe(1);
    expect(await counts("?status=failed&model=demo/chat")).toBe(0);
    expect(await counts("?operation=createChatCompletion")).toBe(2);
    expect(await counts("?operation=createEmbeddings")).toBe(0);
    expect(await counts(`?key=${masked(account)}`)).toBe(2);
    expect(await counts(`?key=${masked(other)}`)).toBe(0);
    expect(await counts(`?to=${hourAgo()}`)).toBe(0);
  }
});

describe("tags", () => {
  const tagged = async () => {
    const account = await world.account();
    await world.chat(account, { model: "demo/chat", user: "u-1", metadata: { env: "prod", team: "a" } });
    await world.chat(account, { model: "demo/down", metadata: { env: "prod" } });
    await world.chat(account, { model: "demo/chat", stream: true, metadata: { env: "test" } });
    await world.chat(account, { model: "demo/chat" });
    return account;
  };
  const logged = async (account: { key: string }, query: string): Promise<any[]> => {
    const { status, json } = await world.gateway.request("GET", `/v1/auth/usage/logs${query}`, { key: account.key });
    expect(status).toBe(200);
    return json.data;
  };

  test("metadata and user of a request are in its row, which is found by any of them, before and after it is summed up", async () => {
    const account = await tagged();
    for (const rolled of [false, true]) {
      if (rolled) await rolledUp(world.gateway.context.db);
      expect((await logged(account, "")).map(({ tags }) => tags)).toEqual([
        ...[undefined, { env: "test" }, { env: "prod" }, { user: "u-1", env: "prod", team: "a" }],
      ]);
      expect(pick(await logged(account, "?tag=env:prod"), "model").flat()).toEqual(["demo/down", "demo/chat"]);
      expect(pick(await logged(account, "?tag=env:prod&status=success"), "model").flat()).toEqual(["demo/chat"]);
      expect(await logged(account, "?tag=env:prod&limit=1")).toHaveLength(1);
      expect(await logged(account, "?tag=user:u-1")).toHaveLength(1);
      expect(await logged(account, "?tag=env:none")).toEqual([]);
      expect(await logged(await world.account(), "?tag=env:prod")).toEqual([]);
    }
  });

  test("group_by=tag: a request counts for each of its tags and once in the total; tag_key chooses the tags, tag the requests", async () => {
    const account = await tagged();
    for (const rolled of [false, true]) {
      if (rolled) await rolledUp(world.gateway.context.db);
      const all = await summaryOf(account, "?group_by=tag");
      expect(pick(all.data, "tag", "requests", "errors")).toEqual([
        ...[["env:prod", 2, 1], ["env:test", 1, 0], ["team:a", 1, 0], ["user:u-1", 1, 0]], // prettier-ignore
      ]);
      expect(all.total).toEqual((await summaryOf(account)).total);
      const some = await summaryOf(account, "?group_by=tag,status&tag_key=env");
      expect(pick(some.data, "tag", "status", "requests")).toEqual([
        ...[["env:prod", "failed", 1], ["env:prod", "success", 1], ["env:test", "success", 1]], // prettier-ignore
      ]);
      expect(some.total.requests).toBe(4);
      const one = await summaryOf(account, "?group_by=model&tag=env:prod");
      expect([pick(one.data, "model", "requests"), one.total.requests]).toEqual([[["demo/chat", 1], ["demo/down", 1]], 2]); // prettier-ignore
      expect((await summaryOf(account, "?group_by=tag&tag=env:test")).total.requests).toBe(1);
      expect((await summaryOf(account, "?tag=env:none")).total.requests).toBe(0);
    }
  });

  test("user_id of Anthropic's metadata is the user; what is too long, too much or no plain value is left out", async () => {
    const account = await world.account();
    const messages = [{ role: "user", content: "Hello" }];
    const anthropic = { model: "demo/chat", max_tokens: 5, messages, metadata: { user_id: "u-2" } };
    expect((await world.gateway.request("POST", "/v1/messages", { key: account.key, body: anthropic })).status).toBe(200);
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${index}`, "v"]));
    await world.chat(account, {
      model: "demo/chat",
      metadata: { ["k".repeat(65)]: "v", long: "v".repeat(513), deep: { a: 1 }, n: 5, half: "\ud800", ...many },
    });
    const [row, first] = await logged(account, "");
    expect(first.tags).toEqual({ user: "u-2" });
    expect(Object.keys(row.tags)).toHaveLength(16);
    expect(row.tags).toMatchObject({ n: "5", half: "\ufffd", k0: "v" });
    for (const name of ["long", "deep", "k".repeat(65)]) expect(row.tags).not.toHaveProperty(name);
  });
});

const csvNames = [
  ...[
    "start",
    "model",
    "requests",
    "errors",
    "prompt_tokens",
    "cached_tokens",
    "cache_write_tokens",
    "completion_tokens",
    "reasoning_tokens",
  ],
  ...["cost_usd", "latency_p50_ms", "latency_p95_ms", "ttft_p50_ms", "ttft_p95_ms"],
];

test("pages follow one another, and their total is of all; CSV and lines of JSON have the same rows", async () => {
  const account = await world.account();
  for (const model of ["demo/chat", "demo/counted", "demo/down"]) await world.chat(account, { model });
  const whole = await summaryOf(account, "?group_by=model");
  const pages: any[] = [];
  for (let after = ""; ;) {
    const page = await summaryOf(account, `?group_by=model&limit=1${after}`);
    expect(page.total).toEqual(whole.total);
    pages.push(...page.data);
    if (!page.has_more) break;
    after = `&after=${page.last_id}`;
  }
  expect(pages).toEqual(whole.data);
  const csv = await ask(account, "?group_by=model", { accept: "text/csv" });
  expect([csv.status, csv.headers["content-type"]]).toEqual([200, "text/csv; charset=utf-8"]);
  const [names, ...lines] = csv.text.trimEnd().split("\r\n").map((line: string) => line.split(",")); // prettier-ignore
  expect(names).toEqual(csvNames);
  expect(whole.data.filter((row: any) => row.ttft_p50_ms === null)).not.toEqual([]); // an empty field
  expect(lines).toEqual(whole.data.map((row: any) => csvNames.map((name) => (row[name] === null ? "" : String(row[name])))));
  const first = await ask(account, "?group_by=model&limit=2", { accept: "application/x-ndjson" });
  expect(first.headers["content-type"]).toBe("application/x-ndjson; charset=utf-8");
  const next = new URL(/^<(.*)>; rel="next"$/.exec(first.headers.link!)![1]!);
  const second = await ask(account, next.search, { accept: "application/x-ndjson" });
  expect(second.headers.link).toBeUndefined();
  const records = (first.text + second.text).trimEnd().split("\n").map((line: string) => JSON.parse(line)); // prettier-ignore
  expect(records).toEqual(whole.data);
});

test("group_by=member, and member: the person who created the key, before and after the calls are in the sums; null where no member did", async () => {
  const account = await world.account();
  const { key: other } = await newKey(account);
  const made = await newKey(account);
  const person = await world.account();
  const { pool } = world.gateway.context.db;
  await pool.query("update api_key set created_by = $2 where id = (select max(id) from api_key where account_id = $1)", [
    account.accountId,
    person.accountId,
  ]);
  const { rows } = await pool.query("select 'usr_' || replace(user_id::text, '-', '') as id from account where id = $1", [
    person.accountId,
  ]);
  const { id } = rows[0];
  for (const key of [account.key, other, made.key, made.key]) await world.chat({ ...account, key }, { model: "demo/chat" });
  const checkAll = async () => {
    const { data } = await summaryOf(account, "?group_by=member,model");
    expect(pick(data, "member", "model", "requests")).toEqual([
      [null, "demo/chat", 2],
      [id, "demo/chat", 2],
    ]);
    expect(pick((await summaryOf(account, `?member=${id}&group_by=key`)).data, "key", "requests")).toEqual([[made.id, 2]]);
    expect((await summaryOf(account, `?member=${id.replace(/.$/, (last: string) => (last === "0" ? "1" : "0"))}`)).total.requests).toBe(0);
    expect((await summaryOf(person, `?member=${id}`)).total.requests).toBe(0);
    expect((await ask(account, "?group_by=member", { accept: "text/csv" })).text).toContain(`,${id},2,0,`);
    const first = await summaryOf(account, "?group_by=member&limit=1");
    expect((await summaryOf(account, `?group_by=member&limit=1&after=${first.last_id}`)).data).toMatchObject([{ member: id }]);
  };
  await checkAll();
  await rolledUp(world.gateway.context.db);
  await checkAll();
});

test("bucket=all is one period, from the beginning of the time on; order=cost begins with the highest cost", async () => {
  const account = await world.account();
  for (const model of ["demo/chat", "demo/counted", "demo/down"]) await world.chat(account, { model });
  const { data, from } = await summaryOf(account, "?bucket=all&order=cost&group_by=model");
  expect(pick(data, "start", "model")).toEqual(["counted", "chat", "down"].map((name) => [from, `demo/${name}`]));
});

test("a session may ask too", async () => {
  const account = await world.account();
  await world.chat(account, { model: "demo/chat" });
  const { token } = await world.gateway.createSession(account);
  expect((await summaryOf({ key: token })).total.requests).toBe(1);
});
