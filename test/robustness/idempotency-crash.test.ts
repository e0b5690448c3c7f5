// kill -9 of a process while a call with an idempotency key is in flight: another process answers its repeats, and it is charged once.
import { randomUUID } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { until } from "../support/eventually.ts";
import { openWorld, type World } from "./world.ts";

let world: World;
afterEach(() => world.stop());

async function ask(url: string, account: { key: string }, key: string, model: string): Promise<{ status: number; code: string | null }> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }], max_tokens: 5 }),
  });
  const body = (await response.json()) as { error?: { code: string } };
  return { status: response.status, code: body.error?.code ?? null };
}

test("its key is busy until its hold is swept, then the repeat is carried out and charged, once", async () => {
  world = await openWorld({ models: { hang: "hang+sim-hang", whole: "whole" } });
  const [victim, survivor] = [await world.start(), await world.start()];
  const account = await world.createAccount("5");
  const key = randomUUID();
  const lost = ask(victim.url, account, key, "demo/hang").catch(() => null);
  await until(() => world.simulator.calls().some(({ outcome }) => outcome === "open"), "the call hangs");
  expect(await ask(survivor.url, account, key, "demo/hang")).toEqual({ status: 409, code: "idempotency_in_progress" });
  await victim.kill("SIGKILL");
  expect(await lost).toBeNull();
  // Another body takes the freed key: the first request was never carried out.
  let last: Awaited<ReturnType<typeof ask>> | undefined;
  await until(async () => (last = await ask(survivor.url, account, key, "demo/whole")).status !== 409, "the key is free again");
  expect(last).toEqual({ status: 200, code: null });
  expect(await ask(survivor.url, account, key, "demo/whole")).toEqual({ status: 200, code: null });
  const { rows } = await world.db.pool.query("select kind from ledger_entry where kind = 'usage'");
  expect(rows).toHaveLength(1);
  expect(await world.audit()).toMatchObject({ mismatches: [], reservations_open: 0 });
});
