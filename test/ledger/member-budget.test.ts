// The budget of a member bounds all keys that the member created: exact under concurrency, over several keys and processes, with slices, and at
// a period's turn. After each test the audit recomputes it.
import { describe, expect, test } from "vitest";
import { inTransaction } from "../../src/db/connect.ts";
import type { BudgetChange } from "../../src/accounts/key-budgets.ts";
import { audit } from "../../src/ledger/audit.ts";
import { readLimitedKey } from "../../src/ledger/balance.ts";
import { eventually } from "../support/eventually.ts";
import type { Calling, EscrowProcess } from "./escrow-process.ts";
import { callAll, escrowWorld, sum } from "./escrow-world.ts";
import { limitMember, newKey, newMember } from "./new-account.ts";

const world = escrowWorld();

type Member = Awaited<ReturnType<typeof newMember>>;

const set = (one: Member, change: BudgetChange) => limitMember(world.db, one, change);

async function member(change: BudgetChange): Promise<Member> {
  const { accountId } = await world.richAccount();
  const one = await newMember(world.db, accountId, 3);
  await set(one, change);
  return one;
}

async function budgetOf({ accountId, personId }: Member): Promise<{ spent: bigint; reserved: bigint; period_spent: bigint }> {
  const { rows } = await world.db.pool.query(
    "select spent, reserved, period_spent from member_budget where account_id = $1 and person_id = $2",
    [accountId, personId],
  );
  return rows[0];
}

const turn = ({ accountId }: Member) =>
  world.db.pool.query("update member_budget set period_ends = clock_timestamp() where account_id = $1", [accountId]);
const calling = (accountId: bigint, keyId: bigint): Calling => ({ accountId, keyId, want: 100n, cost: () => 100n });

/** So many calls with each key, all at once; how many were served. */
async function spend(some: readonly EscrowProcess[], { accountId, keys }: Member, calls: number): Promise<number> {
  const served = await Promise.all(keys.map((keyId) => callAll(some, calls, calling(accountId, keyId), 8)));
  return served.reduce((all, one) => all + one, 0);
}

describe("a member's budget that pays k calls", () => {
  test("admits exactly 50 of 600 at once, with three keys at three processes; another person's key spends on", async () => {
    const some = await world.processes(3);
    const one = await member({ limit: 5_099n });
    const other = await newKey(world.db, one.accountId);
    const [served, others] = await Promise.all([spend(some, one, 200), callAll(some, 60, calling(one.accountId, other))]);
    expect([served, others]).toEqual([50, 60]);
    expect(await budgetOf(one)).toEqual({ spent: 5_000n, reserved: 0n, period_spent: 0n });
  });

  test("admits exactly as many where it is large enough for slices of several keys: recalled before a call is refused", async () => {
    const one = await member({ limit: 80_000n }); // first: processes that hear of it open no slice for a while
    const some = await world.processes(2);
    expect(await spend(some, one, 700)).toBe(800);
    expect(sum(some, "escrow_take")).toBeGreaterThan(0);
    expect(await budgetOf(one)).toMatchObject({ spent: 80_000n, reserved: 0n });
  });

  test("begins anew with each period, calls in flight at its turn included", async () => {
    const some = await world.processes(2);
    const one = await member({ limit: 1_000n, resets: "daily" });
    const ends = [];
    for (const keyId of one.keys) ends.push((await some[0]!.begin(calling(one.accountId, keyId)))!);
    expect(await spend(some, one, 20)).toBe(7);
    await turn(one);
    expect(await spend(some, one, 20)).toBe(7);
    for (const end of ends) await end();
    expect(await budgetOf(one)).toEqual({ spent: 1_700n, reserved: 0n, period_spent: 1_000n });
    expect(await spend(some, one, 20)).toBe(0);
  });
});

