// GET /v1/usage/summary over HTTP: what it refuses, with the parameter's name, and what of an operator's question it does not hear.
import { expect, test } from "vitest";
import { chatWorld, language } from "../chat/chat-gateway.ts";

const world = chatWorld([language("demo/chat", ["chat"])]);
const ask = ({ key }: { key: string }, query: string) => world.gateway.request("GET", `/v1/usage/summary${query}`, { key });

test.each([
  ["timezone", "timezone=Mars/Olympus"],
  ["timezone", "timezone=Mars/Olympus&bucket=all"],
  ["timezone", "timezone=%2B05:00"],
  ["timezone", "timezone=Factory"],
  ["from", "from=2026-11-21T10:00:00Z&to=2026-11-21T10:00:00Z"],
  ["from", "from=2026-11-21T10:00:61Z"],
  ["from", "bucket=hour&from=2020-01-01T00:00:00Z"],
  ["from", "bucket=hour&from=0001-01-01T00:00:00Z"],
  ["from", "bucket=day&from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z"],
  ["group_by", "group_by=model,model"],
  ["group_by", "group_by=color"],
  ["group_by", "group_by=model,key,operation,status"],
  ["after", "after=sum_abc"],
  ["after", `group_by=model&after=sum_${Buffer.from("[1]").toString("base64url")}`],
  ["bucket", "bucket=week"],
  ["order", "order=cost"],
  ["limit", "limit=1001"],
  ["member", "member=ada"],
  ["member", "member=usr_00"],
  ...["route", "provider", "account"].map((group) => ["group_by", `group_by=${group}`]),
])("400 invalid_parameter names %s: %s", async (param, query) => {
  const { status, json } = await ask(await world.account(), `?${query}`);
  expect([status, json.error.code, json.error.param.split(/[.[]/)[0]]).toEqual([400, "invalid_parameter", param]);
});

test("400 invalid_parameter: a whole key, which addresses would keep, without repeating it", async () => {
  const account = await world.account();
  const { status, text } = await ask(account, `?key=${account.key}`);
  expect(status).toBe(400);
  expect(text).not.toContain(account.key);
});

test("the filters of operators are no parameters here: another account's id, a provider and a route change nothing and show nothing", async () => {
  const [account, other] = [await world.account(), await world.account()];
  for (const caller of [account, other, other]) expect((await world.chat(caller, { model: "demo/chat" })).status).toBe(200);
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const to = new Date().toISOString();
  const own = await ask(account, `?from=${from}&to=${to}`);
  expect(own.json.total.requests).toBe(1);
  for (const more of [`account=${other.id}`, "provider=nowhere", "provider=north", "route=north/chat", "route=nowhere/chat"]) {
    const { status, text } = await ask(account, `?from=${from}&to=${to}&${more}`);
    expect([status, text]).toEqual([200, own.text]);
  }
});
