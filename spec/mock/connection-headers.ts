// Headers that a proxy leaves out when it passes an answer on: they are of one connection, or of a body that fetch has unpacked already.

export const connectionHeaders: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "content-encoding",
]);
