// How many statements a billed call makes its caller wait for: the dearest part of its accounting.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { awayFromMinuteEdge } from "../../limits/counted-database.ts";
import { eventually } from "../../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";

let gateway: Gateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startGateway();
  account = await gateway.createAccount({ deposit: "5" });
});
afterAll(() => gateway.stop());

/** Of the call alone: the heartbeat and the sweeps ask as well. */
async function statementsOf(stream: boolean): Promise<string[]> {
  const query = vi.spyOn(gateway.context.db.pool, "query");
  const body = { model: "best", messages: [{ role: "user", content: "Hello" }], stream };
  const { status } = await gateway.request("POST", "/v1/chat/completions", { key: account.key, body });
  const texts = (query.mock.calls as unknown as [string, string[]?][]).filter((call) => !isCorrection(...call)).map(([text]) => text);
  query.mockRestore();
  expect(status).toBe(200);
  return texts
    .flatMap((text) => /\b(admit_calls|rate_take|ledger_reserve|ledger_settle)\(|\bfrom (api_key|balance)\b/.exec(text)?.slice(1) ?? [])
    .filter(Boolean);
}

test.each([false, true])(
  "streamed: %s; two, once the caller has called the model in this minute: one counts and holds, one settles",
  async (stream) => {
    await awayFromMinuteEdge();
    await statementsOf(stream); // authenticates, and opens this minute's windows
    // On a machine that stalls a known key may have to be asked for again.
    await eventually(async () => expect(await statementsOf(stream)).toEqual(["admit_calls", "ledger_settle"]));
  },
);

/** Sent a moment later, by itself: takes without a limit. */
function isCorrection(text: string, values: readonly string[] = []): boolean {
  return text.includes("rate_take") && /^\{(-1,?)+\}$/.test(values[7] ?? "");
}
