// Settings that operators change while the gateway runs: they hold in every process without a restart, until they are taken back.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { followSettings } from "../../../src/operators/changed-settings.ts";
import { callSvc } from "../../cli/run-svc.ts";
import { type Gateway, startGateway, type TestAccount, type TestReply } from "../../support/gateway.ts";
import { newOperator } from "../../support/operators.ts";
import { password, type SignInGateway, startSignInGateway } from "../../support/sign-in.ts";

const env = { SVC_SIGNUP_CREDIT: "1.25", SVC_DISPOSABLE_DOMAINS: "trash.example" };
let first: SignInGateway;
let second: Gateway;
let admin: { account: TestAccount; key: string };
beforeAll(async () => {
  first = await startSignInGateway(env);
  second = await startGateway({ databaseUrl: first.databaseUrl, env });
  admin = await newOperator(first, "admin");
});
afterAll(async () => {
  const audited = await first.audit();
  await second.stop();
  await first.stop();
  expect(audited.mismatches).toEqual([]);
});

const none = {
  ...{ sign_up: null, sign_up_domains: null, signup_credit_usd: null },
  ...{ disposable_domains: null, suspend_on_dispute: null, notice: null },
};
const change = (body: object, key = admin.key) =>
  first.request("PATCH", "/v1/operator/settings", { key, body: { reason: "a test", ...body } });
const read = async (gateway: Gateway = first) => (await gateway.request("GET", "/v1/operator/settings", { key: admin.key })).json;
const named = async (name: string) => (await read()).data.find((one: { name: string }) => one.name === name);
const codeOf = ({ status, json }: TestReply) => [status, json.error?.code, json.error?.param];
const actionsOn = async (target: string) =>
  (await first.request("GET", `/v1/operator/audit?action=setting.change&target=${target}`, { key: admin.key })).json.data;
const modeOf = async (gateway: Gateway) => (await gateway.request("GET", "/v1/auth/options")).json.sign_up;

beforeEach(async () => expect((await change(none)).status).toBe(200));

