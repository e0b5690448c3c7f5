// Jobs of a key that is disabled or deleted before a provider was asked: they end free, whatever was done for them so far; what runs goes on.
import { describe, expect, test } from "vitest";
import { deleteKey } from "../../src/accounts/manage-keys.ts";
import { newAccount, newKey } from "../ledger/new-account.ts";
import { sized } from "../support/size.ts";
import { engineWorld } from "./engine-world.ts";
import type { Models } from "./engine.ts";
import { entries, finish, lease, rowOf, statuses, submit } from "./job-rows.ts";

const world = engineWorld();
const models: Models = { "test/picture": { kind: "image", routes: ["ember/flash-image"] } };
const cancelled = {
  status: "failed",
  error_code: "job_cancelled",
  error_message: "The API key of the job was disabled or deleted.",
  charged: null,
};
const revocations = [
  ["deleted", "deleted_at = clock_timestamp()"],
  ["disabled", "enabled = false"],
] as const;
const change = (keyId: bigint, set: string) => world.db.pool.query(`update api_key set ${set} where id = $1`, [keyId]);
const balance = async (accountId: bigint) =>
  (await world.db.pool.query("select available, reserved from balance where account_id = $1", [accountId])).rows[0];
const asked = () => world.simulator.calls().filter(({ method }) => method === "POST").length;

describe.each(revocations)("a key that is %s", (_, set) => {
  test("its jobs that wait for a slot fail at the next turn, free; those of other keys and those that run go on", async () => {
    const accountId = await newAccount(world.db, { deposit: 1_000n });
    const [keyId, other] = [await newKey(world.db, accountId), await newKey(world.db, accountId)];
    const ids: string[] = [];
    for (const by of [keyId, keyId, keyId, other, keyId, null]) ids.push((await submit(world.db, { accountId, keyId: by })).id);
    await change(keyId, set);
    expect(await finish(world.db, ids[0]!, await lease(world.db, ids[0]!), { charged: 100n })).toBe(true);
    expect(await statuses(world.db, accountId)).toEqual(["succeeded", "pending", "failed", "pending", "failed", "queued"]);
    for (const id of [ids[2]!, ids[4]!]) {
      expect(await rowOf(world.db, id)).toMatchObject({ ...cancelled, refunded: null });
      expect(await entries(world.db, id)).toEqual([]);
    }
    expect(await finish(world.db, ids[1]!, await lease(world.db, ids[1]!), { charged: 100n })).toBe(true);
    for (const id of [ids[3]!, ids[5]!]) expect(await finish(world.db, id, await lease(world.db, id), { charged: 100n })).toBe(true);
    expect(await balance(accountId)).toEqual({ available: 600n, reserved: 0n });
  });

  test("one that no provider was asked for yet fails too, and its hold is released once; its provider hears nothing of it", async () => {
    const accountId = await newAccount(world.db, { deposit: 5_000_000n });
    const keyId = await newKey(world.db, accountId);
    const { id } = await submit(world.db, { accountId, keyId, estimated: 1_000_000n });
    // Of a process that died between the claim and the call.
    await lease(world.db, id);
    await world.db.pool.query("update media_job set run_at = now() where id = $1", [id]);
    await change(keyId, set);
    await world.start(models);
    await expect.poll(async () => (await rowOf(world.db, id))["status"]).toBe("failed");
    expect(await rowOf(world.db, id)).toMatchObject({ ...cancelled, refunded: 1_000_000n, attempts: [] });
    expect(await entries(world.db, id)).toEqual(["hold -1000000", "hold_release 1000000"]);
    expect(asked()).toBe(0);
    expect(await balance(accountId)).toEqual({ available: 5_000_000n, reserved: 0n });
  });
});

test("a key that expires: its waiting jobs are made, because they were ordered in its time", async () => {
  const accountId = await newAccount(world.db, { deposit: 10_000_000n });
  const keyId = await newKey(world.db, accountId);
  for (let n = 0; n < 4; n++) await submit(world.db, { accountId, keyId, estimated: 1_000_000n });
  await change(keyId, "expires_at = clock_timestamp()");
  await world.start(models);
  await expect.poll(() => statuses(world.db, accountId)).toEqual(["succeeded", "succeeded", "succeeded", "succeeded"]);
  expect(await balance(accountId)).toEqual({ available: 6_000_000n, reserved: 0n });
});

test("while all slots are busy the sweep ends what waits, and no turn is needed", async () => {
  const accountId = await newAccount(world.db, { deposit: 1_000n });
  const keyId = await newKey(world.db, accountId);
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) ids.push((await submit(world.db, { accountId, keyId })).id);
  const owners = [await lease(world.db, ids[0]!), await lease(world.db, ids[1]!)];
  await change(keyId, "enabled = false");
  await world.start(models);
  await expect.poll(() => statuses(world.db, accountId)).toEqual(["pending", "pending", "failed", "failed"]);
  for (const [n, owner] of owners.entries()) expect(await finish(world.db, ids[n]!, owner, { charged: 100n })).toBe(true);
  expect(await balance(accountId)).toEqual({ available: 800n, reserved: 0n });
});

test("deleted at the moment of their turns: each job is made and charged once, or fails free and was never ordered", async () => {
  await world.start(models);
  for (let round = 0; round < sized(20, 5); round += 1) {
    const accountId = await newAccount(world.db, { deposit: 100_000_000n });
    const keyId = await newKey(world.db, accountId);
    const before = asked();
    const ids = (await Promise.all(Array.from({ length: 8 }, () => submit(world.db, { accountId, keyId, estimated: 1_000_000n })))).map(
      ({ id }) => id,
    );
    // By turns: before the runner has any, and with some made.
    if (round % 2 === 1) await expect.poll(() => statuses(world.db, accountId), { interval: 1 }).toContain("succeeded");
    await deleteKey(world.db, { id: keyId, accountId, createdBy: null }, null, new Date());
    await expect
      .poll(() => statuses(world.db, accountId))
      .toSatisfy((all: string[]) => all.every((one) => one === "succeeded" || one === "failed"));
    let made = 0;
    for (const id of ids) {
      const row = await rowOf(world.db, id);
      const held = row["started_at"] !== null;
      if (row["status"] === "succeeded") {
        made += 1;
        expect(await entries(world.db, id)).toEqual(["hold -1000000", "hold_settle 1000000", "usage -1000000"]);
      } else {
        expect(row).toMatchObject({ ...cancelled, attempts: [] });
        expect(await entries(world.db, id)).toEqual(held ? ["hold -1000000", "hold_release 1000000"] : []);
      }
    }
    expect(asked() - before).toBe(made);
    expect(await balance(accountId)).toEqual({ available: 100_000_000n - BigInt(made) * 1_000_000n, reserved: 0n });
  }
});
