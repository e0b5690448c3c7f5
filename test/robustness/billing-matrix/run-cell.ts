// One cell, from the call to all books: what the answer says, the usage log, the ledger, the balance, the receipt.
import { setTimeout as sleep } from "node:timers/promises";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect } from "vitest";
import type { UsageLogRow } from "../../../src/ledger/usage-log.ts";
import { until } from "../../support/eventually.ts";
import type { Gateway, TestAccount, TestReply } from "../../support/gateway.ts";
import type { Planned } from "./catalog.ts";
import { halfway } from "./cells.ts";
import { chargesIn, leaveAfter, type LeavingCall, openCall } from "./client.ts";
import { dialects } from "./dialects.ts";
import { type Expected, expectedOf, questions, text } from "./reference.ts";

const deposit = 2_000_000_000n;

export async function runCell(gateway: Gateway, plan: Planned): Promise<void> {
  const { cell, tag } = plan;
  const account = await gateway.createAccount({ deposit: "20" });
  const requestId = `matrix-${tag}`;
  const reply = await call(gateway, plan, account, requestId);
  await until(async () => (await logOf(gateway, account)).length > 0, "the request is logged");
  const [row, ...others] = await logOf(gateway, account);
  expect(others).toEqual([]);
  const expected = expectedOf(cell, () => decisionTokens(gateway, plan));
  if (reply !== null) expectAnswer(reply, plan, expected);
  expectLog(row!, plan, expected);
  await expectBooks(gateway, account, requestId, expected);
  expectUpstream(gateway, plan);
}

/** Null: the client disconnected. */
async function call(gateway: Gateway, plan: Planned, account: TestAccount, requestId: string): Promise<TestReply | null> {
  const { cell, model, cap } = plan;
  const { path, body, delta } = dialects[cell.kind];
  const asked = { ...body(model, cap), ...(cell.stream ? { stream: true } : {}) };
  const headers = { "x-request-id": requestId, ...(cell.kind === "messages" ? { "anthropic-version": "2023-06-01" } : {}) };
  if (!cell.ending.startsWith("left")) return gateway.request("POST", path, { key: account.key, body: asked, headers });
  const leaving: LeavingCall = {
    url: `${gateway.url}${path}`,
    headers: { ...headers, authorization: `Bearer ${account.key}` },
    body: asked,
  };
  if (cell.stream && cell.ending === "left in the middle")
    await leaveAfter(leaving, delta, cell.usage === "late" ? text.tokens : text.broken);
  else {
    const leave = openCall(leaving);
    const answering = cell.stream && cell.ending !== "left before the first byte";
    const begun = () => upstreamCalls(gateway, plan).filter(({ status }) => !answering || status !== null);
    await until(() => begun().length === callsOf(plan), "the upstream has the call");
    await sleep(100); // what the simulator said of an answer is on its way
    expect((await gateway.balance(account)).reserved).toBeGreaterThan(0);
    leave();
  }
  const end = cell.stream ? "aborted" : "answered";
  await until(() => upstreamCalls(gateway, plan).every(({ outcome }) => outcome === end), "the upstream call has ended");
  return null;
}

function expectAnswer(reply: TestReply, { cell }: Planned, { status, tokens, units }: Expected): void {
  const charges = chargesIn(reply);
  if (status === "success") {
    expect(reply.status).toBe(200);
    expect(charges).toHaveLength(1);
    const { input, cacheRead, cacheWrite, output } = tokens;
    const shown = dialects[cell.kind].shown(charges[0]);
    const only = (key: keyof typeof shown, value: number) => (shown[key] === null ? null : value);
    expect(shown).toEqual({
      prompt: input + cacheRead + cacheWrite,
      cacheRead: only("cacheRead", cacheRead),
      cacheWrite: only("cacheWrite", cacheWrite),
      output: only("output", output),
      cost: Number(units) / 1e8,
    });
    return;
  }
  expect(charges).toEqual([]);
  if (cell.stream && halfway.includes(cell.ending)) {
    expect(reply.status).toBe(200);
    expect(reply.text).toContain("stream_interrupted");
  } else expect(reply.status).toBeGreaterThanOrEqual(400);
}

