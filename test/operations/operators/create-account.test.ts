// Operators create accounts: with money and a row of the log, and without seeing a key.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { newOperator } from "../../support/operators.ts";

let gateway: Gateway;
let finance: { account: TestAccount; key: string };
beforeAll(async () => {
  gateway = await startGateway({ env: { SVC_SIGNUP_CREDIT: "0.75" } });
  finance = await newOperator(gateway, "finance");
});
afterAll(async () => {
  const audited = await gateway.audit();
  await gateway.stop();
  expect(audited.mismatches).toEqual([]);
});

const create = (body: object, key = finance.key) =>
  gateway.request("POST", "/v1/operator/accounts", { key, body: { reason: "contract 17", ...body } });
const codeOf = ({ status, json }: { status: number; json: { error?: { code: string; param?: string } } }) => [
  status,
  json.error?.code,
  json.error?.param,
];
const accounts = async () => (await gateway.context.db.pool.query("select 1 from account")).rowCount;

test("an account with its money and its row of the log, and no secret in the answer", async () => {
  const { status, json, text } = await create({
    email: "alan@example.com",
    verified: true,
    deposit_usd: 20,
    credit_usd: 1,
    signup_credit: true,
  });
  expect(status).toBe(200);
  expect(json).toMatchObject({
    ...{ email: "alan@example.com", verified: true, status: "active", balance_usd: 21.75 },
    ...{ lifetime_purchased_usd: 20, lifetime_earned_usd: 1.75, keys: [{ is_default: true }] },
  });
  expect(text).not.toMatch(/svc_\w{8}/);
  const { data } = (await gateway.request("GET", `/v1/operator/audit?target=${json.id}`, { key: finance.key })).json;
  expect(data).toMatchObject([
    {
      ...{ who: finance.account.email, role: "finance", action: "account.create", reason: "contract 17", before: null },
      after: { email: "alan@example.com", verified: true, deposit_usd: 20, credit_usd: 1, signup_credit_usd: 0.75 },
    },
  ]);
});

test("409 not_possible: an address that has an account, and a mailbox that had the signup credit; nothing is left behind", async () => {
  const before = await accounts();
  expect(codeOf(await create({ email: "Alan@example.com" })).slice(0, 2)).toEqual([409, "not_possible"]);
  expect(codeOf(await create({ email: "alan+1@example.com", deposit_usd: 5, signup_credit: true })).slice(0, 2)).toEqual([
    409,
    "not_possible",
  ]);
  expect(await accounts()).toBe(before);
});

test("400 invalid_parameter: no address, amounts that are no amounts; 403 permission_denied: support", async () => {
  const before = await accounts();
  expect(codeOf(await create({ email: "not an address" }))).toEqual([400, "invalid_parameter", "email"]);
  expect(codeOf(await create({ email: "b@example.com", deposit_usd: -1 }))).toEqual([400, "invalid_parameter", "deposit_usd"]);
  expect(codeOf(await create({ email: "b@example.com", credit_usd: 0.000000001 }))).toEqual([400, "invalid_parameter", "credit_usd"]);
  const support = await newOperator(gateway, "support");
  expect(codeOf(await create({ email: "b@example.com" }, support.key)).slice(0, 2)).toEqual([403, "permission_denied"]);
  expect(await accounts()).toBe(before! + 1);
});
