// What operators read beside accounts and calls: the log as a file, media jobs, sums over all accounts, settings.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKey } from "../../../src/accounts/manage-keys.ts";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { endJob, endJobsOf, newJob, pngFile } from "../../support/media-jobs.ts";
import { newOperator } from "../../support/operators.ts";
import { rolledUp } from "../../support/rolled-up.ts";

let gateway: Gateway;
let admin: { account: TestAccount; key: string };
let support: typeof admin;
const secret = "whsec_of_a_payment_provider";
beforeAll(async () => {
  gateway = await startGateway({
    env: { STRIPE_SECRET_KEY: "sk_test_1", STRIPE_WEBHOOK_SECRET: secret, SVC_SIGNUP_CREDIT: "1.25", OTEL_SERVICE_NAME: "//ada:pass@x" },
  });
  admin = await newOperator(gateway, "admin");
  support = await newOperator(gateway, "support");
});
afterAll(() => gateway.stop());

const get = (path: string, accept?: string) =>
  gateway.request("GET", `/v1/operator/${path}`, { key: support.key, ...(accept === undefined ? {} : { headers: { accept } }) });
const codeOf = ({ status, json }: { status: number; json: { error?: { code: string; param?: string } } }) => [
  status,
  json.error?.code,
  json.error?.param,
];
const newKeyOf = (accountId: bigint) => createKey(gateway.context.db, { accountId, name: "second", at: new Date() });
const searchOf = (link: string) => /^<[^>]*(\?[^>]*)>; rel="next"$/.exec(link)![1]!;

test("the log of actions is a file by Accept: CSV and lines of JSON, a page at a time", async () => {
  const account = await gateway.createAccount();
  for (const what of ["suspend", "resume"])
    await gateway.request("POST", `/v1/operator/accounts/${account.id}/${what}`, { key: admin.key, body: { reason: 'a "test", twice' } });
  const { json } = await get(`audit?target=${account.id}`);
  const csv = await get(`audit?target=${account.id}`, "text/csv");
  expect(csv.headers).toMatchObject({ "content-type": "text/csv; charset=utf-8", vary: expect.stringContaining("Accept") });
  const [names, newest] = csv.text.split("\r\n");
  expect(names).toBe("id,created_at,who,role,address,session,action,target,reason,before,after,request_id");
  expect(newest).toContain("account.resume,acc_");
  expect(newest).toContain('"a ""test"", twice"');
  const first = await get(`audit?target=${account.id}&limit=1`, "application/x-ndjson");
  const second = await get(`audit${searchOf(first.headers.link!)}`, "application/x-ndjson");
  expect(second.headers.link).toBeUndefined();
  const rows = (first.text + second.text).trimEnd().split("\n").map((line) => JSON.parse(line) as unknown); // prettier-ignore
  expect(rows).toEqual(json.data);
  expect(rows).toHaveLength(2);
  expect((await get("audit?target=nothing", "text/csv")).text).toBe(`${names}\r\n`);
});

describe("media jobs of all accounts", () => {
  test("are found by account, status, kind and model, newest first, a page at a time", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    const failed = await newJob(gateway, account);
    await endJob(gateway, account, failed, { to: "failed", code: "content_policy", message: "No.", word: "content_policy_violation" });
    const done = await newJob(gateway, account);
    await endJob(gateway, account, done, { to: "succeeded", files: [pngFile("a.png")] });
    const ids = async (filter: string) => (await get(`jobs?${filter}`)).json.data.map(({ id }: { id: string }) => id) as string[];
    const mine = `account=${account.id}`;
    expect(await ids(mine)).toEqual([done.shownId, failed.shownId]);
    expect(await ids(`${mine}&status=failed`)).toEqual([failed.shownId]);
    expect(await ids(`${mine}&kind=video`)).toEqual([]);
    expect(await ids(`${mine}&model=demo/image`)).toHaveLength(2);
    expect(await ids(`limit=2`)).toEqual([done.shownId, failed.shownId]);
    expect(await ids(`${mine}&to=${new Date(Date.now() - 3_600_000).toISOString()}`)).toEqual([]);
    expect(await ids(`${mine}&from=${new Date(Date.now() - 3_600_000).toISOString()}`)).toHaveLength(2);
    const first = (await get(`jobs?${mine}&limit=1`)).json;
    expect(first).toMatchObject({ has_more: true, last_id: done.shownId });
    expect(await ids(`${mine}&after=${first.last_id}`)).toEqual([failed.shownId]);
    const { json } = await get(`jobs/${failed.shownId}`);
    expect(json).toMatchObject({
      ...{ object: "operator.job", id: failed.shownId, account_id: account.id, email: account.email, status: "failed", refunded_usd: 0.04 },
      ...{ error: { code: "content_policy", message: "No.", word: "content_policy_violation" }, files: [] },
    });
    expect(json.ledger.map(({ type }: { type: string }) => type)).toEqual(["hold", "hold_release"]);
    expect((await get(`jobs/${done.shownId}`)).json).toMatchObject({ charged_usd: 0.04, files: [expect.stringContaining("/media/a.png")] });
    await endJobsOf(gateway, account);
  });

  test("404 job_not_found: an id of no job", async () => {
    for (const id of ["job_1", `job_${"0".repeat(32)}`])
      expect(codeOf(await get(`jobs/${id}`)).slice(0, 2)).toEqual([404, "job_not_found"]);
  });

  test("400 invalid_parameter: without an account at most 31 days are searched", async () => {
    const from = new Date(Date.now() - 40 * 24 * 3_600_000).toISOString();
    expect(codeOf(await get(`jobs?from=${from}`))).toEqual([400, "invalid_parameter", "from"]);
    expect((await get(`jobs?from=${from}&account=acc_1`)).status).toBe(200);
    expect(codeOf(await get("jobs?status=lost"))).toEqual([400, "invalid_parameter", "status"]);
    expect(codeOf(await get("jobs?after=req_1"))).toEqual([400, "invalid_parameter", "after"]);
  });
});

