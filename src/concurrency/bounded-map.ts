// A map that forgets what was used longest ago once it is full.
import { LRUCache } from "lru-cache";

/** `ttl` in ms. Entries are counted as a size: `max` would take the room of all of them at once, milliseconds of every start. */
export function boundedMap<Key extends NonNullable<unknown>, Value extends NonNullable<unknown>>(
  maxSize: number,
  ttl?: number,
): LRUCache<Key, Value> {
  return new LRUCache<Key, Value>({ maxSize, sizeCalculation: () => 1, ...(ttl !== undefined && { ttl }) });
}
