// What operators' operations refuse: a session that was not confirmed lately, wrong fields, unknown accounts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { newOperator } from "../../support/operators.ts";

let gateway: Gateway;
let admin: { account: TestAccount; key: string };
beforeAll(async () => {
  gateway = await startGateway();
  admin = await newOperator(gateway, "admin");
});
afterAll(() => gateway.stop());

const codeOf = ({ status, json }: { status: number; json: { error?: { code: string } } }) => [status, json.error?.code];
const get = (path: string) => gateway.request("GET", `/v1/operator/${path}`, { key: admin.key });
const post = (path: string, body: object, key = admin.key) =>
  gateway.request("POST", `/v1/operator/${path}`, { key, body: { reason: "a test", ...body } });

test("403 confirmation_required: without a confirmed session nothing is changed, whatever the change", async () => {
  const { account, key } = await newOperator(gateway, "admin");
  const target = await gateway.createAccount({ deposit: "5" });
  await gateway.context.db.pool.query("update session set created_at = now() - interval '15 minutes' where account_id = $1", [
    account.accountId,
  ]);
  const changes: [string, object][] = [
    [`accounts/${target.id}/adjust`, { amount_usd: 1 }],
    [`accounts/${target.id}/suspend`, {}],
    [`accounts/${target.id}/resume`, {}],
    [`accounts/${target.id}/tier`, { tier: 2 }],
    ["calls/req_any/refund", {}],
    ["jobs/job_any/cancel", {}],
    ["operators", { account: target.id, role: "support" }],
    ["operators/remove", { account: admin.account.id }],
    ["accounts", { email: "new@example.com" }],
    ["ledger/audit", {}],
    ["catalog/apply", { text: "models: []", expected_version: 0 }],
    ["catalog/revert", { expected_version: 0 }],
    ["vouchers", { amount_usd: 1 }],
    ["vouchers/vou_any/end", {}],
    ["voucher-batches/1/end", {}],
  ];
  for (const [path, body] of changes) expect([path, ...codeOf(await post(path, body, key))]).toEqual([path, 403, "confirmation_required"]);
  expect(await gateway.balance(target)).toMatchObject({ balance: 5 });
  expect((await get(`audit?target=${target.id}`)).json.data).toEqual([]);
});

test("400 invalid_parameter: lists name the query that is wrong", async () => {
  for (const query of [
    "accounts?limit=0",
    "accounts?after=led_1",
    "accounts?status=gone",
    "audit?limit=1001",
    "audit?from=2026-01-01T00:00:61Z",
  ])
    expect([query, ...codeOf(await get(query))]).toEqual([query, 400, "invalid_parameter"]);
});

test("400 invalid_parameter: a role that does not exist, a reason that says nothing, a password of no text", async () => {
  expect(codeOf(await post("operators", { account: admin.account.id, role: "owner" }))).toEqual([400, "invalid_parameter"]);
  expect(codeOf(await post("operators/remove", { account: admin.account.id, reason: " " }))).toEqual([400, "invalid_parameter"]);
  const confirm = await gateway.request("POST", "/v1/auth/session/confirm", { key: admin.key, body: { password: 7 } });
  expect(codeOf(confirm)).toEqual([400, "invalid_parameter"]);
});

test("404 account_not_found: an account that does not exist can't be suspended, resumed or lose a role", async () => {
  for (const path of ["accounts/acc_999999/suspend", "accounts/acc_999999/resume"])
    expect(codeOf(await post(path, {}))).toEqual([404, "account_not_found"]);
  expect(codeOf(await post("operators/remove", { account: "acc_999999" }))).toEqual([404, "account_not_found"]);
});
