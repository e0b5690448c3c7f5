// A day of customers who leave, stall, reset, repeat, ask for what has no price and run out of money, all at once: at equal prices no account,
// no model and no route ends below what its provider bills, by the provider's own count and by the operator's report.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { UsageLogRow } from "../../../src/ledger/usage-log.ts";
import { verifyChain } from "../../../src/ledger/verify.ts";
import { callSvc } from "../../cli/run-svc.ts";
import { eventually } from "../../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { sized } from "../../support/size.ts";
import { askAndLeave, type Leaving, leavings } from "./client.ts";
import { billOf, catalogOf, cloudEnvironment, forms as allForms } from "./forms.ts";
import type { Form } from "./language-forms.ts";

/** What an answer that its host doesn't measure costs is an estimate, which may be below the bill. */
const forms = allForms.filter(({ guessed }) => !guessed);
const stays: Leaving = { afterMs: 60_000, afterBytes: Infinity, stallsMs: 0, sipBytes: 0, reset: false };

interface Plan {
  form: number;
  customer: number;
  leaving: Leaving;
  manner: "asks" | "repeats" | "asks for more";
}

const hour = fc.array(
  fc.record<Plan>({
    form: fc.nat({ max: forms.length - 1 }),
    customer: fc.nat({ max: 3 }),
    leaving: fc.oneof({ weight: 4, arbitrary: leavings }, { weight: 1, arbitrary: fc.constant(stays) }),
    manner: fc.constantFrom("asks", "asks", "asks", "repeats", "asks for more"),
  }),
  { minLength: 40, maxLength: 40 },
);

let gateway: Gateway;
let customers: TestAccount[];
beforeAll(async () => {
  gateway = await startGateway({ catalog: catalogOf(), env: cloudEnvironment });
  const deposits = ["1000", "1000", "0.5", "0.002"];
  customers = await Promise.all(deposits.map((deposit) => gateway.createAccount({ deposit })));
});
afterAll(() => gateway.stop());

const asked = new Map<string, Form>();
/** By request, what its provider bills. */
const bills = new Map<string, { input: number; output: number }[]>();

test("no account, model or route is below its provider's bill at equal prices, whatever its callers did", async () => {
  for (const plans of fc.sample(hour, sized(24, 3))) {
    await Promise.all(plans.map(ask));
    await settle();
  }
  await settle(); // of what had come in, but not to a provider yet
  const { rows } = await gateway.context.db.pool.query<UsageLogRow>("select * from usage_log");
  const statuses = new Set(rows.map(({ status }) => status));
  statuses.add("failed"); // a day may have none: what is refused before its hold has no row
  expect(statuses).toEqual(new Set(["success", "aborted", "failed"]));
  expect(bills.size).toBeGreaterThan(rows.length / 4);
  const margins = new Map<string, bigint>();
  for (const row of rows) {
    const margin = BigInt(row.cost) - billOf(asked.get(row.request_id)!, bills.get(row.request_id) ?? [], BigInt(row.cost));
    for (const group of [
      `account ${row.account_id}`,
      `model ${row.model}`,
      ...row.attempts.slice(0, 1).map(({ route }) => `route ${route}`),
    ])
      margins.set(group, (margins.get(group) ?? 0n) + margin);
  }
  expect([...margins].filter(([, margin]) => margin < 0n)).toEqual([]);
  for (const by of ["account", "model", "route"]) {
    const answer = await callSvc({ DATABASE_URL: gateway.databaseUrl }, ["report", "margin", "--by", by, "--json"]);
    const report = answer.json() as { rows: { margin: number }[]; total: { requests: number } };
    expect(report.rows.filter(({ margin }) => margin < 0)).toEqual([]);
    expect(report.total.requests).toBe(rows.length);
  }
  expect(await gateway.audit()).toMatchObject({ reservations_open: 0, holds_open: 0, mismatches: [] });
  expect((await verifyChain(gateway.context.db)).broken).toBeNull();
});

async function ask({ form: index, customer, leaving, manner }: Plan): Promise<void> {
  const form = forms[index]!;
  const send = (as: Form, how: Leaving, more?: Record<string, string>) => {
    const id = `day-${asked.size}`;
    asked.set(id, form);
    return askAndLeave(gateway.url, customers[customer]!.key, id, as, how, more);
  };
  if (manner === "repeats") {
    const once = { "idempotency-key": `once-${asked.size}` };
    await Promise.all([send(form, leaving, once), send(form, stays, once)]);
    return send(form, stays, once);
  }
  await send(manner === "asks" || typeof form.body !== "string" ? form : { ...form, body: withUnpriced(form.body) }, leaving);
}

function withUnpriced(body: string): string {
  return JSON.stringify({ ...(JSON.parse(body) as object), service_tier: "priority", Max_Tokens: 1_000_000, n: 3, best_of: 3 });
}

/** Waits until every call is over on both sides, and keeps what the provider bills. */
async function settle(): Promise<void> {
  const calls = await eventually(() => {
    expect(gateway.context.ledger.inFlight()).toBe(0);
    const found = gateway.simulator.calls();
    expect(found.filter(({ outcome }) => outcome === "open")).toEqual([]);
    return found;
  });
  for (const { headers, billed } of calls) {
    const id = headers["x-request-id"]!;
    if (billed !== null) bills.set(id, [...(bills.get(id) ?? []), billed]);
  }
  gateway.simulator.reset();
}
