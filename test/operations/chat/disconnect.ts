// A caller who disconnects in the middle of a stream, over a real socket.
import { expect } from "vitest";
import { eventually } from "../../support/eventually.ts";
import type { ChatWorld } from "./chat-gateway.ts";

/** Begins a call, disconnects once `enough` returns true for what has arrived, and waits until it is settled. */
export async function leave(world: ChatWorld, path: string, body: object, enough: (text: string) => boolean) {
  const account = await world.account();
  const controller = new AbortController();
  const headers = { authorization: `Bearer ${account.key}`, "content-type": "application/json" };
  const request = { method: "POST", body: JSON.stringify({ ...body, stream: true }), headers, signal: controller.signal };
  const reading = fetch(world.gateway.url + path, request).then(async (response) => {
    let text = "";
    for await (const bytes of response.body!) if (enough((text += Buffer.from(bytes).toString()))) controller.abort();
  });
  const left = expect(reading).rejects.toThrow();
  await eventually(() => expect(world.gateway.simulator.counters().received).toBe(1));
  if (enough("")) controller.abort();
  await left;
  await eventually(() => expect(world.gateway.simulator.counters().aborted).toBe(1));
  const { rows } = await eventually(async () => {
    const found = await world.gateway.context.db.pool.query("select * from usage_log where account_id = $1", [account.accountId]);
    expect(found.rows).toHaveLength(1);
    return found;
  });
  return { row: rows[0], balance: await world.gateway.balance(account) };
}
