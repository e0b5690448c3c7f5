// Who a key belongs to, in two replicas on one database.
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createAccount, setKeyEnabled, setSuspended } from "../../src/accounts/admin.ts";
import { listKeys } from "../../src/accounts/key-records.ts";
import { makeKey } from "../../src/accounts/keys.ts";
import { createKey } from "../../src/accounts/manage-keys.ts";
import { createAccounts } from "../../src/accounts/accounts.ts";
import { systemClock } from "../../src/clock.ts";
import { postEntry } from "../../src/ledger/post.ts";
import { openDatabaseProxy } from "../robustness/database-proxy.ts";
import { type AccountsWorld, twoReplicas } from "../support/accounts.ts";
import { eventually } from "../support/eventually.ts";

let world: AccountsWorld;
let accounts = 0;

beforeAll(async () => {
  world = await twoReplicas();
});
afterAll(() => world.close());

function newAccount() {
  return createAccount(world.db, { email: `a${++accounts}@example.com`, verified: true, at: new Date() });
}

/** Within a second, and what a busy machine adds to it. */
const soon = { interval: 10 };

describe("authenticateKey", () => {
  test("finds the account, the key and that nothing was ever purchased", async () => {
    const { accountId, apiKey } = await newAccount();
    const caller = await world.replicas[0].authenticateKey(apiKey);
    expect(caller).toMatchObject({ accountId, purchased: 0n, suspended: false });
    const [key] = await listKeys(world.db, accountId);
    expect(`key_${caller!.keyId}`).toBe(key!.id);
    expect(key!.is_default).toBe(true);
  });

  test("knows no key that was never made", async () => {
    expect(await world.replicas[0].authenticateKey(makeKey().secret)).toBeUndefined();
  });

  test("asks the database once for many calls at the same time, and not at all for those after", async () => {
    // On a machine that stalls a known key may have to be asked for again.
    await eventually(async () => {
      const { apiKey } = await newAccount();
      using queries = vi.spyOn(world.db.pool, "query");
      await Promise.all(Array.from({ length: 50 }, () => world.replicas[0].authenticateKey(apiKey)));
      await world.replicas[0].authenticateKey(apiKey);
      expect(queries).toHaveBeenCalledTimes(1);
    });
  });

  test("a mistyped key costs no query", async () => {
    const queries = vi.spyOn(world.db.pool, "query");
    expect(await world.replicas[0].authenticateKey(`${makeKey().secret.slice(0, -1)}!`)).toBeUndefined();
    expect(queries).not.toHaveBeenCalled();
  });

  test("an unknown key costs one query, however often it is tried", async () => {
    const queries = vi.spyOn(world.db.pool, "query");
    const key = makeKey().secret;
    for (let tries = 0; tries < 5; tries++) expect(await world.replicas[0].authenticateKey(key)).toBeUndefined();
    expect(queries).toHaveBeenCalledTimes(1);
  });
});

describe("changes reach every replica within a second", () => {
  test("a disabled key stops, an enabled one works again", async () => {
    const { apiKey } = await newAccount();
    for (const replica of world.replicas) expect(await replica.authenticateKey(apiKey)).toBeDefined();
    await setKeyEnabled(world.db, apiKey, false);
    for (const replica of world.replicas) await expect.poll(() => replica.authenticateKey(apiKey), soon).toBeUndefined();
    await setKeyEnabled(world.db, apiKey, true);
    for (const replica of world.replicas) await expect.poll(() => replica.authenticateKey(apiKey), soon).toBeDefined();
  });

  test("a key deleted by hand in SQL stops", async () => {
    const { accountId, apiKey } = await newAccount();
    const { secret: second } = await createKey(world.db, { accountId, name: "second", at: new Date() });
    for (const replica of world.replicas) expect(await replica.authenticateKey(second)).toBeDefined();
    await world.db.pool.query("update api_key set deleted_at = now() where account_id = $1 and not is_default", [accountId]);
    for (const replica of world.replicas) await expect.poll(() => replica.authenticateKey(second), soon).toBeUndefined();
    for (const replica of world.replicas) expect(await replica.authenticateKey(apiKey)).toBeDefined();
  });

  test("a suspended account", async () => {
    const { accountId, apiKey } = await newAccount();
    for (const replica of world.replicas) expect((await replica.authenticateKey(apiKey))?.suspended).toBe(false);
    await setSuspended(world.db, accountId, new Date());
    for (const replica of world.replicas)
      await expect.poll(async () => (await replica.authenticateKey(apiKey))?.suspended, soon).toBe(true);
  });

  test("a first deposit lifts the free-tier gate", async () => {
    const { accountId, apiKey } = await newAccount();
    for (const replica of world.replicas) expect((await replica.authenticateKey(apiKey))?.purchased).toBe(0n);
    await postEntry(world.db, { accountId, kind: "deposit", amount: 500n, ref: "test", at: new Date() });
    for (const replica of world.replicas)
      await expect.poll(async () => (await replica.authenticateKey(apiKey))?.purchased, soon).toBe(500n);
  });

  test("a key disabled while the listening connections are broken", async () => {
    const { apiKey } = await newAccount();
    for (const replica of world.replicas) expect(await replica.authenticateKey(apiKey)).toBeDefined();
    await world.db.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'svc-listen'",
    );
    await setKeyEnabled(world.db, apiKey, false);
    for (const replica of world.replicas) await expect.poll(() => replica.authenticateKey(apiKey), soon).toBeUndefined();
  });
});

describe.each(["cut", "silence"] as const)("a replica whose listening connection alone is lost for good (%s)", (how) => {
  test("refuses a key disabled meanwhile within about a second, accepts it again as quickly, and caches again once the listener is back", async () => {
    const wire = await openDatabaseProxy(world.url);
    const replica = await createAccounts(world.db, {
      listenUrl: wire.url,
      clock: systemClock,
      onFault: (error) => world.faults.push(error),
    });
    const { apiKey } = await newAccount();
    expect(await replica.authenticateKey(apiKey)).toBeDefined();
    wire[how]();
    await setKeyEnabled(world.db, apiKey, false);
    await expect.poll(() => replica.authenticateKey(apiKey), soon).toBeUndefined();
    await setKeyEnabled(world.db, apiKey, true);
    await expect.poll(() => replica.authenticateKey(apiKey), soon).toBeDefined();

    wire.restore();
    const queries = vi.spyOn(world.db.pool, "query");
    const asked = async () => {
      queries.mockClear();
      await replica.authenticateKey(apiKey);
      return queries.mock.calls.length;
    };
    await expect.poll(asked, { interval: 1_000 }).toBe(0); // longer than a cached key counts without a listener
    queries.mockRestore();
    await replica.close();
    await wire.close();
  });
});

test("the last use of a key is written at the latest when a replica ends", async () => {
  const own = await twoReplicas();
  const { accountId, apiKey } = await createAccount(own.db, { email: "used@example.com", verified: true, at: new Date() });
  const before = new Date();
  await Promise.all(own.replicas.map((replica) => replica.authenticateKey(apiKey)));
  expect((await listKeys(own.db, accountId))[0]!.last_used_at).toBeNull();
  await Promise.all(own.replicas.map((replica) => replica.close()));
  expect(new Date((await listKeys(own.db, accountId))[0]!.last_used_at!).getTime()).toBeGreaterThanOrEqual(before.getTime());
  expect(own.faults).toEqual([]);
  await own.close();
});
