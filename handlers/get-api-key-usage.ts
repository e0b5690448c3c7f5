// GET /v1/auth/keys/{key}/usage: what a key spent, holds and has left, and its days.
import type { FoundKey } from "../src/accounts/key-records.ts";
import { readKeySpending } from "../src/accounts/key-budgets.ts";
import { keyOf } from "../src/accounts/manage-keys.ts";
import type { Context } from "../src/context.ts";
import { inSnapshot } from "../src/db/connect.ts";
import { fail } from "../src/errors/fail.ts";
import { keyIdText } from "../src/ids.ts";
import { readKeyDays } from "../src/ledger/summary/read-summary.ts";
import { toUsd } from "../src/money.ts";
import type { Handler } from "../src/operation.ts";

export const getApiKeyUsage: Handler<"getApiKeyUsage"> = async (context, { caller, path }) => {
  const key = await keyOf(context.db, caller, path.key);
  const body = await context.ledger.recalling(
    key.accountId,
    async () => {
      const spending = await readKeySpending(context.db, key.id); // undefined: the key has just been deleted
      return spending && { object: "api_key_usage" as const, id: keyIdText(key.id), ...spending, days: await daysOf(context, key) };
    },
    () => true,
  );
  return { status: 200, body: body ?? fail("not_found") };
};

const daysShown = 30;

async function daysOf({ db, clock }: Pick<Context, "db" | "clock">, key: FoundKey) {
  const days = await inSnapshot(db, (snapshot) => readKeyDays(snapshot, key, { at: clock(), days: daysShown }));
  return days.map(({ day, requests, cost }) => ({
    date: day.toISOString().slice(0, 10),
    requests: Number(requests),
    cost_usd: toUsd(cost),
  }));
}
