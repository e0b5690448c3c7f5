import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { inSlot, openSlots } from "../../src/concurrency/slots.ts";

describe("inSlot", () => {
  test("leaves nothing on its signal: neither of work that starts at once nor of work that waited", async () => {
    const slots = openSlots(1, Infinity);
    const { signal } = new AbortController();
    const first = Promise.withResolvers<void>();
    const running = inSlot(slots, () => first.promise, signal);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    const waiting = inSlot(slots, () => Promise.resolve("done"), signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    first.resolve();
    await running;
    expect(await waiting).toBe("done");
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect([slots.taken(), slots.waiting()]).toEqual([0, 0]);
  });

  test("rejects what waits when its signal fires, and its place is gone", async () => {
    const slots = openSlots(1, Infinity);
    slots.take(() => undefined);
    const leaving = new AbortController();
    const waiting = inSlot(slots, () => Promise.resolve(), leaving.signal);
    leaving.abort(new Error("left"));
    await expect(waiting).rejects.toThrow("left");
    expect([slots.taken(), slots.waiting()]).toEqual([1, 0]);
  });
});
