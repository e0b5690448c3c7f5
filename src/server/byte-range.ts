// The Range header of one part (RFC 9110, 14.1.2). Several parts, other units and nonsense are answered with the whole file, as
// the RFC allows.

/** Both ends included and within the file; null: all of it is meant. */
export type ByteRange = { from: number; to: number } | null | "unsatisfiable";

export function askedRange(header: string | undefined, size: number): ByteRange {
  const [, first = "", last = ""] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header ?? "") ?? [];
  if (first === "" && last === "") return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { from: size - length, to: size - 1 };
  }
  const [from, to] = [Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1)];
  if (last !== "" && Number(last) < from) return null;
  return from >= size ? "unsatisfiable" : { from, to };
}
