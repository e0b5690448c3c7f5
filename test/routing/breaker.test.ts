// The circuit breaker opens after 5 failures in a row, for 5 s, then one probe decides (docs/behaviour/providers.md#routing).
import { describe, expect, test } from "vitest";
import { createBreakers } from "../../src/routing/breaker.ts";

function withClock() {
  let now = 0;
  return { breakers: createBreakers(() => now), pass: (ms: number) => void (now += ms) };
}
const times = (n: number, work: () => void) => Array.from({ length: n }).forEach(work);

describe("a breaker", () => {
  test("opens after 5 failures in a row, not after 4", () => {
    const { breakers } = withClock();
    times(4, () => breakers.failed("a"));
    expect(breakers.admits("a")).toBe(true);
    breakers.failed("a");
    expect(breakers.admits("a")).toBe(false);
    expect(breakers.admits("b")).toBe(true);
  });
  test("a success in between starts the count anew", () => {
    const { breakers } = withClock();
    times(4, () => breakers.failed("a"));
    breakers.answered("a");
    times(4, () => breakers.failed("a"));
    expect(breakers.admits("a")).toBe(true);
  });
  test("after 5 s one probe goes through, and only one", () => {
    const { breakers, pass } = withClock();
    times(5, () => breakers.failed("a"));
    pass(4_999);
    expect(breakers.admits("a")).toBe(false);
    pass(1);
    expect([breakers.admits("a"), breakers.admits("a")]).toEqual([true, false]);
  });
  test("a probe that fails opens it again, one that succeeds closes it", () => {
    const { breakers, pass } = withClock();
    times(5, () => breakers.failed("a"));
    pass(5_000);
    breakers.admits("a");
    breakers.failed("a");
    expect(breakers.admits("a")).toBe(false);
    pass(5_000);
    breakers.admits("a");
    breakers.answered("a");
    expect([breakers.admits("a"), breakers.admits("a")]).toEqual([true, true]);
  });
  test("a probe whose stream begins closes the breaker at once", () => {
    const { breakers, pass } = withClock();
    times(5, () => breakers.failed("a"));
    pass(5_000);
    breakers.admits("a");
    breakers.answered("a");
    expect([breakers.admits("a"), breakers.admits("a")]).toEqual([true, true]);
    times(4, () => breakers.failed("a"));
    expect(breakers.admits("a")).toBe(true);
  });
  test("streams that begin and break open it; the probe's that breaks as well opens it again, one that ends whole starts the count anew", () => {
    const { breakers, pass } = withClock();
    times(5, () => {
      breakers.answered("a");
      breakers.broke("a");
    });
    expect(breakers.admits("a")).toBe(false);
    pass(5_000);
    breakers.admits("a");
    breakers.answered("a");
    expect([breakers.admits("a"), breakers.admits("a")]).toEqual([true, true]);
    breakers.broke("a");
    expect(breakers.admits("a")).toBe(false);
    pass(5_000);
    breakers.admits("a");
    breakers.answered("a");
    breakers.ended("a");
    times(4, () => breakers.broke("a"));
    expect(breakers.admits("a")).toBe(true);
  });
  test("streams that begin interrupt a row of failed calls: 5 % failures don't open the breaker", () => {
    const { breakers } = withClock();
    times(100, () => {
      breakers.failed("a");
      times(19, () => breakers.answered("a"));
    });
    expect(breakers.admits("a")).toBe(true);
    expect(breakers.failing()).toEqual([]);
  });
  test("what began before it opened closes nothing, neither by beginning nor by its end", () => {
    const { breakers } = withClock();
    times(5, () => {
      breakers.failed("a");
      breakers.ended("a"); // of the time when it still worked
    });
    expect(breakers.admits("a")).toBe(false);
    breakers.answered("a");
    breakers.ended("a");
    expect(breakers.admits("a")).toBe(false);
  });
  test("nor does an older stream's break take the probe's place", () => {
    const { breakers, pass } = withClock();
    times(5, () => breakers.failed("a"));
    pass(5_000);
    breakers.admits("a");
    breakers.broke("a");
    expect(breakers.admits("a")).toBe(false);
    breakers.answered("a");
    expect(breakers.admits("a")).toBe(true);
  });
  test("whole answers between streams that break don't hide them", () => {
    const { breakers } = withClock();
    times(5, () => {
      breakers.answered("a");
      breakers.broke("a");
      breakers.answered("a");
    });
    expect(breakers.admits("a")).toBe(false);
  });
  test("is shown open only while it passes calls over, not until the next call", () => {
    const { breakers, pass } = withClock();
    times(5, () => breakers.failed("a"));
    expect(breakers.failing()).toEqual([{ routeId: "a", isOpen: true }]);
    pass(5_000);
    expect(breakers.failing()).toEqual([{ routeId: "a", isOpen: false }]);
    breakers.admits("a");
    expect(breakers.failing()).toEqual([{ routeId: "a", isOpen: true }]);
  });
  test("a probe that said nothing leaves room for the next", () => {
    const { breakers, pass } = withClock();
    times(5, () => breakers.failed("a"));
    pass(5_000);
    breakers.admits("a");
    breakers.undecided("a");
    expect(breakers.admits("a")).toBe(true);
  });
});
