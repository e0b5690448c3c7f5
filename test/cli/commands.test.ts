// Each command of docs/behaviour/operation.md#commands in this process (a few through bin/svc.js): what it prints, what it does, how it ends.
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { isKeyShaped, makeKey } from "../../src/accounts/keys.ts";
import { connect, type Db } from "../../src/db/connect.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { callSvc, type Ran, runSvc } from "./run-svc.ts";

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

async function newAccount(...options: string[]): Promise<{ account_id: string; email: string; api_key: string }> {
  const ran = await svc("account", "create", "--email", `cli${++accounts}@example.com`, ...options, "--json");
  expect(ran.stderr).toBe("");
  expect(ran.status).toBe(0);
  return ran.json() as { account_id: string; email: string; api_key: string };
}

async function show(id: string): Promise<Record<string, unknown>> {
  return (await svc("account", "show", id, "--json")).json();
}

describe("svc account", () => {
  test("create --signup-credit gives what SVC_SIGNUP_CREDIT says, once a mailbox; refused, it makes no account", async () => {
    const create = (email: string, env: Record<string, string> = {}) =>
      runSvc({ DATABASE_URL: database.url, ...env }, ["account", "create", "--email", email, "--signup-credit", "--json"]);
    const first = (await create("mailbox+1@example.com", { SVC_SIGNUP_CREDIT: "2.5" })).json();
    expect(await show(String(first["account_id"]))).toMatchObject({ balance: 2.5, lifetime_earned: 2.5 });
    const second = await create("mailbox+2@example.com");
    expect([second.status, second.stdout]).toEqual([1, ""]);
    expect(second.stderr).toContain("another address of the mailbox of mailbox+2@example.com already got the signup credit");
    const none = await create("nothing@example.com", { SVC_SIGNUP_CREDIT: "0" });
    expect([none.status, none.stderr]).toEqual([1, expect.stringContaining("SVC_SIGNUP_CREDIT is 0")]);
    for (const email of ["mailbox+2@example.com", "nothing@example.com"])
      expect((await runSvc({ DATABASE_URL: database.url }, ["account", "show", email])).status).toBe(1);
    const wrong = await create("wrong@example.com", { SVC_SIGNUP_CREDIT: "lots" });
    expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining("SVC_SIGNUP_CREDIT must be USD")]);
  });

  test("create prints id, email and key; the money is a deposit, a credit and the signup credit of 0.50 USD", async () => {
    const account = await newAccount("--verified", "--signup-credit", "--deposit", "20", "--credit", "0.00000001");
    expect(Object.keys(account)).toEqual(["account_id", "email", "api_key"]);
    expect(account.account_id).toMatch(/^acc_\d+$/);
    expect(isKeyShaped(account.api_key)).toBe(true);
    const shown = await show(account.account_id);
    expect(shown).toMatchObject({
      account_id: account.account_id,
      email: account.email,
      balance: 20.50000001,
      holds: 0,
      reserved: 0,
      lifetime_purchased: 20,
      lifetime_earned: 0.50000001,
      lifetime_spent: 0,
    });
    expect(shown.tier).toBeTypeOf("number");
    const { rows } = await db.pool.query("select email_verified_at is not null as verified from account where email = $1", [account.email]);
    expect(rows).toEqual([{ verified: true }]);
  });

  test("an account may be named by its email address, whatever its case", async () => {
    const { account_id, email } = await newAccount("--deposit", "1");
    expect((await svc("account", "deposit", email.toUpperCase(), "2", "--json")).json()).toEqual({ account_id, balance: 3 });
    expect(await show(email)).toMatchObject({ account_id, balance: 3 });
    expect(await svc("account", "show", "nobody@example.com")).toMatchObject({
      status: 1,
      stderr: "no such account: nobody@example.com\n",
    });
  });

  test("an account without options has nothing and is not verified; its one key is the default and shown masked", async () => {
    const account = await newAccount();
    const shown = await show(account.account_id);
    expect(shown).toMatchObject({ balance: 0, lifetime_purchased: 0, tier: 0 });
    expect(shown.keys).toEqual([
      expect.objectContaining({
        object: "api_key",
        enabled: true,
        is_default: true,
        created_by: null,
        masked: `${account.api_key.slice(0, 8)}…${account.api_key.slice(-4)}`,
        usage_usd: 0,
        limit_usd: null,
      }),
    ]);
    expect(JSON.stringify(shown)).not.toContain(account.api_key.slice(8, 20));
  });

  test("show tells what each key has spent and may spend", async () => {
    const { account_id } = await newAccount("--deposit", "1");
    const { rows } = await db.pool.query<{ key_id: bigint }>(
      "update key_budget set limit_amount = 50000000 where account_id = $1 returning key_id",
      [BigInt(account_id.slice(4))],
    );
    await db.pool.query(
      "insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id) values ($1, now(), gen_random_uuid(), 'usage', -7, 'req_1', $2)",
      [BigInt(account_id.slice(4)), rows[0]!.key_id],
    );
    expect((await show(account_id)).keys).toMatchObject([{ usage_usd: 0.00000007, limit_usd: 0.5 }]);
  });

  test("an email that is taken is refused with 1, whatever its case", async () => {
    const { email } = await newAccount();
    const again = await svc("account", "create", "--email", email.toUpperCase(), "--json");
    expect(again.status).toBe(1);
    expect(again.stdout).toBe("");
    expect(again.stderr).toContain("exists already");
  });

  test("create whose money can't be posted makes no account either", async () => {
    // The database of this test alone refuses bonuses.
    const own = await freshDatabase();
    const ownDb = connect(own.url, { max: 1 });
    await ownDb.pool.query("create function no() returns trigger language plpgsql as $$ begin raise 'no bonus today'; end $$");
    await ownDb.pool.query("create trigger no before insert on ledger_entry for each row when (new.kind = 'bonus') execute function no()");
    const words = ["account", "create", "--email", "whole@example.com", "--deposit", "2", "--credit", "1", "--json"];
    expect(await runSvc({ DATABASE_URL: own.url }, words)).toMatchObject({ status: 1, stdout: "", stderr: "no bonus today\n" });
    expect((await ownDb.pool.query("select 1 from account")).rowCount).toBe(0);
    await ownDb.close();
    await own.drop();
  });

  test("deposit and credit print the new balance; only a deposit counts as purchased", async () => {
    const { account_id } = await newAccount();
    expect((await svc("account", "deposit", account_id, "2.5", "--json")).json()).toEqual({ account_id, balance: 2.5 });
    expect((await svc("account", "credit", account_id, "0.25", "--json")).json()).toEqual({ account_id, balance: 2.75 });
    expect(await show(account_id)).toMatchObject({ lifetime_purchased: 2.5, lifetime_earned: 0.25 });
  });

  test("the bare number of an account is read too", async () => {
    const { account_id } = await newAccount();
    expect((await svc("account", "deposit", account_id.replace("acc_", ""), "1", "--json")).json()).toEqual({ account_id, balance: 1 });
  });

  test.each([["show"], ["deposit", "1"], ["credit", "1"]])(
    "%s of an account that does not exist is refused with 1",
    async (verb, ...rest) => {
      const ran = await svc("account", verb, "acc_999999", ...rest, "--json");
      expect(ran).toMatchObject({ status: 1, stdout: "", stderr: "no such account: acc_999999\n" });
    },
  );

  test.each(["0", "-1", "abc", "1.000000001", "1e3", "", "60000000.1"])("an amount of %j is wrong usage", async (amount) => {
    const ran = await svc("account", "deposit", "acc_1", amount, "--json");
    expect(ran.status).toBe(2);
    expect(ran.stdout).toBe("");
  });

  test.each([
    ["60000000.1", "USD must be at most 60000000, not"],
    ["99999999999999", "USD must be at most 60000000, not"],
    ["-99999999999999", "USD must be above 0, not"],
    ["1.000000001", "USD must be an amount in USD with at most 8 decimals, not"],
  ])("of an amount of %s the bound is said that it passes", async (amount, sentence) => {
    expect((await svc("account", "deposit", "acc_1", amount)).stderr).toContain(`${sentence} "${amount}"`);
  });
});

