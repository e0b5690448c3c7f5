// POST /v1/audio/voice-clone and /v1/audio/voice-design when something fails: no voice is charged that the account does not own, none is listed
// that was not paid for, and no request makes two.
import { describe, expect, test, vi } from "vitest";
import { ownerOf } from "../../../src/audio/voice-owner.ts";
import { UpstreamError, type UpstreamFault } from "../../../src/providers/errors/upstream-error.ts";
import { eventually } from "../../support/eventually.ts";
import { whileFailing } from "../../support/failing-statements.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { ownVoicesWorld } from "./own-voices-gateway.ts";

const world = ownVoicesWorld();
const both = ["clone", "design"] as const;
type Kind = (typeof both)[number];
const priceOf = { clone: 2, design: 4.2 };
const make = (kind: Kind, account: TestAccount, signal?: AbortSignal) =>
  kind === "clone" ? world.clone(account, {}, undefined, signal) : world.design(account, undefined, signal);
/** At the named provider only. */
const failAt = (provider: string, fault: UpstreamFault, reason = "the upstream said no", status: number | null = null) => {
  const fail = ({ route }: { route: { provider: { id: string } } }) => {
    if (route.provider.id === provider || provider === "both") throw new UpstreamError(fault, reason, { status });
  };
  world.providers.clone = async (call) => fail(call);
  world.providers.design = async (call) => {
    fail(call);
    return { voiceId: call.order.voiceId };
  };
};
const askedOf = () => world.asked.map(({ provider }) => provider);

describe.each(both)("%s: the provider", (kind) => {
  test.each(["unavailable", "unreadable"] as const)(
    "%s: 502 provider_error, and nobody else is asked: it may have made the voice",
    async (fault) => {
      failAt("mini", fault);
      const account = await world.account();
      const reply = await make(kind, account);
      await world.expectRefused(account, reply, 502, "provider_error");
      expect(askedOf()).toEqual(["mini"]);
      expect(await world.logOf(reply)).toMatchObject({ status: "failed", cost: 0n, attempts: [{ outcome: fault }] });
      expect(reply.text).not.toMatch(/mini|upstream said/);
    },
  );

  test.each(["rate_limited", "our_fault", "gone"] as const)("%s: the next route makes it, under the same id, once", async (fault) => {
    failAt("mini", fault);
    const account = await world.account();
    const { json } = await make(kind, account);
    expect(askedOf()).toEqual(["mini", "other"]);
    expect(await ownerOf(world.gateway.context.db, json.voice_id)).toEqual({ accountId: account.accountId, provider: "other" });
    expect((await world.gateway.balance(account)).spent).toBe(priceOf[kind]);
  });

  test.each(["rate_limited", "our_fault", "gone"] as const)("%s everywhere: 502 provider_error", async (fault) => {
    failAt("both", fault);
    const account = await world.account();
    await world.expectRefused(account, await make(kind, account), 502, "provider_error");
  });

  test.each([
    ["rejected", "the clip is too short"],
    ["refused", "the content is not allowed"],
  ] as const)("%s: 400 invalid_request with its reason", async (fault, reason) => {
    failAt("both", fault, reason, 200);
    const account = await world.account();
    const reply = await make(kind, account);
    await world.expectRefused(account, reply, 400, "invalid_request");
    expect(reply.json.error.message).toContain(reason);
  });
});

describe.each(both)("500 ownership_write_failed: %s", (kind) => {
  const part = "insert into voice";

  test("the row can't be written: free, and nothing is on file", async () => {
    const account = await world.account();
    const { result, seen } = await whileFailing(world.gateway.context.db, { part, code: "23514" }, () => make(kind, account));
    await world.expectRefused(account, result, 500, "ownership_write_failed");
    expect([seen, result.headers["x-should-retry"]]).toEqual([1, "true"]);
    expect(await world.logOf(result)).toMatchObject({ status: "failed", cost: 0n });
    expect((await make(kind, account)).status).toBe(200);
  });

  test("a database that is away for a moment is asked again; the voice is filed and charged once", async () => {
    const account = await world.account();
    const failing = { part, code: "57P03", turns: [1, 2] };
    const { result, seen } = await whileFailing(world.gateway.context.db, failing, () => make(kind, account));
    expect([result.status, seen, world.asked.length]).toEqual([200, 3, 1]);
    expect(await world.rowsOf(account)).toHaveLength(1);
    expect((await world.gateway.balance(account)).spent).toBe(priceOf[kind]);
  });
});

