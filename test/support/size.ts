// How many repetitions a test of exactness makes: all of them in .ci/run, which sets CI; fewer in everyday runs.

/** The property that a test asserts must hold at either size. */
export function sized(full: number, quick: number): number {
  return process.env.CI ? full : quick;
}
