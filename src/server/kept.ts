// What is made once for each key and shared from then on.

/** What could not be made is tried again by the next who asks. The caller bounds the keys. */
export function keptIn<K, V>(made: Map<K, Promise<V>>, key: K, make: () => V | Promise<V>): Promise<V> {
  const known = made.get(key);
  if (known !== undefined) return known;
  const making = Promise.try(make);
  made.set(key, making);
  making.catch(() => made.delete(key));
  return making;
}
