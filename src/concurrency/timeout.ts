// A timeout for any promise.

/** What `work` resolves to or, after `ms`, what `whenLate` returns or throws. The work itself continues. */
export async function withTimeout<T>(ms: number, work: Promise<T>, whenLate: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  try {
    return await Promise.race([work, late.then(whenLate)]);
  } finally {
    clearTimeout(timer);
  }
}
