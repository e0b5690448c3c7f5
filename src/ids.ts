// Identifiers: how they are made inside and how they look outside. Made here and not in the database, so that a
// request's id is known before anything is written and a retry carries the same one.
import { randomBytes } from "node:crypto";

/** The last id's millisecond and count, so that ids of one process sort as they were made, also within a millisecond. */
let last = { ms: 0, count: 0 };

/** UUID version 7 (RFC 9562, method 1: a 12-bit counter follows the milliseconds). */
export function uuidv7(at: Date): string {
  const ms = Math.max(at.getTime(), last.ms);
  const random = randomBytes(10);
  // A new millisecond begins in the lower half, so that 2,048 more ids fit before the clock must be run ahead.
  last =
    ms > last.ms
      ? { ms, count: random.readUInt16BE(0) & 0x7ff }
      : last.count < 0xfff
        ? { ms, count: last.count + 1 }
        : { ms: ms + 1, count: 0 };
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(last.ms, 0, 6);
  bytes.writeUInt16BE(0x7000 | last.count, 6);
  random.copy(bytes, 8, 2);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function accountIdText(id: bigint): string {
  return `acc_${id}`;
}

/** An account's id as shown, or its bare number; undefined for anything else. */
export function parseAccountId(text: string): bigint | undefined {
  const digits = /^(?:acc_)?([1-9]\d{0,18})$/.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const id = BigInt(digits);
  return id <= 9_223_372_036_854_775_807n ? id : undefined;
}
