// GET /v1/credits/statements: the months of the account's ledger, the newest first.
import { readMonths } from "../src/ledger/statements/read-months.ts";
import { statementRecord } from "../src/ledger/statements/show-statement.ts";
import type { Handler } from "../src/operation.ts";

const limitDefault = 24;

export const listStatements: Handler<"listStatements"> = async ({ db, clock }, { caller, query: { after, limit = limitDefault } }) => {
  const months = (await readMonths(db, caller.accountId, clock())).reverse();
  const rest = after === undefined ? months : months.filter(({ month }) => month < after);
  const data = rest.slice(0, limit).map((month) => statementRecord(caller.accountId, month));
  return { status: 200, body: { object: "list", data, has_more: rest.length > limit, last_id: data.at(-1)?.month ?? null } };
};
