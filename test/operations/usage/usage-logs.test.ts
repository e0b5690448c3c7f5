// GET /v1/auth/usage/logs over HTTP: what a row says of a request, which rows a filter matches, how pages follow one another; what of its tags a spreadsheet
// reads.
import { describe, expect, test } from "vitest";
import { createKey } from "../../../src/accounts/manage-keys.ts";
import { hello, chatWorld, language, prices } from "../chat/chat-gateway.ts";

const world = chatWorld(
  [
    language("demo/chat", ["chat"]),
    language("demo/counted", ["chat+sim-prompt-tokens-1001+sim-completion-tokens-7+sim-cached-333"]),
    language("demo/down", ["chat+sim-fail-503"]),
    language("demo/rejecting", ["chat+sim-reject-422"]),
    language("demo/cut", ["chat+sim-cut-after-5"]),
    language("demo/paced", ["chat+sim-pace-20ms+sim-tokens-500"]),
    language("demo/falling", ["chat+sim-fail-503"], { fallbacks: ["other/cheap"] }),
    language("other/cheap", ["cheap"], { pricing: { mode: "per-token", ...prices, input: 0.1 } }),
  ],
  { aliases: { best: "demo/chat" } },
);

type Account = Awaited<ReturnType<typeof world.account>>;

const list = (account: { key: string }, query = "") => world.gateway.request("GET", `/v1/auth/usage/logs${query}`, { key: account.key });
const rowsOf = async (account: { key: string }, query = ""): Promise<any[]> => {
  const { status, json } = await list(account, query);
  expect(status).toBe(200);
  return json.data;
};
const masked = ({ key }: { key: string }) => `${key.slice(0, 8)}…${key.slice(-4)}`;
const chatOf = async (account: Account, body: object) => {
  const reply = await world.chat(account, body);
  return reply.headers["x-request-id"]!;
};

