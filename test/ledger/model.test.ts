// The ledger against a model of it in a few lines: random histories of reservations, settlements, repeats, deposits
// and dead replicas; after every step the database agrees with the model and audits clean.
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { audit } from "../../src/ledger/audit.ts";
import { readBalance } from "../../src/ledger/balance.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import { postEntry } from "../../src/ledger/post.ts";
import { newAccount } from "./new-account.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { usageLogRow } from "../support/usage-log-row.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

interface Model {
  available: bigint;
  holds: Map<string, bigint>;
  /** Costs that were charged, by request. */
  charged: Map<string, bigint>;
  deposited: bigint;
}

interface World {
  ledger: Ledger;
  accountId: bigint;
  /** Every reservation ever granted, so that late and repeated settlements can be tried. */
  granted: { id: string; at: Date }[];
}

const amount = fc.bigInt({ min: 0n, max: 500n });

class Reserve implements fc.AsyncCommand<Model, World> {
  readonly want: bigint;
  readonly least: bigint;
  constructor(want: bigint, share: number) {
    this.want = want;
    this.least = (want * BigInt(share)) / 100n;
  }
  check = () => true;
  async run(model: Model, world: World) {
    const id = randomUUID();
    const { granted, available } = await world.ledger.reserve({ accountId: world.accountId, id, want: this.want, least: this.least });
    expect(available).toBe(model.available);
    const expected =
      model.available >= this.least && model.available >= 0n ? (this.want < model.available ? this.want : model.available) : null;
    expect(granted).toBe(expected);
    if (expected === null) return;
    model.available -= expected;
    model.holds.set(id, expected);
    world.granted.push({ id, at: new Date() });
    await agree(model, world);
  }
  toString = () => `reserve(${this.want}, at least ${this.least})`;
}

class Settle implements fc.AsyncCommand<Model, World> {
  readonly pick: number;
  readonly cost: bigint;
  constructor(pick: number, cost: bigint) {
    this.pick = pick;
    this.cost = cost;
  }
  check = (model: Readonly<Model>) => model.holds.size + model.charged.size > 0;
  async run(model: Model, world: World) {
    const { id, at } = world.granted[this.pick % world.granted.length] as { id: string; at: Date };
    await world.ledger.settle({
      accountId: world.accountId,
      id,
      log: usageLogRow({ accountId: world.accountId, id, cost: this.cost, at }),
    });
    model.available += model.holds.get(id) ?? 0n;
    model.holds.delete(id);
    // The first settlement decides; a repeat changes nothing, and one at 0 leaves no charge to repeat.
    if (!model.charged.has(id)) {
      model.charged.set(id, this.cost);
      model.available -= this.cost;
    }
    await agree(model, world);
  }
  toString = () => `settle(#${this.pick}, ${this.cost})`;
}

class Deposit implements fc.AsyncCommand<Model, World> {
  readonly amount: bigint;
  constructor(amount: bigint) {
    this.amount = amount + 1n;
  }
  check = () => true;
  async run(model: Model, world: World) {
    await postEntry(db, { accountId: world.accountId, kind: "deposit", amount: this.amount, ref: "test", at: new Date() });
    model.available += this.amount;
    model.deposited += this.amount;
    await agree(model, world);
  }
  toString = () => `deposit(${this.amount})`;
}

/** The replica dies: nothing of it is in flight any more, and the sweep gives every hold back. */
class ReplicaDies implements fc.AsyncCommand<Model, World> {
  check = () => true;
  async run(model: Model, world: World) {
    await db.pool.query("update replica set seen_at = now() - interval '1 minute'");
    await db.pool.query("select ledger_sweep('9 seconds')");
    for (const held of model.holds.values()) model.available += held;
    model.holds.clear();
    await db.pool.query("update replica set seen_at = now()");
    await agree(model, world);
  }
  toString = () => "replicaDies()";
}

async function agree(model: Model, { accountId }: World) {
  const reserved = [...model.holds.values()].reduce((sum, held) => sum + held, 0n);
  const spent = [...model.charged.values()].reduce((sum, cost) => sum + cost, 0n);
  expect(await readBalance(db, accountId)).toEqual({ available: model.available, reserved, purchased: model.deposited, earned: 0n, spent });
  expect((await audit(db)).mismatches).toEqual([]);
}

describe("the ledger", () => {
  test("keeps every balance equal to its entries and holds, through any history", async () => {
    const ledger = await openLedger(db, (error) => expect.fail(String(error)));
    const commands = [
      fc.tuple(amount, fc.nat(100)).map(([want, share]) => new Reserve(want, share)),
      fc.tuple(fc.nat(50), amount).map(([pick, cost]) => new Settle(pick, cost)),
      amount.map((deposit) => new Deposit(deposit)),
      fc.constant(new ReplicaDies()),
    ];
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 30 }), async (history) => {
        const accountId = await newAccount(db, { deposit: 1_000n });
        const model: Model = { available: 1_000n, holds: new Map(), charged: new Map(), deposited: 1_000n };
        await fc.asyncModelRun(() => ({ model, real: { ledger, accountId, granted: [] } }), history);
      }),
      { numRuns: 40 },
    );
    await ledger.close();
  });

  test("grants side by side requests in order, and a refused big one does not refuse the small one behind it", async () => {
    const ledger = await openLedger(db, (error) => expect.fail(String(error)));
    const accountId = await newAccount(db, { deposit: 1_000n });
    const ask = (want: bigint, least: bigint) => ledger.reserve({ accountId, id: randomUUID(), want, least });
    const results = await Promise.all([ask(600n, 600n), ask(500n, 500n), ask(900n, 300n), ask(1n, 1n)]);
    expect(results.map(({ granted }) => granted)).toEqual([600n, null, 400n, null]);
    await ledger.close();
  });

  test("a swept reservation whose call answers all the same is charged, once", async () => {
    const ledger = await openLedger(db, (error) => expect.fail(String(error)));
    const accountId = await newAccount(db, { deposit: 100n });
    const id = randomUUID();
    const at = new Date();
    await ledger.reserve({ accountId, id, want: 100n, least: 100n });
    await db.pool.query("update hold set expires_at = now() - interval '1 second' where account_id = $1", [accountId]);
    await db.pool.query("select ledger_sweep('9 seconds')");
    const settlement = { accountId, id, log: usageLogRow({ accountId, id, cost: 150n, at }) };
    expect(await ledger.settle(settlement)).toBe(-50n);
    expect(await ledger.settle(settlement)).toBe(-50n);
    expect((await ledger.reserve({ accountId, id: randomUUID(), want: 0n, least: 0n })).granted).toBeNull();
    await ledger.close();
  });

  test("an unknown account has nothing to spend", async () => {
    const ledger = await openLedger(db, (error) => expect.fail(String(error)));
    expect(await ledger.reserve({ accountId: 999_999n, id: randomUUID(), want: 1n, least: 1n })).toEqual({
      granted: null,
      available: 0n,
      reserved: 0n,
    });
    await ledger.close();
  });
});
