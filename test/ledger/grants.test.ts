// Credit that expires: what a model of money that is spent grant by grant says is what the database says, after every step of random histories;
// and what expires is taken back once, never from calls in flight.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount } from "../../src/accounts/admin.ts";
import { connect, type Db, inTransaction } from "../../src/db/connect.ts";
import { expireGrants, postGrant, readGrants } from "../../src/ledger/grants.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { audit } from "../../src/ledger/audit.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 8 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const start = Date.parse("2026-11-26T00:00:00Z");
const at = (minutes: number) => new Date(start + minutes * 60_000);
const throws = (error: unknown) => {
  throw error;
};
const newAccount = async () => (await createAccount(db, { email: `${randomUUID()}@example.com`, verified: true, at: at(0) })).accountId;
const grant = (accountId: bigint, amount: bigint, now: Date, expiresAt: Date | null, id: string = randomUUID()) =>
  inTransaction(db, (transaction) => postGrant(transaction, { accountId, id, amount, ref: "test", at: now, expiresAt }));
const post = (accountId: bigint, kind: string, amount: bigint, now: Date, id: string = randomUUID(), corrects: bigint | null = null) =>
  db.pool.query("insert into ledger_entry (account_id, created_at, id, kind, amount, ref, corrects) values ($1, $2, $3, $4, $5, 't', $6)", [
    ...[accountId, now, id, kind, amount, corrects],
  ]);
const balanceOf = async (accountId: bigint) =>
  (await db.pool.query<{ available: bigint; total: bigint }>("select available, available + reserved as total from balance where account_id = $1", [accountId])).rows[0]!; // prettier-ignore
const lefts = async (accountId: bigint) =>
  (await readGrants(db, accountId, null, 1000)).map(({ seq, left }) => [seq, left] as const).reverse();

interface Modelled {
  seq: bigint;
  left: bigint;
  expiresAt: number;
  order: string;
  isOver: boolean;
}

test.each([1, 2, 3, 4, 5, 6])(
  "history %s: after every step each grant has left what the model says, and the balance never falls below 0",
  async (seed) => {
    const accountId = await newAccount();
    let state = seed * 7919;
    const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
    const grants: Modelled[] = [];
    let [minute, balance] = [0, 0n];
    const burn = (amount: bigint) => {
      let rest = amount;
      for (const one of grants.filter(({ isOver }) => !isOver).sort((a, b) => a.expiresAt - b.expiresAt || (a.order < b.order ? -1 : 1))) {
        const part = rest < one.left ? rest : one.left;
        one.left -= part;
        rest -= part;
      }
      balance -= amount;
    };
    for (let step = 0; step < 60; step += 1) {
      minute += 1 + random(3);
      const amount = BigInt(1 + random(1000));
      switch (random(6)) {
        case 0: {
          const id = randomUUID();
          const expiresAt = minute + 5 + random(40);
          const { seq } = await grant(accountId, amount, at(minute), at(expiresAt), id);
          grants.push({ seq, left: amount, expiresAt, order: id, isOver: false });
          balance += amount;
          break;
        }
        case 1:
          await post(accountId, ["deposit", "bonus", "refund"][random(3)]!, amount, at(minute));
          balance += amount;
          break;
        case 2:
          await expireGrants(db, at(minute), throws);
          for (const one of grants.filter(({ isOver, expiresAt }) => !isOver && expiresAt <= minute)) {
            balance -= one.left;
            Object.assign(one, { left: 0n, isOver: true });
          }
          break;
        default:
          if (balance === 0n) break;
          await post(accountId, "usage", -(amount < balance ? amount : balance), at(minute));
          burn(amount < balance ? amount : balance);
      }
      if (random(2) === 0) expect(await lefts(accountId)).toEqual(grants.map(({ seq, left }) => [seq, left]));
      expect((await balanceOf(accountId)).total).toBe(balance);
      expect(balance >= 0n).toBe(true);
    }
    expect((await audit(db)).mismatches).toEqual([]);
  },
);