function expectLog(row: UsageLogRow, { cell, model }: Planned, { status, tokens, estimated, units }: Expected): void {
  const figures = [row.input_tokens, row.cache_read_tokens, row.cache_write_tokens, row.output_tokens, row.cost].map(Number);
  expect(figures).toEqual([tokens.input, tokens.cacheRead, tokens.cacheWrite, tokens.output, Number(units)]);
  expect(row).toMatchObject({
    status,
    estimated,
    model,
    stream: cell.stream,
    served_model: /(cheaper|dearer)/.test(cell.ending) ? `${model}-other` : null,
  });
  if (status === "failed") expect(row.error_code).not.toBeNull();
}

async function expectBooks(gateway: Gateway, account: TestAccount, requestId: string, expected: Expected): Promise<void> {
  const { tokens, estimated, units } = expected;
  const usd = Number(units) / 1e8;
  const { rows: entries } = await gateway.context.db.pool.query<{ kind: string; amount: bigint }>(
    "select kind, amount from ledger_entry where account_id = $1 and kind <> 'deposit'",
    [account.accountId],
  );
  expect(entries).toEqual(units === 0n ? [] : [{ kind: "usage", amount: -units }]);
  expect(await gateway.balance(account)).toEqual({ balance: Number(deposit - units) / 1e8, reserved: 0, spent: usd });
  const receipt = await gateway.request("GET", `/v1/usage/${requestId}`, { key: account.key });
  expect(receipt.status).toBe(200);
  const { input, cacheRead, cacheWrite, output } = tokens;
  expect(receipt.json.usage).toMatchObject({ input, cache_read: cacheRead, cache_write: cacheWrite, output, estimated });
  expect(receipt.json.log.cost_usd).toBe(usd);
  expect(receipt.json.charge.cost_usd).toBe(usd);
  expect(receipt.json.charge.cost_usd).toBe(
    Math.min(receipt.json.charge.rounded_usd, estimated ? receipt.json.charge.reserved_usd : Infinity),
  );
  expect(receipt.json.ledger.map(({ type, amount_usd }: any) => [type, amount_usd])).toEqual(units === 0n ? [] : [["usage", -usd]]);
}

/** No call beside those that the ending needs: a second one would cost the operator money that nobody pays. */
function expectUpstream(gateway: Gateway, plan: Planned): void {
  const { ending } = plan.cell;
  const twice = ending.startsWith("served") || ending === "refused by every route";
  if (!twice && ending !== "rejected") expect(upstreamCalls(gateway, plan)).toHaveLength(callsOf(plan));
}

const callsOf = ({ cell }: Planned) => (cell.kind === "decisions" ? questions : 1);

function upstreamCalls(gateway: Gateway, { tag }: Planned) {
  return gateway.simulator
    .calls()
    .filter(({ model }) => model !== null && (model === tag || /^[+-]/.test(model.slice(tag.length))) && model.startsWith(tag));
}

/** The documented count: by the tokenizer, and 4 for each of the two messages. */
function decisionTokens(gateway: Gateway, plan: Planned): number {
  const answered = upstreamCalls(gateway, plan).filter(({ status }) => status === 200);
  expect(answered).toHaveLength(questions);
  const prompts = answered.flatMap(({ json }) => (json as { messages: { content: string }[] }).messages);
  return prompts.reduce((sum, { content }) => sum + countTokens(content) + 4, 0);
}

async function logOf(gateway: Gateway, { accountId }: TestAccount): Promise<UsageLogRow[]> {
  return (await gateway.context.db.pool.query<UsageLogRow>("select * from usage_log where account_id = $1", [accountId])).rows;
}