describe("PATCH /v1/operator/settings", () => {
  test("closes the sign-up in every process at once, whatever the environment says, and null opens it again", async () => {
    expect((await first.signUp(first.newEmail())).status).toBe(201);
    expect((await change({ sign_up: "closed" })).json.changeable.sign_up).toBe("closed");
    expect(codeOf(await first.signUp(first.newEmail()))).toEqual([403, "signup_closed", "email"]);
    await expect.poll(() => modeOf(second)).toBe("closed");
    const body = { email: first.newEmail(), password };
    expect(codeOf(await second.request("POST", "/v1/auth/signup", { body }))).toEqual([403, "signup_closed", "email"]);
    await change({ sign_up: null });
    expect((await first.signUp(first.newEmail())).status).toBe(201);
    await expect.poll(() => modeOf(second)).toBe("open");
  });

  test("a gateway that starts later has them from its first request on", async () => {
    await change({ sign_up: "invite" });
    const later = await startGateway({ databaseUrl: first.databaseUrl });
    expect(await modeOf(later)).toBe("invite");
    await later.stop();
  });

  test("domains: only those listed may sign up, in capitals too; an empty list is any, even where the environment has a list", async () => {
    await change({ sign_up_domains: ["Example.com"] });
    expect((await first.request("GET", "/v1/auth/options")).json.sign_up_domains).toEqual(["example.com"]);
    expect((await first.signUp(first.newEmail())).status).toBe(201);
    expect(codeOf(await first.signUp("ada@other.example"))).toEqual([403, "signup_closed", "email"]);
    const listed = await startGateway({ databaseUrl: first.databaseUrl, env: { SVC_SIGNUP_DOMAINS: "corp.example" } });
    await change({ sign_up_domains: [] });
    await expect.poll(async () => (await listed.request("GET", "/v1/auth/options")).json.sign_up_domains).toBe(null);
    await change({ sign_up_domains: null });
    const ofListed = async () => (await listed.request("GET", "/v1/auth/options")).json.sign_up_domains;
    await expect.poll(ofListed).toEqual(["corp.example"]);
    await listed.stop();
  });

  test("disposable email domains come on top of those of the environment, subdomains included", async () => {
    await change({ disposable_domains: ["mailinator.example", "mailinator.example"] });
    for (const domain of ["trash.example", "mailinator.example", "a.mailinator.example"])
      expect([domain, (await first.signUp(`ada@${domain}`)).status]).toEqual([domain, 403]);
    expect(await named("SVC_DISPOSABLE_DOMAINS")).toMatchObject({ value: "2 domains", environment_value: "1 domains", source: "operator" });
    expect((await read()).changeable.disposable_domains).toEqual(["mailinator.example"]);
    await change({ disposable_domains: null });
    expect((await first.signUp("ada@mailinator.example")).status).toBe(201);
    expect((await first.signUp("ada@trash.example")).status).toBe(403);
  });

  test("the signup credit is given exactly, to who verifies from now on, and by svc too", async () => {
    await change({ signup_credit_usd: 0.12345678 });
    expect((await first.signUpVerified(first.newEmail())).json.credit_granted_usd).toBe(0.12345678);
    const made = await callSvc({ DATABASE_URL: first.databaseUrl, ...env }, [
      ...["account", "create", "--email", first.newEmail(), "--verified", "--signup-credit", "--json"],
    ]);
    const { rows } = await first.context.db.pool.query("select earned from balance where account_id = $1", [
      (made.json() as { account_id: string }).account_id.slice(4),
    ]);
    expect(rows).toEqual([{ earned: 12_345_678n }]);
    await change({ signup_credit_usd: 0 });
    expect((await first.signUpVerified(first.newEmail())).json.credit_granted_usd).toBe(0);
    await change({ signup_credit_usd: null });
    expect((await first.signUpVerified(first.newEmail())).json.credit_granted_usd).toBe(1.25);
  });

  test("the notice is told to everyone, without a key, until it is empty", async () => {
    const noticeOf = async (gateway: Gateway) => (await gateway.request("GET", "/v1/auth/options")).json.notice;
    await change({ notice: "Maintenance on Sunday" });
    expect(await noticeOf(first)).toBe("Maintenance on Sunday");
    await expect.poll(() => noticeOf(second)).toBe("Maintenance on Sunday");
    expect(await named("SVC_NOTICE")).toMatchObject({ value: "Maintenance on Sunday", environment_value: null });
    await change({ notice: "" });
    expect(await noticeOf(first)).toBe(null);
  });

  test("each setting that changes is a row of the log, with who, from where, before and after; what stays is none", async () => {
    const before = (await actionsOn("SVC_SIGNUP")).length;
    await change({ sign_up: "invite", signup_credit_usd: 2, reason: "a wave of fake accounts" });
    await change({ sign_up: "invite" });
    const rows = await actionsOn("SVC_SIGNUP");
    expect(rows).toHaveLength(before + 1);
    expect(rows[0]).toMatchObject({
      ...{ who: admin.account.email, role: "admin", address: "127.0.0.1", target: "SVC_SIGNUP", reason: "a wave of fake accounts" },
      before: { value: "open", source: "environment" },
      after: { value: "invite", source: "operator" },
    });
    expect((await actionsOn("SVC_SIGNUP_CREDIT"))[0]).toMatchObject({ before: { value: 1.25 }, after: { value: 2 } });
    const shown = await named("SVC_SIGNUP");
    expect(shown).toEqual({
      ...{ name: "SVC_SIGNUP", source: "operator", secret: false, value: "invite", field: "sign_up", environment_value: "open" },
      ...{ changed_at: rows[0].created_at, changed_by: admin.account.email },
    });
    await change({ sign_up: null });
    expect((await actionsOn("SVC_SIGNUP"))[0]).toMatchObject({
      before: { value: "invite", source: "operator" },
      after: { value: "open", source: "environment" },
    });
    expect(await named("SVC_SIGNUP")).toMatchObject({ source: "default", value: "open", changed_at: null, changed_by: null });
  });

  test("400 names the field that is wrong; nothing of the request is changed", async () => {
    for (const [field, value, param = field] of [
      ["sign_up", "no"],
      ["sign_up_domains", "example.com"],
      ["sign_up_domains", ["example.com", "not a domain"], "sign_up_domains[1]"],
      ["disposable_domains", ["localhost"], "disposable_domains[0]"],
      ["signup_credit_usd", -1],
      ["signup_credit_usd", 1001],
      ["signup_credit_usd", 1e-9],
      ["suspend_on_dispute", "on"],
      ["notice", "two\nlines"],
      ["notice", "left\u202eright"],
      ["notice", "x".repeat(301)],
      ["SVC_SIGNUP", "closed"],
      ["stripe", true],
      ["reason", " "],
    ] as [string, unknown, string?][])
      expect([field, value, ...codeOf(await change({ suspend_on_dispute: true, [field]: value }))]).toEqual([
        ...[field, value],
        ...[400, "invalid_parameter", param],
      ]);
    expect((await first.context.db.pool.query("select from setting")).rowCount).toBe(0);
  });

  test("support and finance read alone; to anyone else the path does not exist; 403 confirmation_required for an old session", async () => {
    for (const role of ["support", "finance"] as const) {
      const { key } = await newOperator(first, role);
      expect((await first.request("GET", "/v1/operator/settings", { key })).status).toBe(200);
      expect(codeOf(await change({ sign_up: "closed" }, key)).slice(0, 2)).toEqual([403, "permission_denied"]);
    }
    const { token } = await first.createSession(await first.createAccount());
    expect(codeOf(await change({ sign_up: "closed" }, token)).slice(0, 2)).toEqual([404, "endpoint_not_found"]);
    const old = await newOperator(first, "admin");
    await first.context.db.pool.query("update session set created_at = created_at - interval '15 minutes' where account_id = $1", [
      old.account.accountId,
    ]);
    expect(codeOf(await change({ sign_up: "closed" }, old.key)).slice(0, 2)).toEqual([403, "confirmation_required"]);
    expect(await modeOf(first)).toBe("open");
  });

  test("of two changes at once each row of the log says what was before it", async () => {
    const before = new Set((await actionsOn("SVC_SIGNUP_CREDIT")).map(({ id }: { id: string }) => id));
    await Promise.all([1, 2, 3, 4].map((usd) => change({ signup_credit_usd: usd })));
    const rows = (await actionsOn("SVC_SIGNUP_CREDIT")).filter(({ id }: { id: string }) => !before.has(id)).reverse();
    expect(rows).toHaveLength(4);
    rows.reduce((was: number, row: { before: { value: number }; after: { value: number } }) => {
      expect(row.before.value).toBe(was);
      return row.after.value;
    }, 1.25);
  });
});