describe("svc key", () => {
  test("create prints the key once; disable and enable take the key, its masked form or its id", async () => {
    const { account_id } = await newAccount();
    const created = (await svc("key", "create", account_id, "--name", "laptop", "--json")).json() as { api_key: string; name: string };
    expect(Object.keys(created)).toEqual(["api_key", "name"]);
    expect(created.name).toBe("laptop");
    const key = created.api_key;
    const { keys } = (await show(account_id)) as { keys: { id: string; name: string; masked: string }[] };
    const record = keys.find(({ name }) => name === "laptop")!;
    for (const form of [key, record.masked, record.id]) {
      expect((await svc("key", "disable", form, "--json")).json()).toEqual({ name: "laptop", enabled: false });
      expect((await svc("key", "enable", form, "--json")).json()).toEqual({ name: "laptop", enabled: true });
    }
  });

  test("create --limit sets the budget, list shows every key masked, delete names the key that became the default", async () => {
    const { account_id, api_key } = await newAccount();
    const made = (await svc("key", "create", account_id, "--name", "small", "--limit", "0.5", "--json")).json();
    const listed = (await svc("key", "list", account_id, "--json")).json() as { object: string; data: Record<string, unknown>[] };
    expect(listed).toMatchObject({
      object: "list",
      data: [
        { name: "small", limit_usd: 0.5, usage_usd: 0 },
        { name: "Default", limit_usd: null },
      ],
    });
    expect(JSON.stringify(listed)).not.toContain(String(made.api_key).slice(8, 20));
    expect(listed.data).toEqual((await show(account_id)).keys);
    const [small, first] = listed.data;
    expect((await svc("key", "delete", api_key, "--json")).json()).toEqual({ deleted: true, id: first!.id, new_default: small!.masked });
    const last = (await svc("key", "delete", String(small!.id), "--json")).json();
    expect(last).toMatchObject({ deleted: true, id: small!.id });
    expect(isKeyShaped(String(last.new_default_key))).toBe(true);
    expect((await svc("key", "delete", String(small!.id))).status).toBe(1);
  });

  test.each(["-1", "0.000000001", "many"])("a limit of %s is wrong usage", async (limit) => {
    expect((await svc("key", "create", "acc_1", "--name", "k", "--limit", limit)).status).toBe(2);
  });

  test.each(["nonsense", "key_999999", `svc_${"a".repeat(50)}`])("a key that does not exist (%s) is refused with 1", async (key) => {
    expect(await svc("key", "disable", key)).toMatchObject({ status: 1, stdout: "" });
  });
});

