// A model of the ledger in a few lines, and the commands that a random history is made of. Each command does the same to the model and to
// the database; after it the two agree, the database audits clean, and what was answered is what the model foresaw.
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect } from "vitest";
import { type Db, inSnapshot } from "../../src/db/connect.ts";
import { audit } from "../../src/ledger/audit.ts";
import { readBalance } from "../../src/ledger/balance.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { postEntry } from "../../src/ledger/post.ts";
import type { Slot } from "../../src/ledger/reserve.ts";
import { bucketsOf } from "../../src/ledger/summary/periods.ts";
import { readSummary } from "../../src/ledger/summary/read-summary.ts";
import { usageLogRow } from "../support/usage-log-row.ts";

interface Held {
  amount: bigint;
  key: number | null;
  slot: Slot | undefined;
}

export interface Model {
  available: bigint;
  holds: Map<string, Held>;
  /** Costs that were charged, by request. */
  charged: Map<string, { cost: bigint; key: number | null }>;
  deposited: bigint;
  /** Limits of the account's keys; null: none. */
  limits: (bigint | null)[];
}

export interface World {
  db: Db;
  ledger: Ledger;
  accountId: bigint;
  keyIds: bigint[];
  /** Every reservation ever granted, so that late and repeated settlements can be tried. */
  granted: { id: string; at: Date; key: number | null }[];
}

const slots: readonly (Slot | undefined)[] = [
  undefined,
  { pool: "speech", poolMax: 2, group: "audio", groupMax: 3 },
  { pool: "transcription", poolMax: 2, group: "audio", groupMax: 3 },
  { pool: "understanding", poolMax: 0, group: "audio", groupMax: 3 },
  { pool: "alone", poolMax: 1, group: null, groupMax: null },
];

const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((total, amount) => total + amount, 0n);
const heldBy = (model: Model, key: number) => sum([...model.holds.values()].filter((held) => held.key === key).map(({ amount }) => amount));
const spentBy = (model: Model, key: number) =>
  sum([...model.charged.values()].filter((charge) => charge.key === key).map(({ cost }) => cost));

/** What the ledger ought to answer, rule by rule. */
function foresee(model: Model, want: bigint, least: bigint, key: number | null, slot: Slot | undefined) {
  const limit = key === null ? null : model.limits[key]!;
  const keyLeft = limit === null ? null : limit - spentBy(model, key!) - heldBy(model, key!);
  const payable = keyLeft === null ? want : keyLeft < 0n ? 0n : keyLeft;
  const used = (has: (one: Slot) => boolean) => [...model.holds.values()].filter((held) => held.slot && has(held.slot)).length;
  const refused =
    slot && used(({ pool }) => pool === slot.pool) >= slot.poolMax
      ? "slot"
      : slot?.group && used(({ group }) => group === slot.group) >= slot.groupMax!
        ? "group"
        : model.available < 0n || model.available < least
          ? "balance"
          : keyLeft !== null && payable < least
            ? "key"
            : null;
  const granted = refused === null ? [want, model.available, payable].reduce((a, b) => (b < a ? b : a)) : null;
  const reserved = sum([...model.holds.values()].map(({ amount }) => amount));
  return { granted, refused, keyLeft, available: model.available, reserved };
}

abstract class Command implements fc.AsyncCommand<Model, World> {
  check(_model: Readonly<Model>): boolean {
    return true;
  }
  async run(model: Model, world: World): Promise<void> {
    await this.act(model, world);
    await agree(model, world);
  }
  abstract act(model: Model, world: World): Promise<void>;
  abstract toString(): string;
}

class Reserve extends Command {
  readonly want: bigint;
  readonly least: bigint;
  readonly key: number | null;
  readonly slot: Slot | undefined;
  constructor(want: bigint, share: number, key: number | null, slot: number) {
    super();
    this.want = want;
    this.least = (want * BigInt(share)) / 100n;
    this.key = key;
    this.slot = slots[slot];
  }
  async act(model: Model, { ledger, accountId, keyIds, granted }: World) {
    const { want, least, key, slot } = this;
    const id = randomUUID();
    const expected = foresee(model, want, least, key, slot);
    const keyId = key === null ? null : keyIds[key]!;
    expect(await ledger.reserve({ accountId, keyId, id, want, least, ...(slot ? { slot } : {}) })).toEqual(expected);
    if (expected.granted === null) return;
    model.available -= expected.granted;
    model.holds.set(id, { amount: expected.granted, key, slot });
    granted.push({ id, at: new Date(), key });
  }
  toString = () => `reserve(${this.want}, at least ${this.least}, key ${this.key}, slot ${this.slot?.pool})`;
}

