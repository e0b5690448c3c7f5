// A slice: when it is opened, renewed, given back and not used, also when answers are lost (README.md "Slices").
import { describe, expect, test, vi } from "vitest";
import { readBalance } from "../../src/ledger/balance.ts";
import { audit } from "../../src/ledger/audit.ts";
import { ledgerTimes } from "../../src/ledger/times.ts";
import { eventually } from "../support/eventually.ts";
import { whileFailing } from "../support/failing-statements.ts";
import { sized } from "../support/size.ts";
import type { End } from "./escrow-process.ts";
import { callAll, changeHolds, countOf, escrowWorld, giveBackHolds, sum, unusedOf, whileInUse } from "./escrow-world.ts";

const world = escrowWorld();

describe("a slice", () => {
  test.each([
    ["", 0],
    ["; once, however many answers of that are lost", 1],
  ])("gives back what it has left while its calls are still in flight, once no more come%s", async (_title, everyLost) => {
    const [one] = await world.processes(1);
    if (everyLost > 0) one!.loseAnswersOf("escrow_close", everyLost);
    const calling = { ...(await world.richAccount()), want: 1_000n, cost: () => 10n };
    const ends: (() => Promise<void>)[] = [];
    await whileInUse(one!, calling, async () => {
      for (let calls = 0; calls < 10; calls += 1) ends.push((await one!.begin(calling))!);
    });
    await eventually(async () => {
      expect(await readBalance(world.db, calling.accountId)).toMatchObject({ reserved: 10_000n });
      expect(await unusedOf(world.db, calling.accountId)).toBe(0n);
    });
    const calls = await countOf(world.db, calling.accountId, "rpm");
    const { rows } = await world.db.pool.query("select 1 from usage_log where account_id = $1", [calling.accountId]);
    expect(calls).toBe(rows.length + 10);
    one!.loseAnswersOf(null);
    for (const end of ends) await end();
    await eventually(async () => expect(await readBalance(world.db, calling.accountId)).toMatchObject({ reserved: 0n }));
  });

  test("is renewed as long as a call of it is in flight, as every hold", async () => {
    const [one] = await world.processes(1, { times: { ...ledgerTimes, beatMs: 50, renewAfterMs: 0 } });
    const calling = { ...(await world.richAccount()), want: 1_000n, cost: () => 10n };
    let end: End | null = null;
    await whileInUse(one!, calling, async () => (end = await one!.begin(calling)));
    const hold = "from hold where account_id = $1";
    await changeHolds(world.db, calling.accountId, "update hold h set expires_at = now() + interval '20 seconds' from");
    await eventually(async () => {
      const { rows } = await world.db.pool.query(`select expires_at > now() + interval '1 minute' as is_renewed ${hold}`, [
        calling.accountId,
      ]);
      expect(rows).toEqual([{ is_renewed: true }]);
    });
    await end!();
  });

  test("whose calls others gave back, as those of a dead process, is held again, for as long as they are in flight", async () => {
    // On a busy machine a round may meet a balance that is locked: the next one holds them.
    const [one] = await world.processes(1, { mayFault: true, times: { ...ledgerTimes, beatMs: 50, renewAfterMs: 0 } });
    const calling = { ...(await world.richAccount()), want: 1_000n, cost: () => 10n };
    const ends: End[] = [];
    await whileInUse(one!, calling, async () => {
      for (let calls = 0; calls < 10; calls += 1) ends.push((await one!.begin(calling))!);
    });
    const reserved = async () => (await readBalance(world.db, calling.accountId))!.reserved;
    await eventually(async () => expect(await reserved()).toBe(10_000n));
    for (let times = 0; times < 3; times += 1) {
      await giveBackHolds(world.db, calling.accountId);
      await eventually(async () => expect(await reserved()).toBe(10_000n));
    }
    for (const end of ends) await end();
    await eventually(async () => expect(await reserved()).toBe(0n));
  });

  test("is given back when the budget of its key is set", async () => {
    const [one] = await world.processes(1);
    const account = await world.richAccount();
    await whileInUse(one!, { ...account, want: 1_000n, cost: () => 10n }, async () => {
      await world.db.pool.query("update key_budget set limit_amount = 0 where key_id = $1", [account.keyId]);
      await eventually(async () => expect(await unusedOf(world.db, account.accountId)).toBe(0n), 5);
      await eventually(async () => expect(await one!.call({ ...account, want: 1n, cost: () => 1n })).toBe(false));
    });
  });

  test("is not opened where recalls can't be heard", async () => {
    const [one] = await world.processes(1, { hears: false });
    const account = await world.richAccount();
    expect(await callAll([one!], 300, { ...account, want: 1_000n, cost: () => 10n })).toBe(300);
    expect(sum([one!], "escrow_take")).toBe(0);
  });

  test("serves nothing while the heartbeat fails: the others may take its process for dead", async () => {
    const [one] = await world.processes(1, { mayFault: true, times: { ...ledgerTimes, beatMs: 50, gapMs: 200 } });
    const calling = { ...(await world.richAccount()), want: 1_000n, cost: () => 10n };
    const ends: End[] = [];
    await whileInUse(one!, calling, async () => {
      ends.push((await one!.begin(calling))!); // as long as it is in flight, its slice does not end by itself
      await whileFailing(one!.db, { part: "insert into replica", code: "ECONNRESET" }, async () => {
        // Sooner than its minute ends.
        await vi.waitFor(async () => expect(await unusedOf(world.db, calling.accountId)).toBe(0n), { timeout: 300_000, interval: 5 });
        const before = one!.sent["escrow_take"];
        for (let calls = 0; calls < 20; calls += 1) await one!.call(calling);
        expect(one!.sent["escrow_take"]).toBe(before);
      });
    });
    for (const end of ends) await end();
  });

  test.each([
    // Not of every second one: a batch that is sent again asks two forms, of which that is always the second.
    { name: "ledger_settle", every: 3, calls: sized(400, 120) },
    { name: "escrow_take", every: 2, calls: sized(1_000, 300) },
  ])("loses and doubles nothing when answers of $name are lost", async ({ name, every, calls }) => {
    const [one] = await world.processes(1, { mayFault: true });
    const account = await world.richAccount();
    let charged = 0n;
    one!.loseAnswersOf(name, every);
    const cost = () => BigInt(Math.floor(Math.random() * 900));
    await callAll([one!], calls, { ...account, want: 1_000n, cost, onCharged: (amount) => (charged += amount) });
    expect(one!.sent[name]).toBeGreaterThan(1);
    one!.loseAnswersOf(null);
    await eventually(async () => expect((await audit(world.db)).reservations_open).toBe(0));
    expect(await readBalance(world.db, account.accountId)).toMatchObject({ available: 10n ** 12n - charged, reserved: 0n, spent: charged });
  });
});
