// One value, asked for when it is first needed and again when it is old: one question for any number of askers. A fault is not remembered.

export function remembered<T>(ask: () => Promise<T>, lifeMs: number): () => Promise<T> {
  let value: Promise<T> | undefined;
  let askedAt = 0;
  return () => {
    if (value !== undefined && performance.now() - askedAt < lifeMs) return value;
    askedAt = performance.now();
    const asked = ask();
    value = asked;
    asked.catch(() => {
      if (value === asked) value = undefined;
    });
    return asked;
  };
}