test("eight sweeps at once take it back once, by one entry that names the grant; a later one takes nothing", async () => {
  const accountId = await newAccount();
  const { seq } = await grant(accountId, 100n, at(0), at(10));
  await post(accountId, "usage", -30n, at(1));
  await expireGrants(db, at(9), throws);
  expect((await balanceOf(accountId)).total).toBe(70n);
  await Promise.all(Array.from({ length: 8 }, () => expireGrants(db, at(10), throws)));
  await expireGrants(db, at(11), throws);
  const { rows } = await db.pool.query("select kind, amount, corrects, reason from ledger_entry where account_id = $1 and seq > 2", [
    accountId,
  ]);
  expect(rows).toEqual([{ kind: "earned_adjustment", amount: -70n, corrects: seq, reason: "The credit expired." }]);
  expect(await readGrants(db, accountId, null, 10)).toMatchObject([{ spent: 30n, expired: 70n, left: 0n, endedAt: at(10) }]);
});

test("what a call in flight holds is left to it; what it gives back expires afterwards", async () => {
  const accountId = await newAccount();
  await grant(accountId, 100n, at(0), at(10));
  const hold = randomUUID();
  await db.pool.query("insert into hold (account_id, id, amount, owner, expires_at) values ($1, $2, 60, $2, now() + interval '1 hour')", [
    accountId,
    hold,
  ]);
  await expireGrants(db, at(10), throws);
  expect(await balanceOf(accountId)).toEqual({ available: 0n, total: 60n });
  await db.pool.query("delete from hold where id = $1", [hold]);
  await post(accountId, "usage", -25n, at(11));
  await expireGrants(db, at(12), throws);
  expect(await balanceOf(accountId)).toEqual({ available: 0n, total: 0n });
  expect(await readGrants(db, accountId, null, 10)).toMatchObject([{ spent: 25n, expired: 75n, left: 0n, endedAt: at(12) }]);
});

test("a media job's hold counts as held as well", async () => {
  const accountId = await newAccount();
  await grant(accountId, 100n, at(0), at(10));
  const job = randomUUID();
  await post(accountId, "hold", -100n, at(1), job);
  await expireGrants(db, at(10), throws);
  expect(await readGrants(db, accountId, null, 10)).toMatchObject([{ left: 100n, endedAt: null }]);
  await post(accountId, "hold_release", 100n, at(11), job);
  await expireGrants(db, at(12), throws);
  expect((await balanceOf(accountId)).total).toBe(0n);
});

test("what the operator took back of a grant does not expire a second time, and purchased money stays", async () => {
  const accountId = await newAccount();
  await post(accountId, "deposit", 500n, at(0));
  const { seq } = await grant(accountId, 100n, at(1), at(10));
  await post(accountId, "earned_adjustment", -40n, at(2), randomUUID(), seq);
  await post(accountId, "usage", -50n, at(3));
  await expireGrants(db, at(10), throws);
  expect((await balanceOf(accountId)).total).toBe(500n);
  expect(await readGrants(db, accountId, null, 10)).toMatchObject([{ spent: 50n, expired: 10n, left: 0n }]);
});

test("a balance that is locked holds up no other account's, and its credit expires in the next round", async () => {
  const [locked, free] = [await newAccount(), await newAccount()];
  for (const accountId of [locked, free]) await grant(accountId, 10n, at(0), at(5));
  const faults: string[] = [];
  await inTransaction(db, async (transaction) => {
    await transaction.pool.query("select 1 from balance where account_id = $1 for update", [locked]);
    await expireGrants(db, at(5), (_, what) => void faults.push(what));
  });
  expect(faults).toEqual(["taking back expired credit"]);
  expect([(await balanceOf(locked)).total, (await balanceOf(free)).total]).toEqual([10n, 0n]);
  await expireGrants(db, at(6), throws);
  expect((await balanceOf(locked)).total).toBe(0n);
});

test("what an operator adds to a grant does not expire, and stops neither its counting nor its end", async () => {
  const accountId = await newAccount();
  const { seq } = await grant(accountId, 10n, at(1), at(60));
  await post(accountId, "earned_adjustment", 5n, at(2), randomUUID(), seq);
  await post(accountId, "usage", -12n, at(3));
  expect(await lefts(accountId)).toEqual([[seq, 0n]]);
  await expireGrants(db, at(61), throws);
  expect(await balanceOf(accountId)).toEqual({ available: 3n, total: 3n });
});
