// Batchers whose database shares the machine: one statement at a time, in order, and none that waits holds up the rest.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createBatcher } from "../../src/db/batcher.ts";
import { turnsAt } from "../../src/db/hosts.ts";
import { openTurns } from "../../src/concurrency/slots.ts";

const options = { waitingMax: 1_000, timeoutMs: 5_000 };

describe("turns", () => {
  test("are had on this machine alone", () => {
    const local = [
      "postgres://u:p@127.0.0.1:5432/db",
      "postgres://localhost/db",
      "postgres://u@[::1]/db",
      "postgres:///db?host=/run/postgresql",
    ];
    const elsewhere = ["postgres://u:p@db.example/db", "postgres://10.0.0.7/db", "postgres://postgres:5432/db", "no address"];
    expect([...local, ...elsewhere].filter((url) => turnsAt(url) !== null)).toEqual(local);
  });

  test("two batchers never run at once, and each call is answered", async () => {
    const turns = openTurns();
    let running = 0;
    const batcher = () =>
      createBatcher<number, number>({
        ...options,
        turns,
        async work(items) {
          expect((running += 1)).toBe(1);
          await sleep(2);
          running -= 1;
          return items;
        },
      });
    const batchers = [batcher(), batcher(), batcher()];
    const calls = Array.from({ length: 300 }, async (_, n) => {
      await sleep(n / 10);
      return batchers[n % 3]!.run(n);
    });
    expect(await Promise.all(calls)).toEqual(calls.map((_, n) => n));
  });

  test("one whose database is away, or whose statement fails, leaves the turn to the others", async () => {
    const turns = openTurns();
    let isAway = true;
    const away = createBatcher<number, number>({
      ...options,
      turns,
      async work(items) {
        if (isAway) throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
        return items;
      },
    });
    const failing = createBatcher<number, number>({ ...options, turns, work: () => Promise.reject(new Error("bad")) });
    const good = createBatcher<number, number>({ ...options, turns, work: async (items) => items });
    const waiting = away.run(1);
    for (let n = 0; n < 20; n += 1) {
      expect(await good.run(n)).toBe(n);
      await expect(failing.run(n)).rejects.toThrow("bad");
    }
    isAway = false;
    expect(await waiting).toBe(1);
  });
});
