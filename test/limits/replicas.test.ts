// Two gateways, each a process, on one database: a tier's limit is the account's, not the process's.
import { afterEach, describe, expect, test } from "vitest";
import { createKey } from "../../src/accounts/manage-keys.ts";
import { chat, inParallel, promptTokens } from "../robustness/chat-client.ts";
import { openWorld, type World } from "../robustness/world.ts";
import { highTiers } from "../support/tiers.ts";
import { awayFromMinuteEdge } from "./counted-database.ts";

let world: World;
afterEach(() => world.stop());

describe("two gateways on one database", () => {
  test("let exactly the tier's requests through, together; what one refuses the other refuses", async () => {
    world = await openWorld({ models: { a: "a+sim-tokens-3", b: "b+sim-tokens-3" }, tiers: highTiers({ rpm: 120 }) });
    const urls = [(await world.start()).url, (await world.start()).url];
    const { key } = await world.createAccount("1000");
    await awayFromMinuteEdge();
    const statuses: number[] = [];
    await inParallel(500, 64, async (index) => {
      statuses.push((await chat({ url: urls[index % 2]!, key, model: index % 4 < 2 ? "demo/a" : "demo/b" })).status);
    });
    expect([statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 429).length]).toEqual([120, 380]);
    const each = await Promise.all(urls.map((url) => chat({ url, key, model: "demo/b" })));
    expect(each.map(({ status }) => status)).toEqual([429, 429]);
  });
});

describe("the limits of one key, on two gateways", () => {
  test("let exactly as many requests and tokens through, together; the account's other key goes on", async () => {
    // The answer is as long as it may be, and its prompt as long as it was counted: nothing is given back.
    world = await openWorld({ models: { a: `a+sim-tokens-100+sim-prompt-tokens-${promptTokens}` } });
    const urls = [(await world.start()).url, (await world.start()).url];
    const { accountId, key } = await world.createAccount("1000");
    const bound = async (policy: { rpm: number | null; tpm: number | null }) => {
      const { secret } = await createKey(world.db, { accountId, name: "bound", at: new Date(), policy });
      return secret;
    };
    const passedOf = async (secret: string, count: number) => {
      let passed = 0;
      await inParallel(count, 32, async (index) => {
        const { status } = await chat({ url: urls[index % 2]!, key: secret, model: "demo/a", maxTokens: 100 });
        expect([200, 429]).toContain(status);
        if (status === 200) passed += 1;
      });
      return passed;
    };
    await awayFromMinuteEdge();
    expect(await passedOf(await bound({ rpm: 30, tpm: null }), 120)).toBe(30);
    expect(await passedOf(await bound({ rpm: null, tpm: 7 * (100 + promptTokens) + 99 }), 60)).toBe(7);
    expect(await passedOf(key, 20)).toBe(20);
  });
});

describe("a gateway that stops", () => {
  test("has counted the tokens of the calls it answered, to the last one", async () => {
    world = await openWorld({ models: { a: "a+sim-tokens-50" } });
    const gateway = await world.start();
    const { key } = await world.createAccount("1000");
    const answers: string[] = [];
    await inParallel(40, 20, async () => void answers.push((await chat({ url: gateway.url, key, model: "demo/a" })).text));
    expect(await gateway.kill("SIGTERM")).toBe(0);
    const tokens = answers.reduce((all, text) => all + (JSON.parse(text) as { usage: { total_tokens: number } }).usage.total_tokens, 0);
    const { rows } = await world.db.pool.query<{ n: bigint }>("select sum(n)::bigint as n from rate_window where bucket = 'tpm'");
    expect(Number(rows[0]!.n)).toBe(tokens);
  });
});