describe("the sums over all accounts", () => {
  const chat = (account: TestAccount, model = "north/chat-small") =>
    gateway.request("POST", "/v1/chat/completions", {
      key: account.key,
      body: { model, max_tokens: 5, messages: [{ role: "user", content: "hello" }] },
    });

  test("are grouped by account, provider and route, with what providers charge; those of one account are its own", async () => {
    const [one, other] = [await gateway.createAccount({ deposit: "5" }), await gateway.createAccount({ deposit: "5" })];
    for (const account of [one, other, other]) expect((await chat(account)).status).toBe(200);
    const { json } = await get("usage/summary?group_by=account,provider,route&model=north/chat-small");
    const rows = json.data.filter(({ account }: { account: string }) => [one.id, other.id].includes(account));
    expect(rows.map(({ account, requests }: { account: string; requests: number }) => [account, requests])).toEqual([
      [one.id, 1],
      [other.id, 2],
    ]);
    const [row] = rows;
    expect(row.route.startsWith(`${row.provider}/`)).toBe(true);
    const { cost_usd: charged, provider_cost_usd: cost, revenue_without_cost_usd: unmatched } = row;
    if (cost !== null) expect(row.margin_usd).toBeCloseTo(charged - unmatched - cost, 8);
    else expect(unmatched).toBe(charged);
    const own = (await gateway.request("GET", "/v1/usage/summary", { key: other.key })).json.total;
    expect((await get(`usage/summary?account=${other.id}`)).json.total).toMatchObject(own);
    expect((await get(`usage/summary?account=${other.id}&provider=${row.provider}&route=${row.route}`)).json.total.requests).toBe(2);
    expect((await get(`usage/summary?account=${other.id}&provider=nowhere`)).json.total.requests).toBe(0);
    const csv = await get(`usage/summary?group_by=account&account=${one.id}`, "text/csv");
    expect(csv.text).toMatch(/^start,account,requests,.*,provider_cost_usd,margin_usd,revenue_without_cost_usd\r\n.*,acc_/);
    const first = await get("usage/summary?group_by=account&limit=1", "application/x-ndjson");
    const next = await get(`usage/summary${searchOf(first.headers.link!)}`, "application/x-ndjson");
    expect((JSON.parse(next.text) as { account: string }).account).not.toBe((JSON.parse(first.text) as { account: string }).account);
  });

  test("by member, of a member and of a key of any account, before and after the calls are in the sums; null where no member did", async () => {
    const { pool } = gateway.context.db;
    const accounts = await Promise.all([1, 2, 3].map(() => gateway.createAccount({ deposit: "5" })));
    const [one, other, person] = accounts.toSorted((a, b) => (a.id < b.id ? -1 : 1)); // as the rows are
    const made = await Promise.all([one!, one!, other!].map(({ accountId }) => newKeyOf(accountId)));
    const ids = made.map(({ record }) => Number(record.id.slice("key_".length)));
    await pool.query("update api_key set created_by = $2 where id = any($1)", [ids, person!.accountId]);
    const { rows } = await pool.query("select 'usr_' || replace(user_id::text, '-', '') as id from account where id = $1", [
      person!.accountId,
    ]);
    const member = rows[0].id as string;
    for (const key of [...made.map(({ secret: key }) => key), one!.key]) expect((await chat({ ...one!, key })).status).toBe(200);
    const counts = async (query: string) => {
      const { json } = await get(`usage/summary?${query}`);
      const ofThese = json.data.filter((row: { account: string }) => [one!.id, other!.id].includes(row.account));
      const groups = ofThese.map(({ account, member: by, key, requests }: Record<string, unknown>) => [
        account,
        by === undefined ? key : by,
        requests,
      ]);
      return [json.total.requests, ...groups] as [number, ...unknown[]];
    };
    for (const rolled of [false, true]) {
      if (rolled) await rolledUp(gateway.context.db);
      expect((await counts("group_by=account,member")).slice(1)).toEqual([
        [one!.id, null, 1],
        [one!.id, member, 2],
        [other!.id, member, 1],
      ]);
      expect(await counts(`group_by=account,member&member=${member}`)).toEqual([3, [one!.id, member, 2], [other!.id, member, 1]]);
      const [first, , last] = made.map(({ record }) => record);
      expect(await counts(`group_by=account,key&key=${last!.id}`)).toEqual([1, [other!.id, last!.id, 1]]);
      expect(await counts(`group_by=account,key&key=${encodeURIComponent(first!.masked)}`)).toEqual([1, [one!.id, first!.id, 1]]);
      expect(await counts(`member=${member}&key=${first!.id}`)).toEqual([1]);
      expect(await counts(`member=${member}&account=${other!.id}`)).toEqual([1]);
      expect(await counts(`account=${one!.id}&key=${last!.id}`)).toEqual([0]);
      expect(await counts(`member=usr_${"0".repeat(32)}`)).toEqual([0]);
      const csv = (await get(`usage/summary?group_by=account,member&account=${one!.id}`, "text/csv")).text.split("\r\n");
      expect(csv.slice(1, 3).map((line) => line.split(",").slice(1, 4))).toEqual([
        [one!.id, "", "1"],
        [one!.id, member, "2"],
      ]);
    }
    const refused = await get(`usage/summary?key=${made[0]!.secret}`);
    expect(codeOf(refused)).toEqual([400, "invalid_parameter", "key"]);
    expect(refused.text).not.toContain(made[0]!.secret);
  });

  test("by cost: the groups of the whole time, the dearest first, in one page", async () => {
    const whole = (await get("usage/summary?bucket=all&group_by=account")).json;
    expect(new Set(whole.data.map(({ start }: { start: string }) => start))).toEqual(new Set([whole.from]));
    const { data, total, has_more, last_id } = (await get("usage/summary?bucket=all&order=cost&group_by=account&limit=2")).json;
    const costs = whole.data.map(({ cost_usd }: { cost_usd: number }) => cost_usd).toSorted((a: number, b: number) => b - a);
    expect(data.map(({ cost_usd }: { cost_usd: number }) => cost_usd)).toEqual(costs.slice(0, 2));
    expect({ total: total.cost_usd, has_more, last_id }).toEqual({ total: whole.total.cost_usd, has_more: true, last_id: null });
    expect((await get("usage/summary?bucket=all&order=cost&group_by=account&limit=2", "text/csv")).headers.link).toBeUndefined();
  });

  test("400 invalid_parameter: an unknown group, a group twice, no account's or member's id, by cost over several periods or a second page", async () => {
    for (const [query, param] of [
      ["group_by=color", "group_by[0]"],
      ["group_by=account,account", "group_by"],
      ["account=ada@example.com", "account"],
      ["member=ada", "member"],
      ["order=cost", "order"],
      ["order=size", "order"],
      [`bucket=all&order=cost&after=sum_${"A".repeat(4)}`, "after"],
    ])
      expect(codeOf(await get(`usage/summary?${query}`))).toEqual([400, "invalid_parameter", param]);
  });
});

