// Two gateways, each a process, on one database: a tier's limit is the account's, not the process's.
import { afterEach, describe, expect, test } from "vitest";
import { chat, inParallel } from "../robustness/chat-client.ts";
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
