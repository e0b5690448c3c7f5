// Audio as it comes from a model that still speaks: in pieces that end anywhere, in the middle of a sample too.

/** So that a short sentence can break in its middle as well. */
const piecesMin = 8;
const pieceBytesMax = 16_381;

export function* cutIntoPieces(bytes: Buffer): Iterable<Buffer> {
  const pieceBytes = Math.max(1, Math.min(pieceBytesMax, Math.floor(bytes.length / piecesMin)));
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
