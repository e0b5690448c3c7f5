// Whatever a caller does, a provider that bills its input and all it generated until it noticed the closed connection bills no more than the
// caller is charged at equal prices; and the charge stays within what was held (docs/behaviour/billing.md#ends).
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { UsageLogRow } from "../../../src/ledger/usage-log.ts";
import { eventually } from "../../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { sized } from "../../support/size.ts";
import { askAndLeave, askTurnAndLeave, type Leaving, leavings } from "./client.ts";
import { catalogOf, cloudEnvironment, forms } from "./forms.ts";
import { ended, judge } from "./judge.ts";
import type { Form } from "./language-forms.ts";

let gateway: Gateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startGateway({ catalog: catalogOf(), env: cloudEnvironment });
  account = await gateway.createAccount({ deposit: "1000" });
});
afterAll(() => gateway.stop());

/** Each kind as often as any other. */
const kinds = [...Map.groupBy(forms, ({ kind }) => kind).values()];
const anyForm = fc.oneof(...kinds.map((some) => fc.constantFrom(...some)));
const turns = forms.filter(({ path, name }) => path === "/v1/responses" && name.includes("streamed"));

interface Call {
  form: Form;
  leaving: Leaving;
}
const callsOf = (form: fc.Arbitrary<Form>, size: number) =>
  fc.array(fc.record<Call>({ form, leaving: leavings }), { minLength: size, maxLength: size });

/** Other calls each day; the seed of a failure is printed. */
const runs = (full: number, quick: number) => ({
  numRuns: sized(full, quick),
  endOnFailure: true,
  ...(process.env.CI ? {} : { seed: Date.now() | 0 }),
});

async function atRest(): Promise<void> {
  // A request whose client left may still lie unread in the gateway's socket when its judge has found neither row nor call.
  await eventually(async () => expect(await gateway.audit()).toMatchObject({ reservations_open: 0, holds_open: 0, mismatches: [] }));
}

let asked = 0;

test("is charged no less than its provider bills, and no more than was held, whatever its caller does", async () => {
  const one = async ({ form, leaving }: Call) => {
    const id = `left-${asked++}`;
    await askAndLeave(gateway.url, account.key, id, form, leaving);
    const readRow = async () =>
      (await gateway.context.db.pool.query<UsageLogRow>("select * from usage_log where request_id = $1", [id])).rows[0];
    judge(form, `${form.name}, ${JSON.stringify(leaving)}`, await ended(gateway, ({ headers }) => headers["x-request-id"] === id, readRow));
  };
  await fc.assert(
    fc.asyncProperty(callsOf(anyForm, 12), async (batch) => {
      await Promise.all(batch.map(one));
      await atRest();
    }),
    runs(40, 10),
  );
});

test("so is a turn of a WebSocket, however its connection ends", async () => {
  /** A turn has an id of its own, which its client learns from no header: its account and a mark in its prompt tell it apart. */
  const one = async ({ form, leaving }: Call) => {
    const mark = `turn-${asked++}`;
    const own = await gateway.createAccount({ deposit: "10" });
    const turn = JSON.parse(String(form.body)) as { input: string };
    await askTurnAndLeave(gateway.url, own.key, { ...turn, input: `${turn.input} ${mark}` }, leaving);
    const readRow = async () =>
      (await gateway.context.db.pool.query<UsageLogRow>("select * from usage_log where account_id = $1", [own.accountId])).rows[0];
    judge(form, `a turn, ${form.name}, ${JSON.stringify(leaving)}`, await ended(gateway, ({ body }) => body.includes(`${mark}"`), readRow));
  };
  await fc.assert(
    fc.asyncProperty(callsOf(fc.constantFrom(...turns), 8), async (batch) => {
      await Promise.all(batch.map(one));
      await atRest();
    }),
    runs(20, 3),
  );
});
