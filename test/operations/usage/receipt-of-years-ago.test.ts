// A receipt of nine years ago is answered with its arithmetic: its prices are in its row, and the months of the log are kept as long as the
// operator says (SVC_USAGE_LOG_MONTHS).
import { afterAll, beforeAll, expect, test } from "vitest";
import { newRequestId } from "../../../src/ids.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { makeMonths } from "../../support/log-months.ts";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({});
  await makeMonths(gateway.context.db, 110);
});
afterAll(() => gateway.stop());

test("lines, sum, charge and ledger entry of a call of nine years ago are those of its day", async () => {
  const account = await gateway.createAccount({ deposit: "20" });
  const body = { model: "cheap", messages: [{ role: "user", content: "Hello" }] };
  const reply = await gateway.request("POST", "/v1/chat/completions", { key: account.key, body });
  const receiptOf = (id: unknown) => gateway.request("GET", `/v1/usage/${String(id)}`, { key: account.key });
  const id = reply.headers["x-request-id"];
  const today = (await receiptOf(id)).json;
  expect(today.charge.lines.length).toBeGreaterThan(0);
  const at = new Date(Date.now() - 9 * 365.25 * 24 * 3600 * 1000);
  const old = newRequestId(at);
  await gateway.context.db.pool.query("update usage_log set created_at = $2, request_id = $3 where request_id = $1", [id, at, old]);
  const { status, json } = await receiptOf(old);
  expect(status).toBe(200);
  expect(json.log.created_at).toBe(at.toISOString());
  expect([json.charge, json.usage, json.ledger]).toEqual([today.charge, today.usage, today.ledger]);
  const exact = json.charge.lines.reduce((sum: number, line: any) => sum + Number(line.amount_usd), 0);
  expect(exact).toBeCloseTo(Number(json.charge.sum_usd), 12);
  expect((await receiptOf(id)).status).toBe(404);
});
