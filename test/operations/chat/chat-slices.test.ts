// Calls of an account in use, over HTTP: what they wait for, and what is seen of their slice (src/ledger/README.md "Slices").
import { describe, expect, test, vi } from "vitest";
import { awayFromMinuteEdge } from "../../limits/counted-database.ts";
import { eventually } from "../../support/eventually.ts";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { drawn } from "../../support/size.ts";
import { highTiers } from "../../support/tiers.ts";
import { chatWorld, language } from "./chat-gateway.ts";

// Of different length, so that calls are not in step.
const models = [5, 13, 29].map((ms) => language(`demo/${ms}`, [`x+sim-tokens-3+sim-slow-${ms}ms`]));
const world = chatWorld(models, { tiers: highTiers() });
const body = { model: "demo/13", max_tokens: 5 };

async function whileInUse<Result>(account: TestAccount, work: () => Promise<Result>): Promise<Result> {
  let isOver = false;
  const callers = Array.from({ length: 9 }, async (_, n) => {
    while (!isOver) await world.chat(account, { ...body, model: models.map((model) => (model as { id: string }).id)[n % 3]! });
  });
  try {
    await eventually(async () => expect(await slices(account)).toBe(1), 5);
    return await work();
  } finally {
    isOver = true;
    await Promise.all(callers);
  }
}

async function slices({ accountId }: TestAccount): Promise<number> {
  return (await world.gateway.context.db.pool.query("select 1 from hold where account_id = $1 and pool = 'escrow'", [accountId])).rowCount!;
}

const rich = () => world.account({ deposit: "1000" });

describe("an account in use", () => {
  test.each(drawn([false, true]))(
    "waits for one statement a call, its settlement, and a stream's first byte for none; streamed: %s",
    async (stream) => {
      await awayFromMinuteEdge(20_000);
      const account = await rich();
      const query = vi.spyOn(world.gateway.context.db.pool, "query");
      const statementsOf = ({ status, headers }: TestReply): string[] => {
        expect(status).toBe(200);
        const sent = (query.mock.calls as unknown as [string, unknown[]?][]).map(([text, values]) => ({ text, values: String(values) }));
        const request = headers["x-request-id"]!;
        const { values: settled } = sent.find(({ text, values }) => text.includes("ledger_settle(") && values.includes(request))!;
        const id = settled
          .slice(0, settled.indexOf(request))
          .match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)!
          .at(-1)!;
        return sent.flatMap(({ text, values }) => (values.includes(id) ? (/\b(\w+)\(/.exec(text)?.[1] ?? []) : []));
      };
      await whileInUse(account, async () => {
        for (let inMemory = 0; inMemory < 10;) {
          const statements = statementsOf(await world.chat(account, { ...body, stream }));
          // A call that finds no slice, or not enough of it, waits for two.
          expect(statements.length).toBeLessThanOrEqual(2);
          if (statements.join() === "ledger_settle") inMemory += 1;
        }
      });
      query.mockRestore();
    },
  );

  test("sees in its limits the calls that it made, not those that are counted in advance", async () => {
    await awayFromMinuteEdge(20_000);
    const account = await rich();
    const before = world.gateway.simulator.counters().received;
    const received = () => world.gateway.simulator.counters().received - before;
    const { status, json } = await whileInUse(account, () => world.gateway.request("GET", "/v1/auth/limits", { key: account.key }));
    expect(status).toBe(200);
    expect((json as { rpm_used: number }).rpm_used).toBeLessThanOrEqual(received());
    const remaining = Number((await world.chat(account, body)).headers["x-ratelimit-remaining-requests"]);
    expect(remaining).toBe(1_000_000 - received());
  });

  test("is stopped within a second by the end of its key, whatever its slice has left; nothing stays held", async () => {
    await awayFromMinuteEdge(20_000);
    const account = await rich();
    const { db } = world.gateway.context;
    await whileInUse(account, async () => {
      await db.pool.query("update api_key set enabled = false where account_id = $1", [account.accountId]);
      await eventually(async () => expect((await world.chat(account, body)).status).toBe(401));
    });
    expect((await world.gateway.balance(account)).reserved).toBe(0);
  });

  test("is stopped within a second when it is suspended", async () => {
    await awayFromMinuteEdge(20_000);
    const account = await rich();
    const { db } = world.gateway.context;
    await whileInUse(account, async () => {
      await db.pool.query("update account set suspended_at = now() where id = $1", [account.accountId]);
      await eventually(async () => expect(await slices(account)).toBe(0));
      expect((await world.chat(account, body)).status).toBe(403);
    });
  });
});
