// `svc account deposit` and `credit` whose answer is lost: the connection breaks after the commit, before it, or the database stays away.
import { describe, expect, test } from "vitest";
import { connect, type Db, inTransaction } from "../../src/db/connect.ts";
import { audit } from "../../src/ledger/audit.ts";
import { newAccount } from "../ledger/new-account.ts";
import { type DatabaseProxy, openDatabaseProxy } from "../robustness/database-proxy.ts";
import { freshDatabase } from "../support/database.ts";
import { untilWaiting } from "../support/locks.ts";
import { type Ran, runSvc } from "./run-svc.ts";

interface Place {
  wire: DatabaseProxy;
  db: Db;
  svc(verb: string, ...words: string[]): Promise<Ran>;
  /** Their statements have reached the server and wait there; then `happens`, and the server may go on. */
  post(verbs: string[], happens: () => unknown): Promise<Ran[]>;
  posted(): Promise<string[]>;
}

/** With an account of 20 USD, behind a wire of its own: run in parallel they take no longer than the longest of them. */
async function inPlace(work: (place: Place, account: bigint) => Promise<void>): Promise<void> {
  const database = await freshDatabase();
  const wire = await openDatabaseProxy(database.url);
  const db = connect(database.url, { max: 4, statementTimeoutMs: 0 }); // a command takes a while to start
  const account = await newAccount(db, { deposit: 2_000_000_000n });
  const svc = (verb: string, ...words: string[]) =>
    runSvc({ DATABASE_URL: wire.url }, ["account", verb, `acc_${account}`, ...words, "--json"]);
  const place: Place = {
    ...{ wire, db, svc },
    async post(verbs, happens) {
      const { running } = await inTransaction(db, async ({ pool }) => {
        await pool.query("select 1 from balance where account_id = $1 for no key update", [account]);
        const running = verbs.map((verb) => svc(verb, "5"));
        await untilWaiting(db, "insert into ledger_entry", verbs.length);
        await happens();
        return { running };
      });
      return Promise.all(running);
    },
    async posted() {
      const { rows } = await db.pool.query<{ line: string }>(
        "select kind || ' ' || amount as line from ledger_entry where account_id = $1 and ref = 'cli' order by 1",
        [account],
      );
      return rows.map(({ line }) => line);
    },
  };
  try {
    await work(place, account);
  } finally {
    await db.close();
    await wire.close();
    await database.drop();
  }
}

describe.concurrent("an answer that is lost", () => {
  test.each([
    ["deposit", "deposit 500000000"],
    ["credit", "bonus 500000000"],
  ])("%s: the connection breaks after the commit: it is posted once and says so", (verb, entry) =>
    inPlace(async (place, account) => {
      const [ran] = await place.post([verb], () => {
        place.wire.cut(); // the server still does what it was asked
        setTimeout(() => place.wire.restore(), 1_000);
      });
      expect(ran).toMatchObject({ status: 0, stderr: "" });
      expect(ran!.json()).toEqual({ account_id: `acc_${account}`, balance: 25 });
      expect(await place.posted()).toEqual([entry]);
      expect((await audit(place.db)).mismatches).toEqual([]);
    }),
  );

  test("the server ends the connection before the commit: it is posted by the next try", () =>
    inPlace(async (place) => {
      const [ran] = await place.post(["deposit"], () =>
        place.db.pool.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        ),
      );
      expect(ran).toMatchObject({ status: 0, stderr: "" });
      expect(await place.posted()).toEqual(["deposit 500000000"]);
    }));

  test("the network falls silent for a while: it is posted once and says so", () =>
    inPlace(async (place) => {
      const [ran] = await place.post(["deposit"], () => {
        place.wire.silence();
        setTimeout(() => place.wire.restore(), 6_000);
      });
      expect(ran).toMatchObject({ status: 0, stderr: "" });
      expect(await place.posted()).toEqual(["deposit 500000000"]);
    }));

  test.each([
    ["deposit", "lifetime_purchased 25 if it was posted and 20 if not"],
    ["credit", "lifetime_earned 5 if it was posted and 0 if not"],
  ])("%s: the database stays away: it says that it may have been posted, and where to look before it is repeated", (verb, output) =>
    inPlace(async (place, account) => {
      const [ran] = await place.post([verb], () => place.wire.cut());
      const look = `before you retry, check in a minute: svc account show acc_${account} --json shows`;
      expect(ran).toMatchObject({ status: 1, stdout: "" });
      expect(ran!.stderr).toContain(`it may have been posted: ${look} ${output}: `);
      place.wire.restore();
      // The wire was cut before the commit, which the command can't know.
      expect((await place.svc("show")).json()).toMatchObject({ lifetime_purchased: 20, lifetime_earned: 0 });
      expect(await place.posted()).toEqual([]);
    }),
  );

  test("what the database surely did not do is tried for a while too; then nobody says that it may have been posted", () =>
    inPlace(async (place) => {
      await place.db.pool.query(`create sequence tries;
    create function no_room() returns trigger language plpgsql as $$ begin
      perform nextval('tries');
      raise 'no room' using errcode = '53100';
    end $$;
    create trigger no_room before insert on ledger_entry for each row execute function no_room()`);
      expect(await place.svc("deposit", "5")).toMatchObject({ status: 1, stdout: "", stderr: "no room\n" });
      const { rows } = await place.db.pool.query<{ tries: bigint }>("select last_value as tries from tries");
      expect(rows[0]!.tries).toBeGreaterThan(1n);
      expect(await place.posted()).toEqual([]);
    }));
});
