// Collects the garbage of long transfers: their buffers are garbage as soon as they are written, but V8 lets some 64 MB of them pile
// up. Code that moves a large file counts its bytes here, so that a file of 100 MB takes no more memory than one of 10.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** A minor collection takes about a millisecond: less than moving this many bytes. */
const everyBytes = 8 * 1024 * 1024;

let moved = 0;
let collect: ((options: { type: "minor" }) => void) | null = null;

export function countTransferred(bytes: number): void {
  moved += bytes;
  if (moved < everyBytes) return;
  moved = 0;
  collect ??= openCollector();
  collect({ type: "minor" });
}

/** The flag applies only to contexts made after it: no other code gets the function. */
function openCollector(): NonNullable<typeof collect> {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as NonNullable<typeof collect>;
}