describe("usage", () => {
  test.each([
    [["nope"]],
    [["account"]],
    [["account", "show"]],
    [["account", "show", "1", "2"]],
    [["ledger", "audit", "--nope"]],
    [["account", "create", "--json"]],
    [["--json"]],
  ])("%j is wrong: 2, and nothing on standard output", async (words) => {
    const ran = await svc(...words);
    expect(ran.status).toBe(2);
    expect(ran.stdout).toBe("");
    expect(ran.stderr).toContain("svc");
  });

  const needy = commands.flatMap(({ name, takes, options }) =>
    Object.entries(options)
      .filter(([, { required }]) => required === true)
      .map(([option, { does }]) => ({ name, option, does, words: [...name.split(" "), ...takes.map(() => "1")] })),
  );
  test("an option that is given twice is wrong usage, and nothing is done: which of two amounts was meant?", async () => {
    const twice = ["--email", "twice@example.com", "--deposit", "5", "--deposit", "6"];
    const { status, stdout, stderr } = await svc("account", "create", ...twice, "--json");
    expect([status, stdout, stderr.split("\n")[0]]).toEqual([2, "", "--deposit is given twice"]);
    expect((await svc("account", "show", "twice@example.com")).status).toBe(1);
  });

  test.each(needy)("svc $name without --$option says that it is missing, and what it is", async ({ option, does, words }) => {
    const { status, stdout, stderr } = await svc(...words);
    expect([status, stdout, stderr.split("\n")[0]]).toEqual([2, "", `--${option} is missing (${does})`]);
  });

  test.each(["key rotate", "key disable", "account show", "account deposit 1", "ledger audit", "start"])(
    "a key among the words (%s) is never echoed, only its beginning",
    async (words) => {
      const { secret } = makeKey();
      const ran = await svc(...words.split(" "), secret);
      expect(ran.status).not.toBe(0);
      expect(ran.stdout + ran.stderr).not.toContain(secret.slice(8, 20));
    },
  );

  test("a command that does not exist is named with the key's beginning alone", async () => {
    const { secret } = makeKey();
    expect((await svc("key", "rotate", secret)).stderr).toContain(`svc key rotate ${secret.slice(0, 8)}…\n`);
  });

  test("--json may stand anywhere", async () => {
    expect((await svc("--json", "ledger", "audit")).json()).toMatchObject({ mismatches: [] });
  });
});

test("a database that lacks what this version needs is refused, what it lacks is named, and it was asked once", async () => {
  const database = await freshDatabase();
  const db = connect(database.url, { max: 1 });
  try {
    const { name } = (await db.pool.query<{ name: string }>("select name from schema_migration order by name desc limit 1")).rows[0]!;
    await db.pool.query("delete from schema_migration where name = $1", [name]);
    const query = vi.spyOn(pg.Client.prototype, "query");
    const ran = await callSvc({ DATABASE_URL: database.url }, ["ledger", "audit"]);
    const asked = JSON.stringify(query.mock.calls.map(([statement]) => statement)).match(/select name from schema_migration/g);
    query.mockRestore();
    expect(asked).toHaveLength(1);
    expect(ran.status).toBe(1);
    expect(ran.stderr).toBe(`the database is not up to date (${name} is missing): run svc migrate or svc start first\n`);
  } finally {
    await db.close();
    await database.drop();
  }
});

test("without a database that answers it is refused with 1 and no stack", async () => {
  const ran = await runSvc({ DATABASE_URL: "postgres://nobody:pass-word@127.0.0.1:1/none" }, ["ledger", "audit", "--json"]);
  expect(ran.status).toBe(1);
  expect(ran.stdout).toBe("");
  expect(ran.stderr).toBe("the Postgres of DATABASE_URL (127.0.0.1:1) takes no connection: connect ECONNREFUSED 127.0.0.1:1\n");
  expect(ran.stderr).not.toContain("    at ");
});