class Settle extends Command {
  readonly pick: number;
  readonly cost: bigint;
  constructor(pick: number, cost: bigint) {
    super();
    this.pick = pick;
    this.cost = cost;
  }
  override check(model: Readonly<Model>) {
    return model.holds.size + model.charged.size > 0;
  }
  async act(model: Model, { ledger, accountId, keyIds, granted }: World) {
    const { id, at, key } = granted[this.pick % granted.length]!;
    const reserved = model.holds.get(id)?.amount ?? 0n;
    const log = usageLogRow({ accountId, id, cost: this.cost, at, keyId: key === null ? null : keyIds[key]!, reserved });
    await ledger.settle({ accountId, id, log });
    model.available += model.holds.get(id)?.amount ?? 0n;
    model.holds.delete(id);
    // The first settlement decides; a repeat changes nothing, and one at 0 leaves no charge to repeat.
    if (model.charged.has(id)) return;
    model.charged.set(id, { cost: this.cost, key });
    model.available -= this.cost;
  }
  toString = () => `settle(#${this.pick}, ${this.cost})`;
}

class Deposit extends Command {
  readonly amount: bigint;
  constructor(amount: bigint) {
    super();
    this.amount = amount + 1n;
  }
  async act(model: Model, { db, accountId }: World) {
    await postEntry(db, { accountId, kind: "deposit", amount: this.amount, ref: "test", at: new Date() });
    model.available += this.amount;
    model.deposited += this.amount;
  }
  toString = () => `deposit(${this.amount})`;
}

/** Also while calls of the key are in flight, and also below what it has spent. */
class SetLimit extends Command {
  readonly key: number;
  readonly limit: bigint | null;
  constructor(key: number, limit: bigint | null) {
    super();
    this.key = key;
    this.limit = limit;
  }
  async act(model: Model, { db, keyIds }: World) {
    await db.pool.query("update key_budget set limit_amount = $2 where key_id = $1", [keyIds[this.key], this.limit]);
    model.limits[this.key] = this.limit;
  }
  toString = () => `setLimit(key ${this.key}, ${this.limit})`;
}

/** The replica dies: nothing of it is in flight any more, and the sweep gives every hold and slot back. */
class ReplicaDies extends Command {
  async act(model: Model, { db }: World) {
    await db.pool.query("update replica set seen_at = now() - interval '1 minute'");
    await db.pool.query("select ledger_sweep('9 seconds')");
    for (const { amount } of model.holds.values()) model.available += amount;
    model.holds.clear();
    await db.pool.query("update replica set seen_at = now()");
  }
  toString = () => "replicaDies()";
}

/** The summary of the account has the model's charges, to the unit: in all, and of each key. */
export async function summaryAgrees({ charged }: Model, { db, accountId, keyIds }: Pick<World, "db" | "accountId" | "keyIds">) {
  const [now, hour] = [Date.now(), 3_600_000];
  const span = { from: new Date(now - hour), to: new Date(now + hour) }; // sums are of whole quarters of an hour
  const buckets = (await bucketsOf(db, span, { bucket: "all", timezone: "UTC", most: 1 }))!;
  const asked = { accountId, span, buckets, groups: ["key"] as const, filter: {}, limit: 10 };
  const { rows, total } = await inSnapshot(db, (snapshot) => readSummary(snapshot, asked));
  const figures = (calls: { cost: bigint }[]) => [BigInt(calls.length), sum(calls.map(({ cost }) => cost))];
  const calls = [...charged.values()];
  expect([total.requests, total.cost]).toEqual(figures(calls));
  const used = keyIds.map((id, key) => [String(id), calls.filter((call) => call.key === key)] as const);
  const expected = [["0", calls.filter((call) => call.key === null)] as const, ...used].filter(([, of]) => of.length > 0);
  expect(new Map(rows.map(({ names, requests, cost }) => [names[0], [requests, cost]]))).toEqual(
    new Map(expected.map(([id, of]) => [id, figures(of)])),
  );
}

async function agree(model: Model, { db, accountId, keyIds }: World) {
  const reserved = sum([...model.holds.values()].map(({ amount }) => amount));
  const spent = sum([...model.charged.values()].map(({ cost }) => cost));
  expect(await readBalance(db, accountId)).toEqual({
    ...{ available: model.available, reserved, purchased: model.deposited, assignedTier: null, earned: 0n, spent },
  });
  const { rows: budgets } = await db.pool.query(
    `select key_id as "keyId", limit_amount as "limit", spent from key_budget where account_id = $1 order by key_id`,
    [accountId],
  );
  expect(budgets).toEqual(keyIds.map((keyId, key) => ({ keyId, limit: model.limits[key], spent: spentBy(model, key) })));
  await summaryAgrees(model, { db, accountId, keyIds });
  expect((await audit(db)).mismatches).toEqual([]); // which holds what each key has reserved against its holds
}

const amount = fc.bigInt({ min: 0n, max: 500n });
const key = fc.constantFrom(0, 1);

export const commands = [
  fc
    .tuple(amount, fc.nat(100), fc.option(key), fc.nat(slots.length - 1))
    .map(([want, share, ofKey, slot]) => new Reserve(want, share, ofKey, slot)),
  fc.tuple(fc.nat(50), amount).map(([pick, cost]) => new Settle(pick, cost)),
  fc.tuple(key, fc.option(fc.bigInt({ min: 0n, max: 900n }))).map(([ofKey, limit]) => new SetLimit(ofKey, limit)),
  amount.map((deposit) => new Deposit(deposit)),
  fc.constant(new ReplicaDies()),
];
