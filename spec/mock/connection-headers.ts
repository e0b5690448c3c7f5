// Headers that whoever passes an answer on leaves out: they are of one connection, or of a body that fetch has unpacked already.

export const connectionHeaders: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "content-encoding",
]);
