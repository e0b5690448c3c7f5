// How an operator learns of balances below 0. A file of its own: balances are read once a minute, first at the first scrape.
import { expect, test } from "vitest";
import { chatWorld, language } from "../operations/chat/chat-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { scrapeUntil } from "./scrape.ts";

const pricing = { mode: "per-token", input: 2.5, output: 10 };
const world = chatWorld([language("above/hold", ["chat+sim-prompt-tokens-50000"], { pricing })]);

test("a balance below 0 comes from usage above its hold, and the metrics count it with what is owed", async () => {
  const { gateway } = world;
  const account = await world.account({ deposit: "0.01" });
  const reply = await world.chat(account, { model: "above/hold", max_tokens: 1 });
  expect(reply.status).toBe(200);
  const owed = (50_000 * 250 + reply.json.usage.completion_tokens * 1_000) / 1e8 - 0.01;
  await eventually(async () => expect(await gateway.balance(account)).toMatchObject({ balance: expect.closeTo(-owed, 8), reserved: 0 }));
  const page = await scrapeUntil(gateway, (now) => now.figure("svc_negative_balances") === 1);
  expect(page.figure("svc_negative_balances_usd")).toBeCloseTo(owed, 8);
  expect(page.figure("svc_usage_overruns_total", { model: "above/hold", kind: "hold" })).toBe(1);
});
