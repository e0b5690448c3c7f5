// Whatever a caller does, a provider that bills its input and all it generated until it noticed the closed connection bills no more than the
// caller is charged at equal prices; and the charge stays within what was held (docs/behaviour/billing.md#ends).
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { UsageLogRow } from "../../../src/ledger/usage-log.ts";
import { eventually } from "../../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { sized } from "../../support/size.ts";
import { askAndLeave, type Leaving, leavings } from "./client.ts";
import { billOf, catalogOf, cloudEnvironment, type Form, forms } from "./forms.ts";

let gateway: Gateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startGateway({ catalog: catalogOf(), env: cloudEnvironment });
  account = await gateway.createAccount({ deposit: "1000" });
});
afterAll(() => gateway.stop());

const calls = fc.array(fc.record({ form: fc.nat({ max: forms.length - 1 }), leaving: leavings }), { minLength: 12, maxLength: 12 });

let asked = 0;

test("is charged no less than its provider bills, and no more than was held, whatever its caller does", async () => {
  await fc.assert(
    fc.asyncProperty(calls, async (batch) => {
      await Promise.all(batch.map(({ form, leaving }) => judge(forms[form]!, leaving)));
      // A request whose client left may still lie unread in the gateway's socket when its judge has found neither row nor call.
      await eventually(async () => expect(await gateway.audit()).toMatchObject({ reservations_open: 0, holds_open: 0, mismatches: [] }));
    }),
    { numRuns: sized(80, 8), endOnFailure: true, ...(process.env.CI ? {} : { seed: Date.now() | 0 }) },
  );
});

async function judge(form: Form, leaving: Leaving): Promise<void> {
  const id = `left-${asked++}`;
  await askAndLeave(gateway.url, account.key, id, form, leaving);
  const ends = await eventually(async () => {
    const found = gateway.simulator.calls().filter(({ headers }) => headers["x-request-id"] === id);
    expect(found.filter(({ outcome }) => outcome === "open")).toEqual([]);
    const wasIdle = gateway.context.ledger.inFlight() === 0; // asked before: a call may settle while its row is looked for
    const [row] = await rowsOf(id);
    // A client may have gone before its request was admitted; no provider heard of it then.
    if (row === undefined) expect([wasIdle, found]).toEqual([true, []]);
    return { found, row };
  });
  const { found, row } = ends;
  const what = `${form.name}, ${JSON.stringify(leaving)}`;
  if (row === undefined) return;
  const billed = found.flatMap((call) => call.billed ?? []);
  const charge = BigInt(row.cost);
  expect(charge <= BigInt(row.reserved), `${what}: charged ${charge} of ${row.reserved} held`).toBe(true);
  if (row.status === "aborted") expect(row.http_status, what).toBe(499);
  // A connection that closed before the provider had read the request, or even its head: the gateway can't know that, and charges what it
  // sent.
  const wasUnread = found.length === 0 || found.some(({ outcome }) => outcome === "aborted");
  if (billed.length === 0 && row.status === "aborted" && wasUnread) return;
  if (billed.length === 0)
    return expect(charge, `${what}: nothing billed, ${row.status}, ${found.map(({ outcome }) => outcome).join(" ")}`).toBe(0n);
  if (row.status === "success" && form.guessed) return;
  const bill = billOf(form, billed, BigInt(row.reserved));
  expect(charge >= bill, `${what}: charged ${charge}, billed ${bill} for ${JSON.stringify(billed)}, ${row.status}`).toBe(true);
}

async function rowsOf(id: string): Promise<UsageLogRow[]> {
  return (await gateway.context.db.pool.query<UsageLogRow>("select * from usage_log where request_id = $1", [id])).rows;
}
