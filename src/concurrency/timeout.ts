// Waiting for somebody else, but not longer than so long.

/** What `work` brings, or after so many milliseconds what `whenLate` says or throws. The work itself goes on. */
export async function within<T>(ms: number, work: Promise<T>, whenLate: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  try {
    return await Promise.race([work, late.then(whenLate)]);
  } finally {
    clearTimeout(timer);
  }
}
