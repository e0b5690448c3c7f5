// How much of what callers name by an address may lie on this disk at once, all requests together: each is bounded, and so is how many an
// account has at a time, but accounts are many and the disk is also the database's.

export interface DiskRoom {
  /** False: there is none. */
  take(path: string, bytes: number): boolean;
  /** The file at `path` goes. */
  release(path: string): void;
}

/** As for files that come in forms. */
export const diskRoomBytes = 4_294_967_296;

export function openDiskRoom(bytesMax: number): DiskRoom {
  const held = new Map<string, number>();
  let all = 0;
  return {
    take(path, bytes) {
      if (all + bytes > bytesMax) return false;
      all += bytes;
      held.set(path, (held.get(path) ?? 0) + bytes);
      return true;
    },
    release(path) {
      all -= held.get(path) ?? 0;
      held.delete(path);
    },
  };
}