describe("design, where the provider gives another id", () => {
  const name = (voiceId: string) => (world.providers.design = () => Promise.resolve({ voiceId }));

  test.each([
    ["ttv-voice-2026", "svcv_x_ttv-voice-2026"],
    ["svcv_x_2026", "svcv_x_svcv_x_2026"],
    ["svcv_00000000000000000000000000000007", "svcv_00000000000000000000000000000007"],
  ])("%s, not in use: with our prefix it is the voice's, and its name; either way it is the account's", async (id, shown) => {
    name(id);
    const account = await world.account();
    const { json } = await world.design(account);
    expect([json.voice_id, json.name]).toEqual([shown, shown]);
    expect(await world.listed(account)).toEqual([shown]);
    for (const known of [id, shown])
      expect(await ownerOf(world.gateway.context.db, known)).toEqual({ accountId: account.accountId, provider: "mini" });
  });

  test("500 ownership_write_failed: one that another account has stays that account's", async () => {
    name("ttv-voice-taken");
    const [owner, other] = [await world.account(), await world.account()];
    expect((await world.design(owner, { description: "First", name: "Hers" })).status).toBe(200);
    await world.expectRefused(other, await world.design(other), 500, "ownership_write_failed");
    expect(await world.rowsOf(owner)).toMatchObject([{ voice_id: "svcv_x_ttv-voice-taken", name: "Hers" }]);
  });

  test("of two at once that get the same, one is charged", async () => {
    name("ttv-voice-twice");
    const accounts = [await world.account(), await world.account()];
    const statuses = await Promise.all(accounts.map(async (account) => (await world.design(account)).status));
    expect(statuses.toSorted()).toEqual([200, 500]);
    const spent = await Promise.all(accounts.map(async (account) => (await world.gateway.balance(account)).spent));
    expect(spent.toSorted()).toEqual([0, 4.2]);
  });

  test("one that the same account has is not sold to it twice", async () => {
    name("ttv-voice-again");
    const account = await world.account();
    expect([(await world.design(account)).status, (await world.design(account)).status]).toEqual([200, 500]);
    expect((await world.gateway.balance(account)).spent).toBe(4.2);
  });

  test.each(["", "x".repeat(250), "a\0b", "a\ud800"])("500 ownership_write_failed: one that can't be kept: %j", async (id) => {
    name(id);
    const account = await world.account();
    await world.expectRefused(account, await world.design(account), 500, "ownership_write_failed");
  });
});

describe.each(both)("%s: the charge", (kind) => {
  test("fails after the voice was recorded: nothing is charged, and the voice is never listed", async () => {
    const account = await world.account();
    const { db } = world.gateway.context;
    const { result } = await whileFailing(db, { part: "ledger_settle", code: "XX000" }, () => make(kind, account));
    expect(result.status).toBe(500);
    expect(await world.rowsOf(account)).toHaveLength(1);
    expect(await world.listed(account)).toEqual([]);
    const other = await ownerOf(db, world.asked[0]!.voiceId);
    expect(other?.accountId).toBe(account.accountId);
    await db.pool.query("update hold set expires_at = now() - interval '1 second' where account_id = $1", [account.accountId]);
    await db.pool.query("select ledger_sweep('1 minute')");
    expect(await world.gateway.balance(account)).toEqual({ balance: 20, reserved: 0, spent: 0 });
  });

  test("is made although its answer is lost: the voice is listed", async () => {
    const account = await world.account();
    const { db } = world.gateway.context;
    const query = db.pool.query.bind(db.pool) as (...all: unknown[]) => Promise<unknown>;
    const spy = vi.spyOn(db.pool, "query").mockImplementation((async (...all: unknown[]) => {
      const result = await query(...all);
      if (String(all[0]).includes("ledger_settle")) throw Object.assign(new Error("the connection broke"), { code: "XX000" });
      return result;
    }) as never);
    const { status } = await make(kind, account).finally(() => spy.mockRestore());
    expect(status).toBe(500);
    expect(await world.gateway.balance(account)).toEqual({ balance: 20 - priceOf[kind], reserved: 0, spent: priceOf[kind] });
    expect(await world.listed(account)).toEqual([world.asked[0]!.voiceId]);
  });
});

describe.each(both)("%s: a caller who disconnects", (kind) => {
  const hold = (heedsLeaving: boolean) => {
    const gate = Promise.withResolvers<void>();
    const wait = ({ signal }: { signal: AbortSignal }) =>
      heedsLeaving
        ? Promise.race([gate.promise, new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)))])
        : gate.promise;
    world.providers.clone = async (call) => void (await wait(call));
    world.providers.design = async (call) => {
      await wait(call);
      return { voiceId: call.order.voiceId };
    };
    return gate;
  };
  const leave = async (account: TestAccount) => {
    const leaving = new AbortController();
    const left = expect(make(kind, account, leaving.signal)).rejects.toThrow();
    await eventually(() => expect(world.asked).toHaveLength(1));
    leaving.abort();
    await left;
  };
  const logged = async ({ accountId }: TestAccount) => {
    const { rows } = await world.gateway.context.db.pool.query("select status, cost from usage_log where account_id = $1", [accountId]);
    expect(rows).toHaveLength(1);
    return rows[0] as unknown;
  };

  test("before the provider has the request: nothing is charged or filed", async () => {
    hold(true);
    const account = await world.account();
    await leave(account);
    expect(await eventually(() => logged(account))).toEqual({ status: "aborted", cost: 0n });
    expect(await world.rowsOf(account)).toEqual([]);
    expect(await world.gateway.balance(account)).toEqual({ balance: 20, reserved: 0, spent: 0 });
  });

  test("once the provider has made it: it is filed, paid for and listed", async () => {
    const gate = hold(false);
    const account = await world.account();
    await leave(account);
    gate.resolve();
    expect(await eventually(() => logged(account))).toEqual({ status: "success", cost: BigInt(priceOf[kind] * 1e8) });
    expect(await world.listed(account)).toEqual([world.asked[0]!.voiceId]);
  });
});
