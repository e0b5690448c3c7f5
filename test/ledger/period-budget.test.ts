// A budget that begins anew with each period, beside the one of the key's life: exact under concurrency, with slices, and at a period's turn.
import { describe, expect, test } from "vitest";
import { callAll, escrowWorld, sum } from "./escrow-world.ts";

const world = escrowWorld();

interface Limits {
  life?: bigint | null;
  period?: string;
  each: bigint | null;
}

async function limited({ life = null, period = "day", each }: Limits) {
  const account = await world.richAccount();
  const sql = "update key_budget set limit_amount = $2, period = $3, period_limit = $4 where key_id = $1";
  await world.db.pool.query(sql, [account.keyId, life, period, each]);
  return account;
}

interface Spending {
  spent: bigint;
  reserved: bigint;
  period_spent: bigint;
}

async function spendingOf({ keyId }: { keyId: bigint }): Promise<Spending> {
  const { rows } = await world.db.pool.query<Spending>("select spent, reserved, period_spent from key_budget where key_id = $1", [keyId]);
  return rows[0]!;
}

/** The period that the key's charges counted in is over. */
async function turn({ keyId }: { keyId: bigint }): Promise<void> {
  await world.db.pool.query("update key_budget set period_ends = clock_timestamp() where key_id = $1", [keyId]);
}

describe("a recurring budget that pays k calls", () => {
  test("admits exactly 50 of 600 at once from three processes, and as many again in the next period", async () => {
    const some = await world.processes(3);
    const account = await limited({ each: 5_099n });
    const calling = { ...account, want: 100n, cost: () => 100n };
    for (let period = 1n; period <= 3n; period += 1n) {
      expect(await callAll(some, 600, calling)).toBe(50);
      expect(await spendingOf(account)).toEqual({ spent: 5_000n * period, reserved: 0n, period_spent: 5_000n });
      await turn(account);
    }
  });

  test("admits exactly as many where it is large enough for slices: recalled before a call is refused", async () => {
    const account = await limited({ each: 80_000n }); // first: processes that hear of it open no slice for a while
    const some = await world.processes(3);
    const calling = { ...account, want: 100n, cost: () => 100n };
    expect(await callAll(some, 2_000, calling)).toBe(800);
    expect(sum(some, "escrow_take")).toBeGreaterThan(0);
    await turn(account);
    expect(await callAll(some, 2_000, calling)).toBe(800);
    expect(await spendingOf(account)).toEqual({ spent: 160_000n, reserved: 0n, period_spent: 80_000n });
  });

  test("a turn while calls are in flight: what they hold counts in the new period, and so does their cost, once", async () => {
    const [one, other] = await world.processes(2);
    const account = await limited({ each: 1_000n });
    const calling = { ...account, want: 100n, cost: () => 100n };
    const ends = [];
    for (let calls = 0; calls < 3; calls += 1) ends.push((await one!.begin(calling))!);
    expect(await callAll([other!], 40, calling)).toBe(7);
    await turn(account);
    expect(await callAll([one!, other!], 40, calling)).toBe(7);
    for (const end of ends) await end();
    expect(await spendingOf(account)).toEqual({ spent: 1_700n, reserved: 0n, period_spent: 1_000n });
    expect(await callAll([one!, other!], 40, calling)).toBe(0);
  });

  test("turns that come at any moment never let more through than the periods pay for", async () => {
    const some = await world.processes(3);
    const account = await limited({ each: 2_000n });
    let isOver = false;
    let turns = 0;
    const turning = (async () => {
      while (!isOver) {
        await turn(account);
        turns += 1;
      }
    })();
    const served = await callAll(some, 1_500, { ...account, want: 100n, cost: () => 100n });
    isOver = true;
    await turning;
    expect(served).toBeGreaterThan(20);
    expect(served).toBeLessThanOrEqual(20 * (turns + 1));
    const { spent, reserved, period_spent } = await spendingOf(account);
    expect([spent, reserved, period_spent <= 2_000n]).toEqual([BigInt(served) * 100n, 0n, true]);
  });

  test("the budget of its life holds across periods, and is the one that refuses where it has less", async () => {
    const some = await world.processes(2);
    const account = await limited({ life: 2_500n, each: 1_000n });
    const calling = { ...account, want: 100n, cost: () => 100n };
    const served = [];
    for (let period = 0; period < 4; period += 1) {
      served.push(await callAll(some, 100, calling));
      await turn(account);
    }
    expect(served).toEqual([10, 10, 5, 0]);
  });

  test("a period without a limit counts and refuses nothing; a limit below what is spent blocks until the turn", async () => {
    const some = await world.processes(1);
    const account = await limited({ each: null });
    const calling = { ...account, want: 100n, cost: () => 100n };
    expect(await callAll(some, 30, calling)).toBe(30);
    await world.db.pool.query("update key_budget set period_limit = 1000 where key_id = $1", [account.keyId]);
    expect(await callAll(some, 30, calling)).toBe(0);
    await turn(account);
    expect(await callAll(some, 30, calling)).toBe(10);
  });
});

test("periods are those of UTC's calendar, whatever the session's time zone; a week begins on Monday", async () => {
  const client = await world.db.pool.connect();
  try {
    await client.query("set time zone 'Asia/Kathmandu'");
    const { rows } = await client.query<{ period: string; ends: Date }>(
      `select p as period, budget_period_ends(p, null, '2026-12-31T23:59:59.999Z') as ends from unnest(array['hour', 'day', 'week', 'month']) p`,
    );
    expect(Object.fromEntries(rows.map(({ period, ends }) => [period, ends.toISOString()]))).toEqual({
      hour: "2027-01-01T00:00:00.000Z",
      day: "2027-01-01T00:00:00.000Z",
      week: "2027-01-04T00:00:00.000Z",
      month: "2027-01-01T00:00:00.000Z",
    });
  } finally {
    await client.query("reset time zone");
    client.release();
  }
});

test("a refund returns to the running period, as far as that has spent", async () => {
  const some = await world.processes(1);
  const account = await limited({ each: 1_000n });
  const calling = { ...account, want: 300n, cost: () => 300n };
  expect(await callAll(some, 2, calling)).toBe(2);
  const { rows } = await world.db.pool.query<{ id: string }>(
    "select id from ledger_entry where account_id = $1 and kind = 'usage' order by seq",
    [account.accountId],
  );
  const refund = (id: string) =>
    world.db.pool.query("select ledger_refund($1, $2, clock_timestamp(), null, 'test')", [account.accountId, id]);
  await refund(rows[0]!.id);
  expect(await spendingOf(account)).toEqual({ spent: 300n, reserved: 0n, period_spent: 300n });
  await turn(account);
  await refund(rows[1]!.id);
  expect(await spendingOf(account)).toEqual({ spent: 0n, reserved: 0n, period_spent: 0n });
});
