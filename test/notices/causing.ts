// What the tests of notices do to cause one, and to wait for what follows.
import { inTransaction } from "../../src/db/connect.ts";
import { postEntry } from "../../src/ledger/post.ts";
import { parseUsd } from "../../src/money.ts";
import { lookForCauses } from "../../src/notices/look.ts";
import { until } from "../support/eventually.ts";
import type { Gateway } from "../support/gateway.ts";

/** `most`: rows a statement. */
export const look = ({ context: { db, clock } }: Gateway, most?: number): Promise<void> => lookForCauses(db, clock(), most);

export const post = ({ context: { db, clock } }: Gateway, accountId: bigint, usd: string, kind: "deposit" | "adjustment" = "deposit") =>
  postEntry(db, { accountId, kind, amount: parseUsd(usd)!, ref: "test", at: clock() } as never);

/** Of every budget of the account's keys, as the ledger's functions move it. */
export const spend = ({ context: { db } }: Gateway, accountId: bigint, usd: string, period: Date | null = null) =>
  inTransaction(db, async ({ pool }) => {
    await pool.query("select set_config('svc.moved', 'by the ledger', true)");
    await pool.query(
      `update key_budget set spent = $2, period_spent = case when $3::timestamptz is null then period_spent else $2 end,
         period_ends = coalesce($3, period_ends) where account_id = $1`,
      [accountId, parseUsd(usd), period],
    );
  });

/** Every notice so far is delivered, or given up. */
export function atRest({ context: { db } }: Gateway): Promise<void> {
  const sql = `select exists (select from notice where planned_at is null) or exists (select from notice_delivery where due_at is not null) as open`;
  return until(async () => !(await db.pool.query<{ open: boolean }>(sql)).rows[0]!.open, "every notice is delivered");
}