describe("a row", () => {
  test("of an answer holds its tokens, its cost, the masked key and no provider", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/counted" });
    const rows = await rowsOf(account);
    expect(rows).toEqual([
      {
        ...{ id: expect.stringMatching(/^log_[0-9a-f]{44}$/), object: "usage.log", created_at: expect.any(String) },
        ...{ request_id: reply.headers["x-request-id"], key: masked(account), endpoint: "/v1/chat/completions", type: "language" },
        ...{ model: "demo/counted", served_model: null, alias: null, status: "success", http_status: 200, error: null },
        ...{ prompt_tokens: 1001, completion_tokens: 7, cached_tokens: 333, reasoning_tokens: 0, units: 1008, unit: "token" },
        ...{
          cost_usd: reply.json.usage.cost,
          latency_ms: expect.any(Number),
          ttft_ms: null,
          stream: false,
          fallback_layer: null,
          job_id: null,
        },
      },
    ]);
    expect(JSON.stringify(rows)).not.toContain("north");
  });

  test("of a stream says when its first token came; of an alias both names", async () => {
    const account = await world.account();
    await world.chat(account, { model: "best", stream: true });
    expect(await rowsOf(account)).toMatchObject([{ model: "demo/chat", alias: "best", stream: true, ttft_ms: expect.any(Number) }]);
  });

  test("of a fallback names the model that answered", async () => {
    const account = await world.account();
    await world.chat(account, { model: "demo/falling" });
    expect(await rowsOf(account)).toMatchObject([{ model: "demo/falling", served_model: "other/cheap", fallback_layer: 3 }]);
  });

  test.each([["demo/down"], ["demo/rejecting"]])(
    "of a failure holds the very code and sentence that the caller got (%s)",
    async (model) => {
      const account = await world.account();
      const { status, json } = await world.chat(account, { model });
      const { code, message } = json.error;
      expect(await rowsOf(account)).toMatchObject([{ status: "failed", http_status: status, error: { code, message }, cost_usd: 0 }]);
      expect(message).not.toMatch(/[[\]{}?]/);
    },
  );

  test("of an interrupted stream says so", async () => {
    const account = await world.account();
    const { text } = await world.chat(account, { model: "demo/cut", stream: true });
    const [row] = await rowsOf(account);
    expect(row).toMatchObject({ status: "failed", http_status: 200, error: { code: "stream_interrupted" }, cost_usd: 0 });
    expect(text).toContain(row.error.message);
  });

  test("of a client that disconnected counts as a success, for what was delivered", async () => {
    const account = await world.account();
    const leaving = new AbortController();
    const response = await fetch(`${world.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo/paced", messages: hello, stream: true }),
      signal: leaving.signal,
    });
    const reader = response.body!.getReader();
    for (let read = 0; read < 5; read++) await reader.read();
    leaving.abort();
    await reader.closed.catch(() => undefined);
    await expect.poll(() => rowsOf(account)).toMatchObject([{ status: "success", http_status: 499, error: null }]);
    expect(await rowsOf(account, "?status=success")).toHaveLength(1);
    expect(await rowsOf(account, "?status=failed")).toEqual([]);
  });
});

describe("filters", () => {
  test("each, and all of them together", async () => {
    const account = await world.account();
    const first = await chatOf(account, { model: "demo/chat" });
    const { secret, record } = await createKey(world.gateway.context.db, { accountId: account.accountId, name: "second", at: new Date() });
    const second = await chatOf({ ...account, key: secret }, { model: "demo/counted" });
    const failed = await chatOf(account, { model: "demo/down" });
    const ids = async (query: string) => (await rowsOf(account, query)).map(({ request_id }) => request_id);
    expect(await ids("")).toEqual([failed, second, first]);
    expect(await ids("?model=demo/chat")).toEqual([first]);
    expect(await ids("?model=demo%2Fnone")).toEqual([]);
    expect(await ids("?type=language")).toHaveLength(3);
    expect(await ids("?type=image")).toEqual([]);
    expect(await ids("?status=failed")).toEqual([failed]);
    expect(await ids("?status=success")).toEqual([second, first]);
    expect(await ids(`?key=${record.id}`)).toEqual([second]);
    expect(await ids(`?key=${encodeURIComponent(masked(account))}`)).toEqual([failed, first]);
    expect(await ids(`?key=${encodeURIComponent(masked(account))}&status=success&model=demo/chat&type=language`)).toEqual([first]);
    const times = (await rowsOf(account)).map(({ created_at }) => created_at);
    expect(await ids(`?from=${times[1]}`)).toEqual([failed, second]); // from is inclusive, to is not
    expect(await ids(`?to=${times[1]}`)).toEqual([first]);
    expect(await ids(`?from=${times[2]}&to=${times[0]}`)).toEqual([second, first]);
  });

  test("a deleted key still filters; an unknown one and another account's give an empty page", async () => {
    const account = await world.account();
    const other = await world.account();
    await chatOf(account, { model: "demo/chat" });
    const { db } = world.gateway.context;
    const keyOf = async (id: bigint) =>
      (await db.pool.query("select id from api_key where account_id = $1 and name = 'Default'", [id])).rows[0].id;
    const theirs = await keyOf(other.accountId);
    await chatOf(other, { model: "demo/chat" });
    for (const key of [`key_${theirs}`, masked(other), "key_999999999", "key_0", "nonsense", ""])
      expect((await list(account, `?key=${encodeURIComponent(key)}`)).json).toEqual({
        object: "list",
        data: [],
        has_more: false,
        last_id: null,
      });
    const spare = await createKey(db, { accountId: account.accountId, name: "spare", at: new Date() });
    await db.pool.query("update api_key set deleted_at = now() where account_id = $1 and name = 'Default'", [account.accountId]);
    for (const key of [`key_${await keyOf(account.accountId)}`, masked(account)])
      expect(await rowsOf({ key: spare.secret }, `?key=${encodeURIComponent(key)}`)).toMatchObject([{ key: masked(account) }]);
  });

  test("no account sees another's requests", async () => {
    const account = await world.account();
    await chatOf(account, { model: "demo/chat" });
    expect(await rowsOf(await world.account())).toEqual([]);
  });
});

describe("pages", () => {
  test("follow one another by last_id; the last one says that nothing follows", async () => {
    const account = await world.account();
    const made: string[] = [];
    for (let call = 0; call < 5; call++) made.unshift(await chatOf(account, { model: "demo/chat" }));
    const first = (await list(account, "?limit=2")).json;
    expect(first).toMatchObject({ has_more: true, last_id: first.data[1].id });
    const second = (await list(account, `?limit=2&after=${first.last_id}`)).json;
    const third = (await list(account, `?limit=2&after=${second.last_id}`)).json;
    expect([first, second, third].flatMap(({ data }) => data.map((row: any) => row.request_id))).toEqual(made);
    expect([second.has_more, third.has_more]).toEqual([true, false]);
    expect((await list(account, "?limit=5")).json.has_more).toBe(false);
    expect((await list(account, `?after=${third.last_id}`)).json).toEqual({ object: "list", data: [], has_more: false, last_id: null });
  });
});

describe("400 invalid_parameter", () => {
  test.each([
    ["limit", "0"],
    ["limit", "201"],
    ["limit", "1.5"],
    ["limit", "many"],
    ["after", "log_1"],
    ["after", "log_0195c1f2b1aa7d55"],
    ["after", `log_${"g".repeat(44)}`],
    ["after", ""],
    ["from", "yesterday"],
    ["from", "2026-13-01T00:00:00Z"],
    ["to", "2026-11-21"],
    ["to", "2026-12-31T23:59:60Z"],
    ["type", "tape"],
    ["status", "aborted"],
    ["key", `svc_${"0".repeat(50)}`],
  ])("%s=%s", async (param, value) => {
    const { status, json } = await list(await world.account(), `?${param}=${encodeURIComponent(value)}`);
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", param]);
  });
});

test("as CSV the sums have no text that a spreadsheet takes for a formula, whatever a caller's tag says; as JSON tags are as they were sent", async () => {
  const account = await world.account();
  const tags = ["-5:x", "=A1:x", "@a:1", "env:-prod"];
  await world.chat(account, { model: "demo/chat", metadata: Object.fromEntries(tags.map((tag) => tag.split(":"))) });
  const sums = (headers = {}) => world.gateway.request("GET", "/v1/usage/summary?group_by=tag", { key: account.key, headers });
  const { text } = await sums({ accept: "text/csv" });
  const lines = text.trimEnd().split("\r\n").slice(1);
  expect(lines.map((line: string) => line.split(",")[1]!).toSorted()).toEqual(["'-5:x", "'=A1:x", "'@a:1", "env:-prod"]);
  expect((await sums()).json.data.map(({ tag }: { tag: string }) => tag).toSorted()).toEqual(tags);
});
