// Which credential a request takes: by weight, and without those that rest.
import { describe, expect, test } from "vitest";
import { createRotation } from "../../src/providers/credentials/rotation.ts";
import { type Failure, UpstreamError, type UpstreamFault } from "../../src/providers/errors/upstream-error.ts";

function world(weights: Record<string, number>) {
  let now = 0;
  const all = Object.entries(weights).map(([id, weight]) => ({ id, key: `key-${id}`, weight }));
  const rotation = createRotation(all, () => now);
  const of = (id: string) => all.find((one) => one.id === id)!;
  return {
    next: (...tried: string[]) => rotation.choose(new Set(tried.map(of)))?.id ?? null,
    turns: (count: number) => Array.from({ length: count }, () => rotation.choose(new Set())!.id).join(""),
    refuse: (id: string, fault: UpstreamFault, status: number | null, retryAfterMs: number | null = null) =>
      rotation.refused(of(id), new UpstreamError(fault, "no", { status, retryAfterMs })),
    fail: (id: string, failure: Failure) => rotation.refused(of(id), new UpstreamError("our_fault", "no", { failure })),
    pass: (ms: number) => (now += ms),
  };
}

describe("by weight", () => {
  test("turns are spread evenly, and exact over a round", () => {
    expect(world({ a: 5, b: 1, c: 1 }).turns(14)).toBe("aabacaaaabacaa");
    expect(world({ a: 1, b: 1 }).turns(6)).toBe("ababab");
    expect(world({ a: 7 }).turns(3)).toBe("aaa");
  });

  test("the others take the turns of one that rests, and it comes back without a backlog of them", () => {
    const { turns, refuse, pass } = world({ a: 2, b: 1, c: 1 });
    refuse("a", "our_fault", 401);
    expect(turns(4)).toBe("bcbc");
    pass(60_000);
    expect([...turns(8)].filter((id) => id === "a")).toHaveLength(4);
  });
});

describe("rest", () => {
  test.each([
    ["our_fault", 401, null, 60_000],
    ["our_fault", 402, null, 60_000],
    ["our_fault", 403, null, 60_000],
    ["our_fault", 429, null, 60_000],
    ["rate_limited", 429, null, 5_000],
    ["rate_limited", 429, 7_000, 7_000],
    ["rate_limited", 429, 0, 1_000],
    ["rate_limited", 429, 3_600_000, 300_000],
  ] as const)("%s with %s, to be asked again in %s ms: %s ms", (fault, status, retryAfterMs, restMs) => {
    const { next, refuse, pass } = world({ a: 1, b: 1 });
    expect(refuse("a", fault, status, retryAfterMs)).toBe(true);
    pass(restMs - 1);
    expect([next(), next(), next()]).toEqual(["b", "b", "b"]);
    pass(1);
    expect(new Set([next(), next()])).toEqual(new Set(["a", "b"]));
  });

  test.each([
    ["our_fault", 405],
    ["our_fault", null],
    ["rejected", 400],
    ["refused", 403],
    ["unavailable", 503],
    ["gone", 404],
  ] as const)("none after %s with %s: another credential would hear the same", (fault, status) => {
    const { next, refuse } = world({ a: 1, b: 1 });
    expect(refuse("a", fault, status)).toBe(false);
    expect(next("b")).toBe("a");
  });

  test("a minute where no token could be had for it, though nothing was asked of the provider", () => {
    const { next, fail, pass } = world({ a: 1, b: 1 });
    expect(fail("a", { cause: "credentials", detail: "the account was deleted" })).toBe(true);
    pass(59_999);
    expect([next(), next()]).toEqual(["b", "b"]);
    pass(1);
    expect(new Set([next(), next()])).toEqual(new Set(["a", "b"]));
    expect(fail("b", { cause: "clock_skew", detail: "this machine's clock is wrong" })).toBe(false);
  });

  test("a shorter rest does not end a longer one", () => {
    const { next, refuse, pass } = world({ a: 1, b: 1 });
    refuse("a", "our_fault", 401);
    refuse("a", "rate_limited", 429, 1_000);
    pass(30_000);
    expect([next(), next()]).toEqual(["b", "b"]);
  });

  test("where all rest, the one that rests least is asked, once for each request", () => {
    const { next, refuse } = world({ a: 1, b: 1, c: 1 });
    refuse("a", "our_fault", 401);
    refuse("b", "rate_limited", 429, 2_000);
    refuse("c", "rate_limited", 429, 9_000);
    expect([next(), next(), next("b")]).toEqual(["b", "b", null]);
  });

  test("within a request none is asked twice", () => {
    const { next } = world({ a: 1, b: 1 });
    expect([next("a"), next("a", "b")]).toEqual(["b", null]);
  });
});
