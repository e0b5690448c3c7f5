// Escrow: calls of an account in use are admitted out of a slice in memory, and nothing is less exact for it (README.md "Slices").
import { describe, expect, test } from "vitest";
import { readBalance } from "../../src/ledger/balance.ts";
import { awayFromMinuteEdge } from "../limits/counted-database.ts";
import { eventually } from "../support/eventually.ts";
import { sized } from "../support/size.ts";
import { highTiers } from "../support/tiers.ts";
import { callAll, countOf, escrowWorld, giveBackHolds, sum, unusedOf, whileInUse } from "./escrow-world.ts";

const world = escrowWorld();

describe("an account in use", () => {
  test("has calls admitted in memory; at rest nothing is held, and its limits count the calls that were made", async () => {
    const [one] = await world.processes(1);
    const account = await world.richAccount();
    expect(await callAll([one!], 2_000, { ...account, want: 1_000n, cost: () => 300n })).toBe(2_000);
    expect(await readBalance(world.db, account.accountId)).toMatchObject({
      available: 10n ** 12n - 600_000n,
      reserved: 0n,
      spent: 600_000n,
    });
    for (const bucket of ["rpm", "rpm:demo/chat", "day"]) expect(await countOf(world.db, account.accountId, bucket)).toBe(2_000);
    await eventually(async () => expect(await countOf(world.db, account.accountId, "tpm")).toBe(4_000));
  });

  test("waits for one statement a call, its settlement, and for none before it", async () => {
    const [one] = await world.processes(1);
    const calling = { ...(await world.richAccount()), want: 1_000n, cost: () => 300n };
    await whileInUse(one!, calling, async () => {
      for (let inMemory = 0; inMemory < 20;) {
        const end = await one!.begin(calling);
        const before = one!.sentFor(end!.id);
        await end!();
        const all = one!.sentFor(end!.id);
        // A call that finds no slice, or not enough of it, waits for two.
        expect(all.slice(before.length)).toEqual(["ledger_settle"]);
        expect(before.length).toBeLessThan(2);
        if (before.length === 0) inMemory += 1;
      }
    });
  });

  test("costs are charged to the unit, also above what was held; none is paid twice", async () => {
    const some = await world.processes(2);
    const account = await world.richAccount();
    let charged = 0n;
    let calls = 0;
    const cost = () => (calls++ % 50 === 0 ? 1_700n : BigInt(calls % 1_000));
    await callAll(some, 2_000, { ...account, want: 1_000n, cost, onCharged: (amount) => (charged += amount) });
    expect(sum(some, "escrow_take")).toBeGreaterThan(0);
    expect(await readBalance(world.db, account.accountId)).toMatchObject({ available: 10n ** 12n - charged, reserved: 0n, spent: charged });
  });

  test("a small balance, a small budget and a small limit are never sliced", async () => {
    const small = [await world.richAccount(100_000n), await world.richAccount(10n ** 12n, 100_000n), await world.richAccount()];
    const [one] = await world.processes(1);
    const tiers = [highTiers(), highTiers(), highTiers({ rpm: 150 })];
    for (const [place, account] of small.entries())
      await callAll([one!], 100, { ...account, want: 1_000n, cost: () => 1n, tiers: tiers[place]! });
    const { rows } = await world.db.pool.query("select 1 from escrow where account_id = any($1)", [
      small.map(({ accountId }) => accountId),
    ]);
    expect(rows).toEqual([]);
  });
});

describe("a call that slices leave too little for", () => {
  /** An account of 1,000,000 units of which another process holds some in a slice, for calls that cost nothing. */
  const setUp = async () => {
    const [busy, other] = await world.processes(2);
    const account = await world.richAccount(1_000_000n);
    return { busy: busy!, other: other!, free: { ...account, want: 100n, cost: () => 0n }, account };
  };

  test("is served with what the others give back, in full, before it is refused; its own process gives back, too", async () => {
    const { busy, other, free, account } = await setUp();
    for (const one of [other, busy])
      await whileInUse(busy, free, async () => {
        await eventually(async () => expect(await unusedOf(world.db, account.accountId)).toBeGreaterThan(2_400n), 5);
        // All but what 8 calls in flight hold at most.
        const end = await one.begin({ ...account, want: 999_200n, cost: () => 0n });
        expect(end).not.toBeNull();
        await end!();
      });
  });

  test("is not lowered either: a grant in part is made again in full", async () => {
    const { busy, other, free, account } = await setUp();
    await whileInUse(busy, free, async () => {
      const granted = await other.ledger.reserve({ ...account, id: crypto.randomUUID(), want: 999_200n, least: 1n });
      expect(granted).toMatchObject({ granted: 999_200n });
    });
    await giveBackHolds(world.db, account.accountId);
  });

  test("is counted where a limit has room for it without what slices have counted in advance, and the next one is refused", async () => {
    const [busy, other] = await world.processes(2);
    const calling = { ...(await world.richAccount()), want: 100n, cost: () => 0n, tokens: 100, tiers: highTiers({ tpm: 1_000_000 }) };
    const kept = await whileInUse(busy!, calling, () => busy!.begin(calling));
    const rest = await other!.begin({ ...calling, tokens: 1_000_000 - 100 * busy!.made });
    expect(rest).not.toBeNull();
    for (const one of [busy!, other!]) expect(await one.begin({ ...calling, tokens: 1 })).toBeNull();
    await kept!();
    await rest!();
  });

  test("is refused for good without a lock, and a flood of them opens no slice", async () => {
    const { busy, other, free, account } = await setUp();
    await whileInUse(busy, free, async () => {
      const refused = await Promise.all(Array.from({ length: 200 }, () => other.begin({ ...account, want: 1_000_001n, cost: () => 0n })));
      expect(refused.filter((end) => end !== null)).toEqual([]);
    });
    expect(other.sent["pg_notify"] ?? 0).toBeLessThan(10);
  });
});

describe("over three processes with slices", () => {
  const calls = sized(12_000, 3_000);
  test("a balance that pays for k calls lets exactly k through", async () => {
    const some = await world.processes(3);
    const k = calls / 2;
    const account = await world.richAccount(BigInt(k) * 100n + 99n);
    expect(await callAll(some, calls, { ...account, want: 100n, cost: () => 100n })).toBe(k);
    expect(sum(some, "escrow_take")).toBeGreaterThan(0);
    expect(await readBalance(world.db, account.accountId)).toMatchObject({ available: 99n, reserved: 0n });
  });
  test("a key's budget that pays for k calls lets exactly k through", async () => {
    const k = calls / 2;
    const account = await world.richAccount(10n ** 12n, BigInt(k) * 100n + 99n);
    const some = await world.processes(3);
    expect(await callAll(some, calls, { ...account, want: 100n, cost: () => 100n })).toBe(k);
    expect(sum(some, "escrow_take")).toBeGreaterThan(0);
  });
  test.each([
    ["requests", { rpm: calls / 2 }, calls / 2],
    ["requests of the model", { per_model_rpm: calls / 2 }, calls / 2],
    ["tokens", { tpm: calls * 50 }, calls / 2],
  ])("a limit of %s lets exactly so many through", async (_title, tier, k) => {
    await awayFromMinuteEdge(35_000);
    const some = await world.processes(3);
    const account = await world.richAccount();
    expect(await callAll(some, calls, { ...account, want: 100n, cost: () => 50n, tiers: highTiers(tier), tokens: 100 })).toBe(k);
    expect(sum(some, "escrow_take")).toBeGreaterThan(0);
  });
});