describe("settings", () => {
  test("say what is in force and whether the environment sets it; a secret is never shown, an address without its password", async () => {
    const { json, text } = await get("settings");
    const named = (name: string) => json.data.find((one: { name: string }) => one.name === name);
    const unchanged = { field: null, changed_at: null, changed_by: null };
    const credit = { name: "SVC_SIGNUP_CREDIT", source: "env", secret: false, value: "1.25", environment_value: "1.25" };
    expect(named("SVC_SIGNUP_CREDIT")).toEqual({ ...unchanged, ...credit, field: "signup_credit_usd" });
    const name = { name: "SVC_NAME", source: "default", secret: false, value: "Gateway", environment_value: "Gateway" };
    expect(named("SVC_NAME")).toEqual({ ...unchanged, ...name });
    const hook = { name: "STRIPE_WEBHOOK_SECRET", source: "env", secret: true, value: null, environment_value: null };
    expect(named("STRIPE_WEBHOOK_SECRET")).toEqual({ ...unchanged, ...hook });
    expect(named("SVC_METRICS_TOKEN")).toMatchObject({ source: "default", secret: true, value: null });
    expect(named("OTEL_SERVICE_NAME")).toMatchObject({ value: "//x" });
    for (const hidden of [secret, "sk_test_1", "pass"]) expect(text).not.toContain(hidden);
  });

  test("are all that the operator's guide lists", async () => {
    const names = new Set((await get("settings")).json.data.map(({ name }: { name: string }) => name));
    const guide = readFileSync(new URL("../../../src/docs/guides/operator.md", import.meta.url), "utf8");
    const rows = /## Settings\n([^]*?)\n## /
      .exec(guide)![1]!
      .split("\n")
      .filter((line) => line.startsWith("| `"));
    const listed = rows.flatMap((row) => [...row.split("|")[1]!.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name!));
    expect(listed.length).toBeGreaterThan(30);
    expect(listed.filter((name) => !names.has(name) && !name.startsWith("SVC_SIGNIN_"))).toEqual([]);
  });
});