test("of two processes that both saw room for one call while a third held the balance, one is admitted", async () => {
  const some = await world.processes(2);
  for (let round = 0; round < 3; round += 1) {
    const one = await member({ limit: 399n });
    for (const [key, process] of some.entries()) expect(await process.call(calling(one.accountId, one.keys[key]!))).toBe(true);
    for (const { sent } of some) sent.admit_calls = 0;
    const begun = await inTransaction(world.db, async ({ pool }) => {
      await pool.query("select 1 from balance where account_id = $1 for no key update", [one.accountId]);
      const calls = some.map((process, key) => process.begin(calling(one.accountId, one.keys[key]!)));
      await eventually(async () => {
        const { rows } = await world.db.pool.query<{ waiting: number }>(
          "select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        expect(rows[0]!.waiting).toBe(2);
      }, 5);
      return { calls };
    });
    const ends = (await Promise.all(begun.calls)).filter((end) => end !== null);
    expect(ends).toHaveLength(1);
    expect(sum(some, "admit_calls")).toBeGreaterThan(2); // once in vain
    for (const end of ends) await end();
  }
});

test("a smaller budget of a key holds beside the member's, and each refusal names the one that has less", async () => {
  const some = await world.processes(1);
  const one = await member({ limit: 1_000n });
  const [first, second] = one.keys as [bigint, bigint, bigint];
  await world.db.pool.query("update key_budget set limit_amount = 300 where key_id = $1", [first]);
  expect(await callAll(some, 10, calling(one.accountId, first))).toBe(3);
  expect(await readLimitedKey(world.db, first)).toMatchObject({ left: 0n, limit: 300n, member: null });
  expect(await callAll(some, 10, calling(one.accountId, second))).toBe(7);
  expect(await readLimitedKey(world.db, second)).toMatchObject({ left: 0n, limit: 1_000n, period: null, member: expect.any(String) });
});

test("what the keys spent before counts for a budget of all time, and not for the first period; a key made later counts as well", async () => {
  const some = await world.processes(1);
  const one = await member({});
  expect(await spend(some, one, 2)).toBe(6);
  await set(one, { limit: 1_000n });
  expect(await budgetOf(one)).toMatchObject({ spent: 600n });
  const { rows } = await world.db.pool.query<{ id: bigint }>(
    `insert into api_key (account_id, hash, prefix, last4, name, created_by) select account_id, sha256(hash), prefix, last4, name, created_by
     from api_key where id = $1 returning id`,
    [one.keys[0]],
  );
  expect(await callAll(some, 10, calling(one.accountId, rows[0]!.id))).toBe(4);
  await set(one, { resets: "weekly" });
  expect(await spend(some, one, 10)).toBe(10);
  await set(one, { resets: "never" });
  expect(await spend(some, one, 10)).toBe(0);
  await set(one, { limit: null });
  expect(await spend(some, one, 10)).toBe(30);
});

test("a limit below what is spent takes nothing back and lets nothing more through; calls in flight count when it is set", async () => {
  const some = await world.processes(1);
  const one = await member({});
  const end = (await some[0]!.begin(calling(one.accountId, one.keys[0]!)))!;
  await set(one, { limit: 199n });
  expect(await budgetOf(one)).toMatchObject({ spent: 0n, reserved: 100n });
  expect(await spend(some, one, 5)).toBe(0);
  await end();
  await set(one, { limit: 50n });
  expect(await spend(some, one, 5)).toBe(0);
  expect(await budgetOf(one)).toEqual({ spent: 100n, reserved: 0n, period_spent: 0n });
});

test("limits that change all the while let no call through above the largest", async () => {
  const some = await world.processes(2);
  const one = await member({ limit: 1_000n });
  let isOver = false;
  const changing = (async () => {
    for (let round = 0; !isOver; round += 1) await set(one, { limit: round % 2 === 0 ? 3_000n : 2_000n });
  })();
  const served = await spend(some, one, 100);
  isOver = true;
  await changing;
  expect(served).toBe(30);
});

test("a refund of a charge returns to the member's budget", async () => {
  const some = await world.processes(1);
  const one = await member({ limit: 300n, resets: "monthly" });
  expect(await spend(some, one, 3)).toBe(3);
  await world.db.pool.query(
    `select ledger_refund(account_id, id, clock_timestamp(), null, 'test') from ledger_entry where account_id = $1 and kind = 'usage' limit 1`,
    [one.accountId],
  );
  expect(await budgetOf(one)).toEqual({ spent: 200n, reserved: 0n, period_spent: 200n });
  expect(await spend(some, one, 3)).toBe(1);
});

test("the audit finds a figure that its keys do not add up to", async () => {
  const some = await world.processes(1);
  const one = await member({ limit: 300n });
  expect(await spend(some, one, 1)).toBe(3);
  const setByHand = async (spent: bigint) => {
    await world.db.pool.query("alter table member_budget disable trigger member_budgets_follow_keys");
    await world.db.pool.query("update member_budget set spent = $2 where account_id = $1", [one.accountId, spent]);
    await world.db.pool.query("alter table member_budget enable trigger member_budgets_follow_keys");
  };
  await setByHand(200n);
  expect((await audit(world.db)).mismatches).toEqual([
    expect.objectContaining({ what: `spent by the keys of person ${one.personId}`, stored: 0.000002, computed: 0.000003 }),
  ]);
  await setByHand(300n);
});

test("what it has spent is never set by hand", async () => {
  const one = await member({ limit: 300n });
  await expect(world.db.pool.query("update member_budget set spent = 0 where account_id = $1", [one.accountId])).rejects.toThrow(
    "follows those of the keys",
  );
});