test("a setting of a later version, stored in the same database, is left alone", async () => {
  await first.context.db.pool.query("insert into setting (field, value, changed_at, changed_by) values ('later', '1', now(), 'ada')");
  const followed = await followSettings({
    ...{ db: first.context.db, environment: readConfig({}) },
    onFault: (error) => {
      throw error;
    },
  });
  expect(followed.config.signUp.mode).toBe("open");
  await followed.close();
  expect((await change({ sign_up: "closed" })).status).toBe(200);
  const { rows } = await first.context.db.pool.query("delete from setting where field = 'later' returning value");
  expect(rows).toEqual([{ value: 1 }]);
});

describe("svc settings", () => {
  const svc = (...words: string[]) => callSvc({ DATABASE_URL: first.databaseUrl, ...env }, ["settings", ...words]);

  test("set holds in running gateways and is a row of the log; list shows it; reset takes it back", async () => {
    const set = await svc("set", "SVC_SIGNUP", "closed", "--reason", "fakes", "--json");
    expect(set.json().settings).toContainEqual({
      ...{ name: "SVC_SIGNUP", field: "sign_up", value: "closed" },
      ...{ changed_at: expect.any(String), changed_by: expect.stringMatching(/^svc \(/) },
    });
    await expect.poll(() => modeOf(first)).toBe("closed");
    expect((await actionsOn("SVC_SIGNUP"))[0]).toMatchObject({ reason: "fakes", role: null, after: { value: "closed" } });
    await svc("set", "SVC_DISPOSABLE_DOMAINS", "a.example,b.example");
    await svc("set", "SVC_SIGNUP_DOMAINS", "");
    await svc("set", "SVC_SUSPEND_ON_DISPUTE", "1");
    const { stdout } = await svc("list");
    expect(stdout).toMatch(/^SVC_SIGNUP closed, set by svc \(.*\) at 20/m);
    expect(stdout).toMatch(/^SVC_DISPOSABLE_DOMAINS a\.example,b\.example, set by/m);
    expect(stdout).toMatch(/^SVC_SIGNUP_DOMAINS none, set by/m);
    expect(stdout).toMatch(/^SVC_SIGNUP_CREDIT 1\.25$/m);
    expect((await svc("reset", "sign_up")).stdout).toMatch(/^SVC_SIGNUP open$/m);
    await expect.poll(() => modeOf(first)).toBe("open");
    expect((await read()).changeable.suspend_on_dispute).toBe(true);
  });

  test.each([
    ["a name that needs a restart", ["set", "SVC_NAME", "Acme"]],
    ["a value that it can't have", ["set", "SVC_SIGNUP", "no"]],
    ["no value", ["set", "SVC_SIGNUP_CREDIT", ""]],
    ["a domain that is none", ["set", "SVC_SIGNUP_DOMAINS", "localhost"]],
  ])("2 for %s", async (_, words) => {
    expect(await svc(...words)).toMatchObject({ status: 2 });
    expect((await first.context.db.pool.query("select from setting")).rowCount).toBe(0);
  });
});
