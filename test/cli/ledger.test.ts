// `svc ledger …` through bin/svc.js: what it finds in a whole ledger and in one that was tampered with.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { callSvc, type Ran } from "./run-svc.ts";

let database: TestDatabase;
let db: Db;
let accounts = 0;

beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 2 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const svc = (...words: string[]): Promise<Ran> => callSvc({ DATABASE_URL: database.url }, words);
const newAccount = async (...options: string[]) =>
  (await svc("account", "create", "--email", `cli${++accounts}@example.com`, ...options, "--json")).json() as { account_id: string };

describe("svc ledger audit", () => {
  test("counts what there is and finds nothing", async () => {
    await newAccount("--deposit", "1");
    const ran = await svc("ledger", "audit", "--json");
    expect(ran.status).toBe(0);
    expect(ran.json()).toMatchObject({ holds_open: 0, reservations_open: 0, mismatches: [] });
  });

  test("may take as long as it needs: the time limit of a request's statements is not its own", async () => {
    const unlimited = "1 / case when current_setting('statement_timeout') = '0' then 1 else 0 end = 1";
    await db.pool.query(`alter table hold rename to held; create view hold as select * from held where ${unlimited}`);
    try {
      await expect(db.pool.query("select from hold")).rejects.toMatchObject({ code: "22012" }); // this connection has the limit
      expect(await svc("ledger", "audit", "--json")).toMatchObject({ status: 0 });
    } finally {
      await db.pool.query("drop view hold; alter table held rename to hold");
    }
  });

  test("ends with 1 and names the account where a balance was tampered with", async () => {
    const { account_id } = await newAccount("--deposit", "1");
    const own = await db.pool.connect();
    try {
      // As a superuser past every trigger: what the audit exists for.
      await own.query("begin; set local session_replication_role = replica");
      await own.query("update balance set available = available + 5 where account_id = $1", [BigInt(account_id.slice(4))]);
      await own.query("commit");
      const ran = await svc("ledger", "audit", "--json");
      expect(ran.status).toBe(1);
      expect(ran.json().mismatches).toEqual([{ account_id, what: "balance", stored: 1.00000005, computed: 1 }]);
      await own.query("begin; set local session_replication_role = replica");
      await own.query("update balance set available = available - 5 where account_id = $1", [BigInt(account_id.slice(4))]);
      await own.query("commit");
    } finally {
      own.release();
    }
  });
});

describe("svc ledger verify", () => {
  test("prints how much it read and one hash over all ends", async () => {
    await newAccount("--deposit", "1");
    const ran = await svc("ledger", "verify", "--json");
    expect(ran.status).toBe(0);
    const { rows } = await db.pool.query<{ entries: number; accounts: number }>(
      "select count(*)::int as entries, count(distinct account_id)::int as accounts from ledger_entry",
    );
    expect(ran.json()).toEqual({ ...rows[0], head: expect.stringMatching(/^[0-9a-f]{64}$/), broken: null });
    expect((await svc("ledger", "verify")).stdout).toContain(`head ${String(ran.json().head)}`);
  });

  test("ends with 1 at the first link that does not hold, and names it", async () => {
    const { account_id } = await newAccount("--deposit", "1", "--credit", "2");
    const tamper = async (ref: string) => {
      const own = await db.pool.connect();
      try {
        await own.query("begin; set local session_replication_role = replica");
        const sql = "update ledger_entry set ref = $2 where account_id = $1 and seq = 2 returning id";
        const { rows } = await own.query<{ id: string }>(sql, [BigInt(account_id.slice(4)), ref]);
        await own.query("commit");
        return rows[0]!.id;
      } finally {
        own.release();
      }
    };
    const entry_id = await tamper("another");
    const ran = await svc("ledger", "verify", "--json");
    expect(ran.status).toBe(1);
    expect(ran.json()).toMatchObject({ head: null, broken: { account_id, seq: 2, entry_id, reason: expect.stringContaining("hash") } });
    expect((await svc("ledger", "verify")).stdout).toContain(`broken at entry 2 (${entry_id}) of ${account_id}`);
    await tamper("cli");
    expect((await svc("ledger", "verify")).status).toBe(0);
  });
});
