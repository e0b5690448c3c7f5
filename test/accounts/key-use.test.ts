// Writing the last use of keys while they are deleted: no deadlock.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount } from "../../src/accounts/admin.ts";
import { recordKeyUse } from "../../src/accounts/accounts.ts";
import { createKey, deleteKey } from "../../src/accounts/manage-keys.ts";
import { connect, type Db, inTransaction } from "../../src/db/connect.ts";
import { parseKeyId } from "../../src/ids.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { untilWaiting } from "../support/locks.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 6 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

test("a default key that is deleted while the use of its account's keys is written: no deadlock", async () => {
  const at = new Date();
  const { accountId } = await createAccount(db, { email: "use@example.com", verified: true, at });
  const second = parseKeyId((await createKey(db, { accountId, name: "second", at })).record.id)!;
  const { rows } = await db.pool.query<{ id: bigint }>("select id from api_key where account_id = $1 and is_default", [accountId]);
  const first = rows[0]!.id;
  await db.pool.query("update api_key set is_default = not is_default where account_id = $1 and id = $2", [accountId, first]);
  await db.pool.query("update api_key set is_default = not is_default where account_id = $1 and id = $2", [accountId, second]);
  const faults: unknown[] = [];
  const use = recordKeyUse(db, { clock: () => at, onFault: (error) => faults.push(error) });
  for (const id of [first, second]) use.note(id);
  const { written, deleted } = await inTransaction(db, async ({ pool }) => {
    await pool.query("select 1 from api_key where id = $1 for no key update", [first]);
    const written = use.close();
    await untilWaiting(db, "last_used_at");
    const deleted = deleteKey(db, { id: second, accountId, createdBy: null }, null, at);
    await untilWaiting(db, "api_key", 2);
    return { written, deleted };
  });
  expect(await deleted).toMatchObject({ newDefault: { is_default: true } });
  await written;
  expect(faults).toEqual([]);
});
