// kill -9 of the process that works on a batch: another one ends it, every line has one end, and none is charged twice.
import { afterEach, expect, test } from "vitest";
import { until } from "../support/eventually.ts";
import { scratchFolder } from "../support/leftovers.ts";
import { checkedRequest, type TestAccount } from "../support/gateway.ts";
import { createBatch, ended, linesFor, resultsOf } from "../operations/batches/batch-gateway.ts";
import { openWorld, type World } from "./world.ts";

let world: World;
afterEach(() => world.stop());

test("a batch that lost its process half way is completed by the next, with exact books", async () => {
  world = await openWorld({ models: { slow: "slow+sim-slow-700ms" } });
  const shared = { SVC_DATA_DIR: scratchFolder("batches-") };
  const victim = await world.start(shared);
  const account = (await world.createAccount("5")) as TestAccount;
  const at = (url: string) => ({ request: (...asked: [string, string, object?]) => checkedRequest(url, ...asked) });
  const bodies = Array.from({ length: 24 }, (_, line) => ({
    ...{ model: "demo/slow", messages: [{ role: "user", content: `Line ${line}` }], max_tokens: 5 },
  }));
  const url = "/v1/chat/completions";
  const created = await createBatch(at(victim.url), account, url, linesFor(url, bodies));
  const done = async () => (await world.db.pool.query<{ completed: number }>("select completed from batch")).rows[0]!.completed;
  await until(async () => (await done()) >= 8, "a third is done");
  await until(() => world.simulator.calls().some(({ outcome }) => outcome === "open"), "others run");
  await victim.kill("SIGKILL");
  const survivor = await world.start(shared);
  const batch = await ended(at(survivor.url), account, created);
  expect(batch).toMatchObject({ status: "completed", request_counts: { total: 24 } });
  const answered = await resultsOf(at(survivor.url), account, batch.output_file_id);
  const failed = await resultsOf(at(survivor.url), account, batch.error_file_id);
  expect([...answered, ...failed].map(({ custom_id }) => custom_id).sort()).toEqual(bodies.map((_, line) => `r${line}`).sort());
  // A call that was charged just before the kill, whose answer went with its process, says so: it is not charged again.
  for (const { response } of failed) expect(response!.body.error.code).toBe("idempotency_replayed");
  const { rows } = await world.db.pool.query("select id from ledger_entry where kind = 'usage'");
  expect(rows).toHaveLength(24);
  expect(await world.audit()).toMatchObject({ mismatches: [], reservations_open: 0 });
});
