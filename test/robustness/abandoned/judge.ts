// What a call that may have been left has to satisfy: charged no less than its provider bills at equal prices, and no more than was held.
import { expect } from "vitest";
import type { UsageLogRow } from "../../../src/ledger/usage-log.ts";
import type { Gateway } from "../../support/gateway.ts";
import { eventually } from "../../support/eventually.ts";
import { billOf } from "./forms.ts";
import type { Form } from "./language-forms.ts";

type Call = ReturnType<Gateway["simulator"]["calls"]>[number];

export interface Ended {
  found: Call[];
  /** Undefined: its client had gone before it was admitted. */
  row: UsageLogRow | undefined;
}

/** Waits until nothing of it runs any more. `belongs`: which of the simulator's calls are its. */
export function ended(gateway: Gateway, belongs: (call: Call) => boolean, readRow: () => Promise<UsageLogRow | undefined>): Promise<Ended> {
  return eventually(async () => {
    const found = gateway.simulator.calls().filter(belongs);
    expect(found.filter(({ outcome }) => outcome === "open")).toEqual([]);
    const wasIdle = gateway.context.ledger.inFlight() === 0; // asked before: a call may settle while its row is looked for
    const row = await readRow();
    // A client may have gone before its request was admitted; no provider heard of it then.
    if (row === undefined) expect([wasIdle, found]).toEqual([true, []]);
    return { found, row };
  });
}

export function judge(form: Pick<Form, "prices" | "guessed">, what: string, { found, row }: Ended): void {
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
