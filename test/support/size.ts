// How much of what takes long is done: all of it in .ci/run, which sets CI; less in everyday runs.
import { test } from "vitest";
import { isEveryday } from "./bundle.ts";

/** The property that a test asserts must hold at either size. */
export function sized(full: number, quick: number): number {
  return process.env.CI ? full : quick;
}

/** For tests that take seconds of a processor each: one in three, drawn anew each time, in everyday runs of all tests; else every one. */
export function oneInThree(): typeof test {
  return isEveryday() && Math.random() > 1 / 3 ? (test.skip as typeof test) : test;
}

/** For cases that differ in little: so many of them, drawn, in everyday runs of all tests; else all. */
export function drawn<Case>(cases: readonly Case[], count = 1): readonly Case[] {
  if (!isEveryday()) return cases;
  const from = Math.floor(Math.random() * cases.length);
  return [...cases, ...cases].slice(from, from + Math.min(count, cases.length));
}
