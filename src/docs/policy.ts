// The content security policy of pages: they run, load and call only what is ours. The server sends it as a header, files carry it.
import type { Page } from "./types.ts";

const none = "default-src 'none'; base-uri 'none'; form-action 'none'";

/** `gateway`: where the calls of a static site's reference go; null: to the page's own origin. */
export function contentPolicy(shape: Page["shape"], gateway: string | null = null): string {
  const ours = `${none}; script-src 'self'; img-src 'self'`;
  if (shape !== "reference") return `${ours}; style-src 'self'; connect-src 'self'`;
  // Measured: Scalar writes styles into the page, and plays what a call answers as sound.
  return `${ours}; style-src 'self' 'unsafe-inline'; media-src blob:; connect-src 'self'${gateway === null ? "" : ` ${gateway}`}`;
}
