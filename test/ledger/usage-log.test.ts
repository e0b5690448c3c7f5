// What a row may hold: a settlement travels with others in one batch, and one bad row would hold them all up.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { connect } from "../../src/db/connect.ts";
import { storableText } from "../../src/ledger/usage-log.ts";
import { freshDatabase } from "../support/database.ts";
import { usageLogRow } from "../support/usage-log-row.ts";
import { newAccount } from "./new-account.ts";

test.each([
  ["a NUL", "a\0b", "ab"],
  ["half a surrogate pair", "a\ud83d", "a\ufffd"],
  ["a cut through a pair", `${"x".repeat(1_999)}🔑`, `${"x".repeat(1_999)}\ufffd`],
])("a sentence with %s is stored as text that Postgres takes", async (_, text, stored) => {
  const database = await freshDatabase();
  const db = connect(database.url, { max: 1 });
  const accountId = await newAccount(db);
  const log = { ...usageLogRow({ accountId, id: randomUUID(), cost: 0n, at: new Date() }), error_message: storableText(text) };
  await db.pool.query("select ledger_settle($1, $2, $3)", [[accountId], [log.id], `[${JSON.stringify(log)}]`]);
  const { rows } = await db.pool.query<{ error_message: string }>("select error_message from usage_log where account_id = $1", [accountId]);
  expect(rows).toEqual([{ error_message: stored }]);
  await db.close();
  await database.drop();
});
