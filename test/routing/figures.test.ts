// How soon and how fast routes answered lately, and what is tried first because of it.
import { expect, test } from "vitest";
import { createRouteFigures } from "../../src/routing/figures.ts";

function clocked() {
  let now = 0;
  return { figures: createRouteFigures(() => now), pass: (ms: number) => void (now += ms) };
}

test("a route that was not measured has no figure; the first answer is its figure, later ones move it", () => {
  const { figures } = clocked();
  expect(figures.of("a", "firstMs")).toBeNull();
  figures.answered("a", 100, null);
  expect(figures.of("a", "firstMs")).toBe(100);
  figures.answered("a", 200, null);
  expect(figures.of("a", "firstMs")).toBe(120);
  expect(figures.of("a", "wholeMs")).toBeNull();
});

test("whole answers and streams have latencies of their own, and one speed", () => {
  const { figures } = clocked();
  figures.answered("a", 500, 100);
  expect([figures.of("a", "firstMs"), figures.of("a", "wholeMs"), figures.of("a", "perSecond")]).toEqual([null, 500, 200]);
  figures.wrote("a", 100, 1000);
  expect(figures.of("a", "perSecond")).toBe(180);
});

test("an answer of a few tokens says nothing about speed", () => {
  const { figures } = clocked();
  figures.answered("a", 500, 15);
  expect(figures.of("a", "perSecond")).toBeNull();
});

test("a figure is forgotten after five minutes without an answer", () => {
  const { figures, pass } = clocked();
  figures.answered("a", 100, null);
  pass(299_999);
  expect(figures.of("a", "firstMs")).toBe(100);
  pass(1);
  expect(figures.of("a", "firstMs")).toBeNull();
  figures.answered("a", 300, null);
  expect(figures.of("a", "firstMs")).toBe(300);
});

test("one request a second finds out about a route", () => {
  const { figures, pass } = clocked();
  expect([figures.probes("a"), figures.probes("a"), figures.probes("b")]).toEqual([true, false, true]);
  pass(1_000);
  expect([figures.probes("a"), figures.probes("a")]).toEqual([true, false]);
});
